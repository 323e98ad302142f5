"""A provider, and each thing it has, read in one statement: so the generation belongs to what is shown with it.

A generation newer than the rest would let its reader overwrite what it never saw. These are also the reads that agents
repeat all day, and what the ORM adds to each would be most of its time; the text is the same on both databases.
"""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import Any, NamedTuple

from django.utils.dateparse import parse_datetime

from claimsite.foundation import statements
from placement_app import errors


class ShownProvider(NamedTuple):
    uuid: str
    name: str
    generation: int
    parent_id: str | None
    root_id: str
    updated_at: datetime.datetime


class ShownInventory(NamedTuple):
    resource_class_id: str
    total: int
    reserved: int
    min_unit: int
    max_unit: int
    step_size: int
    allocation_ratio: float
    used: int
    updated_at: datetime.datetime


class ShownTrait(NamedTuple):
    name: str
    updated_at: datetime.datetime


class ShownConsumer(NamedTuple):
    uuid: str
    generation: int
    project_id: str
    user_id: str
    consumer_type: str | None


class ShownAllocation(NamedTuple):
    consumer_id: str
    consumer_generation: int
    provider_uuid: str
    provider_generation: int
    resource_class_id: str
    used: int
    updated_at: datetime.datetime


def provider(uuid: str) -> ShownProvider:
    """Raises ProviderNotFound."""
    for row in providers("uuid = %s", [uuid]):
        return row
    raise errors.ProviderNotFound(provider=uuid)


def providers(condition: str, values: Sequence[Any]) -> list[ShownProvider]:
    """Those to which the SQL ``condition`` applies, oldest first."""
    rows = statements.rows(
        "SELECT uuid, name, generation, parent_uuid, root_uuid, updated_at FROM placement_app_resourceprovider"
        f" WHERE {condition} ORDER BY id",
        values,
    )
    return [
        ShownProvider(uuid, name, generation, parent, root, _moment(updated_at))
        for uuid, name, generation, parent, root, updated_at in rows
    ]


def inventories(uuid: str) -> tuple[int, list[ShownInventory]]:
    """The provider's generation and inventories, oldest first. Raises ProviderNotFound."""
    generation, rows = _parts(
        uuid,
        "i.resource_class, i.total, i.reserved, i.min_unit, i.max_unit, i.step_size, i.allocation_ratio, i.used,"
        " i.updated_at",
        "LEFT JOIN placement_app_inventory i ON i.provider_id = p.id",
        "i.id",
    )
    return generation, [ShownInventory._make([*columns, _moment(updated_at)]) for *columns, updated_at in rows]


def traits(uuid: str) -> tuple[int, list[ShownTrait]]:
    """The provider's generation and traits, in vocabulary order. Raises ProviderNotFound."""
    generation, rows = _parts(
        uuid,
        "t.name, t.updated_at",
        "LEFT JOIN placement_app_providertrait pt ON pt.provider_id = p.id"
        " LEFT JOIN placement_app_trait t ON t.name = pt.trait",
        "t.id",
    )
    return generation, [ShownTrait(name, _moment(updated_at)) for name, updated_at in rows]


def aggregates(uuid: str) -> tuple[int, list[str]]:
    """The provider's generation and aggregates, in the order in which they were given. Raises ProviderNotFound."""
    generation, rows = _parts(
        uuid,
        "a.aggregate_uuid",
        "LEFT JOIN placement_app_provideraggregate a ON a.provider_id = p.id",
        "a.id",
    )
    return generation, [aggregate for (aggregate,) in rows]


_ALLOCATION = "k.uuid, k.generation, p.uuid, p.generation, a.resource_class, a.used, a.updated_at"


def allocations_of_consumer(uuid: str) -> tuple[ShownConsumer | None, list[ShownAllocation]]:
    """The consumer and what it holds, oldest first; None and nothing if it holds nothing."""
    rows = statements.rows(
        f"SELECT {_ALLOCATION}, k.project_id, k.user_id, k.consumer_type FROM placement_app_allocation a"
        " JOIN placement_app_consumer k ON k.uuid = a.consumer_uuid"
        " JOIN placement_app_resourceprovider p ON p.id = a.provider_id"
        " WHERE a.consumer_uuid = %s ORDER BY a.id",
        [uuid],
    )
    if not rows:
        return None, []
    return ShownConsumer(*rows[0][:2], *rows[0][7:]), [_allocation(row[:7]) for row in rows]


def allocations_of_provider(uuid: str) -> tuple[int, list[ShownAllocation]]:
    """The provider's generation and what is claimed of it, oldest first. Raises ProviderNotFound."""
    generation, rows = _parts(
        uuid,
        _ALLOCATION,
        "LEFT JOIN placement_app_allocation a ON a.provider_id = p.id"
        " LEFT JOIN placement_app_consumer k ON k.uuid = a.consumer_uuid",
        "a.id",
    )
    return generation, list(map(_allocation, rows))


def _allocation(columns: Sequence[Any]) -> ShownAllocation:
    return ShownAllocation._make([*columns[:-1], _moment(columns[-1])])


def _parts(uuid: str, columns: str, join: str, order: str) -> tuple[int, list[tuple[Any, ...]]]:
    """The provider's generation, and the rows joined to it: none if all that was joined is NULL."""
    rows = statements.rows(
        f"SELECT p.generation, {columns} FROM placement_app_resourceprovider p {join}"
        f" WHERE p.uuid = %s ORDER BY {order}",
        [uuid],
    )
    if not rows:
        raise errors.ProviderNotFound(provider=uuid)
    return rows[0][0], [row[1:] for row in rows if row[1] is not None]


def _moment(value: datetime.datetime | str) -> datetime.datetime:
    """SQLite has no times, and hands out the text in which Django writes them (UTC)."""
    if isinstance(value, datetime.datetime):
        return value
    parsed = parse_datetime(value)
    assert parsed is not None
    return parsed.replace(tzinfo=datetime.UTC)
