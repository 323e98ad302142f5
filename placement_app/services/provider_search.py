"""The list of providers, by what each provider itself is, has and has room for."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping
from typing import Any

from placement_app import errors
from placement_app.models import ResourceClass, Trait
from placement_app.models.inventories import MAX_INTEGER
from placement_app.services import reading
from placement_app.services.reading import ShownProvider


def find(
    *,
    name: str | None = None,
    uuid: str | None = None,
    in_tree: str | None = None,
    resources: Mapping[str, int] | None = None,
    required: Collection[Collection[str]] = (),
    forbidden: Collection[str] = (),
    member_of: Collection[Collection[str]] = (),
    not_member_of: Collection[str] = (),
) -> list[ShownProvider]:
    """The providers to which everything said applies, in order of creation.

    ``in_tree``: any member of the tree. ``resources``: the amounts there must be room for now, by class.
    ``required`` and ``member_of``: of each collection the provider has, or is in, at least one.
    Raises UnknownTraits, UnknownClassInQuery.
    """
    resources = resources or {}
    _check_names(resources, {trait for traits in [*required, forbidden] for trait in traits})
    if any(amount > MAX_INTEGER for amount in resources.values()):
        # More than any max_unit allows, and more than a column could be compared with.
        return []
    conditions = _Conditions()
    if name is not None:
        conditions.add("name = %s", name)
    if uuid is not None:
        conditions.add("uuid = %s", uuid)
    if in_tree is not None:
        conditions.add("root_uuid = (SELECT root_uuid FROM placement_app_resourceprovider WHERE uuid = %s)", in_tree)
    conditions.add_memberships("placement_app_providertrait", "trait", required, forbidden)
    conditions.add_memberships("placement_app_provideraggregate", "aggregate_uuid", member_of, not_member_of)
    for resource_class, amount in resources.items():
        conditions.add(
            "id IN (SELECT provider_id FROM placement_app_inventory WHERE resource_class = %s"
            " AND %s BETWEEN min_unit AND max_unit AND %s %% step_size = 0"
            " AND used + %s <= (total - reserved) * allocation_ratio)",
            resource_class,
            *[amount] * 3,
        )
    return reading.providers(" AND ".join(conditions.texts) or "TRUE", conditions.values)


@dataclasses.dataclass(slots=True)
class _Conditions:
    texts: list[str] = dataclasses.field(default_factory=list)
    values: list[Any] = dataclasses.field(default_factory=list)

    def add(self, text: str, *values: Any) -> None:
        self.texts.append(text)
        self.values += values

    def add_memberships(
        self, table: str, column: str, wanted: Collection[Collection[str]], unwanted: Collection[str]
    ) -> None:
        for operator, words in [("IN", each) for each in wanted] + [("NOT IN", unwanted)] * bool(unwanted):
            marks = ", ".join(["%s"] * len(words))
            self.add(f"id {operator} (SELECT provider_id FROM {table} WHERE {column} IN ({marks}))", *words)


def _check_names(resource_classes: Collection[str], traits: Collection[str]) -> None:
    for unknown in sorted(_unknown(ResourceClass, resource_classes)):
        raise errors.UnknownClassInQuery(resource_class=unknown)
    if missing := _unknown(Trait, traits):
        raise errors.UnknownTraits(traits=", ".join(sorted(missing)))


def _unknown(model: type[ResourceClass] | type[Trait], names: Collection[str]) -> set[str]:
    if not names:
        return set()
    return set(names) - set(model.objects.filter(name__in=names).values_list("name", flat=True))
