"""Rows to test with: plain functions, sensible defaults, straight to the tables."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

from claimsite.foundation.uuids import new_uuid
from placement_app.models import (
    Inventory,
    ProviderAggregate,
    ProviderTrait,
    ResourceClass,
    ResourceProvider,
    Trait,
)

# For the parameters of tests, which must be the same in every process that collects them.
A_UUID = "0f6b8a52-3c1d-4e7f-9a20-5b8c7d6e1f01"
ANOTHER_UUID = "1e7c9b63-4d2e-4f80-8b31-6c9d8e7f2a12"

_numbers = itertools.count(1)


def provider(
    *,
    name: str | None = None,
    uuid: str | None = None,
    parent: ResourceProvider | None = None,
    traits: tuple[str, ...] = (),
    aggregates: tuple[str, ...] = (),
    **amounts: int | dict[str, Any],
) -> ResourceProvider:
    """A provider with inventories: ``provider(vcpu=8, DISK_GB={"total": 100, "step_size": 4})``."""
    uuid = uuid or new_uuid()
    root = parent.root_id if parent else uuid
    row = ResourceProvider.objects.create(uuid=uuid, name=name or f"host-{next(_numbers)}", parent=parent, root_id=root)
    for resource_class, amount in amounts.items():
        inventory(row, resource_class.upper(), **(amount if isinstance(amount, dict) else {"total": amount}))
    for trait in traits:
        _custom(Trait, trait)
    ProviderTrait.objects.bulk_create(ProviderTrait(provider=row, trait_id=trait) for trait in traits)
    ProviderAggregate.objects.bulk_create(ProviderAggregate(provider=row, aggregate_uuid=uuid) for uuid in aggregates)
    return row


def tree(shape: Mapping[str, Any], parent: ResourceProvider | None = None) -> dict[str, ResourceProvider]:
    """Providers by name: ``tree({"root": {"left": {}, "right": {"leaf": {}}}})``."""
    members: dict[str, ResourceProvider] = {}
    for name, below in shape.items():
        members[name] = provider(name=name, parent=parent)
        members |= tree(below, members[name])
    return members


def inventory(row: ResourceProvider, resource_class: str, **fields: Any) -> Inventory:
    _custom(ResourceClass, resource_class)
    return Inventory.objects.create(provider=row, resource_class_id=resource_class, **fields)


def _custom(model: type[ResourceClass] | type[Trait], name: str) -> None:
    if name.startswith("CUSTOM_") and not model.objects.filter(name=name).exists():
        model.objects.create(id=10_000 + next(_numbers), name=name)


def claim(
    resources: Mapping[Any, Mapping[str, int]],
    *,
    generation: int | None = None,
    project: str = "project-1",
    user: str = "user-1",
    consumer_type: str = "INSTANCE",
) -> dict[str, Any]:
    """Keys are providers or their uuids.

    The newest body of PUT /allocations/{consumer}: ``claim({host: {"VCPU": 1}}, generation=None)``."""
    return {
        "allocations": {
            key if isinstance(key, str) else key.uuid: {"resources": amounts} for key, amounts in resources.items()
        },
        "project_id": project,
        "user_id": user,
        "consumer_generation": generation,
        "consumer_type": consumer_type,
    }
