"""The list of providers, by what each provider itself is, has and has room for."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from django.db.models import F, IntegerField, QuerySet, Value

from placement_app import errors
from placement_app.models import Inventory, ProviderAggregate, ProviderTrait, ResourceClass, ResourceProvider, Trait
from placement_app.models.inventories import MAX_INTEGER
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
    found = _of_the_kind(ResourceProvider.objects.order_by("pk"), required, forbidden, member_of, not_member_of)
    if name is not None:
        found = found.filter(name=name)
    if uuid is not None:
        found = found.filter(uuid=uuid)
    if in_tree is not None:
        found = found.filter(root__in=ResourceProvider.objects.filter(uuid=in_tree).values("root"))
    for resource_class, amount in resources.items():
        found = found.filter(pk__in=_with_room_for(resource_class, amount))
    return [ShownProvider._make(row) for row in found.values_list(*ShownProvider._fields)]


def _of_the_kind(
    found: QuerySet[ResourceProvider],
    required: Iterable[Collection[str]],
    forbidden: Collection[str],
    member_of: Iterable[Collection[str]],
    not_member_of: Collection[str],
) -> QuerySet[ResourceProvider]:
    for traits in required:
        found = found.filter(pk__in=ProviderTrait.objects.filter(trait_id__in=traits).values("provider"))
    if forbidden:
        found = found.exclude(pk__in=ProviderTrait.objects.filter(trait_id__in=forbidden).values("provider"))
    for aggregates in member_of:
        found = found.filter(
            pk__in=ProviderAggregate.objects.filter(aggregate_uuid__in=aggregates).values("provider"),
        )
    if not_member_of:
        found = found.exclude(
            pk__in=ProviderAggregate.objects.filter(aggregate_uuid__in=not_member_of).values("provider"),
        )
    return found


def _with_room_for(resource_class: str, amount: int) -> QuerySet[Any, Any]:
    """The keys of the providers that can take this much of the class in one claim."""
    wanted = Value(amount, output_field=IntegerField())
    capacity = (F("total") - F("reserved")) * F("allocation_ratio")
    return (
        Inventory.objects.filter(resource_class__name=resource_class, min_unit__lte=amount, max_unit__gte=amount)
        .alias(rest=wanted % F("step_size"), taken=F("used") + wanted)
        .filter(rest=0, taken__lte=capacity)
        .values("provider")
    )


def _check_names(resource_classes: Collection[str], traits: Collection[str]) -> None:
    for unknown in sorted(_unknown(ResourceClass, resource_classes)):
        raise errors.UnknownClassInQuery(resource_class=unknown)
    if missing := _unknown(Trait, traits):
        raise errors.UnknownTraits(traits=", ".join(sorted(missing)))


def _unknown(model: type[ResourceClass] | type[Trait], names: Collection[str]) -> set[str]:
    if not names:
        return set()
    return set(names) - set(model.objects.filter(name__in=names).values_list("name", flat=True))
