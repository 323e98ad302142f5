"""Machines become providers: what a file says of a machine is there afterwards, and nothing else is touched.

Loading adds and corrects. It never takes anything away: claims, other classes, traits and aggregates that somebody gave
to a provider, its reserved amounts and allocation ratios all stay. (Only the parts of a machine that is given out whole
are reserved again.) So a file can be loaded again at any time.
"""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import TypeVar

from django.db import IntegrityError, transaction
from django.db.models import F, Max, Q
from django.utils import timezone

from claimsite.foundation.origin import Origin
from claimsite.foundation.transactions import needs_transaction, write_transaction
from claimsite.machines.record import Machine
from placement_app import errors, locks
from placement_app.models import Inventory, ProviderAggregate, ProviderTrait, ResourceClass, ResourceProvider, Trait
from placement_app.models.vocabulary import FIRST_CUSTOM_ID
from placement_app.services.hardware import Description, Stock, describe

N = TypeVar("N", ResourceClass, Trait)


@dataclasses.dataclass(slots=True)
class Report:
    """The names of the machines, by what became of their providers."""

    created: list[str] = dataclasses.field(default_factory=list)
    changed: list[str] = dataclasses.field(default_factory=list)
    unchanged: list[str] = dataclasses.field(default_factory=list)
    uuids: dict[str, str] = dataclasses.field(default_factory=dict)
    """Machine's name → the uuid that its provider has, or would have."""

    def add(self, other: Report) -> None:
        self.created += other.created
        self.changed += other.changed
        self.unchanged += other.unchanged
        self.uuids |= other.uuids


def preview(*, machines: Sequence[Machine]) -> Report:
    """What ``load`` would do now. Changes nothing."""
    plan = _plan([describe(machine) for machine in machines])
    return _report(plan)


@write_transaction
def load(*, machines: Sequence[Machine], origin: Origin) -> Report:
    """Make sure that each machine is a provider that has what the machine has: all of these machines, or none.

    A provider is the machine's if it has the machine's uuid, or else its name.
    """
    descriptions = [describe(machine) for machine in machines]
    _ensure_names(ResourceClass, {name for description in descriptions for name in description.inventories})
    _ensure_names(Trait, {name for description in descriptions for name in description.traits})
    locks.providers([provider.uuid for provider in _existing(descriptions).values()])
    plan = _plan(descriptions)
    _create(plan)
    _change(plan)
    return _report(plan)


# --- beneath the verbs ----------------------------------------------------------------------------------------------
@dataclasses.dataclass(slots=True)
class _Item:
    """One machine, its provider if there is one, and what that provider lacks."""

    description: Description
    provider: ResourceProvider | None
    new_inventories: dict[str, Stock]
    changed_inventories: list[tuple[Inventory, Stock]]
    traits: frozenset[str]
    aggregates: tuple[str, ...]

    @property
    def lacks_something(self) -> bool:
        return bool(self.new_inventories or self.changed_inventories or self.traits or self.aggregates)


def _existing(descriptions: Sequence[Description]) -> dict[str, ResourceProvider]:
    """Machine uuid → its provider."""
    uuids, called = [one.uuid for one in descriptions], [one.name for one in descriptions]
    found = list(ResourceProvider.objects.filter(Q(uuid__in=uuids) | Q(name__in=called)))
    by_uuid = {provider.uuid: provider for provider in found}
    by_name = {provider.name: provider for provider in found}
    owners = {one.uuid: by_uuid.get(one.uuid) or by_name.get(one.name) for one in descriptions}
    return {uuid: provider for uuid, provider in owners.items() if provider is not None}


def _plan(descriptions: Sequence[Description]) -> list[_Item]:
    existing = _existing(descriptions)
    keys = [provider.pk for provider in existing.values()]
    inventories: defaultdict[int, dict[str, Inventory]] = defaultdict(dict)
    for inventory in Inventory.objects.filter(provider__in=keys):
        inventories[inventory.provider_id][inventory.resource_class_id] = inventory
    traits: defaultdict[int, set[str]] = defaultdict(set)
    for key, trait in ProviderTrait.objects.filter(provider__in=keys).values_list("provider_id", "trait__name"):
        traits[key].add(trait)
    aggregates: defaultdict[int, set[str]] = defaultdict(set)
    for key, uuid in ProviderAggregate.objects.filter(provider__in=keys).values_list("provider_id", "aggregate_uuid"):
        aggregates[key].add(uuid)
    items = []
    for one in descriptions:
        provider = existing.get(one.uuid)
        key = provider.pk if provider else 0
        stocked = inventories[key]
        items.append(
            _Item(
                description=one,
                provider=provider,
                new_inventories={name: stock for name, stock in one.inventories.items() if name not in stocked},
                changed_inventories=[
                    (stocked[name], stock)
                    for name, stock in one.inventories.items()
                    if name in stocked and any(getattr(stocked[name], field) != stock[field] for field in stock)
                ],
                traits=one.traits - traits[key],
                aggregates=tuple(uuid for uuid in one.aggregates if uuid not in aggregates[key]),
            )
        )
    return items


@needs_transaction
def _create(plan: Sequence[_Item]) -> None:
    new = [
        ResourceProvider(uuid=item.description.uuid, name=item.description.name, root_id=item.description.uuid)
        for item in plan
        if item.provider is None
    ]
    try:
        with transaction.atomic():
            created = {provider.uuid: provider for provider in ResourceProvider.objects.bulk_create(new)}
    except IntegrityError:
        # Somebody made one of them since we looked: the next try finds it.
        raise errors.NameCreatedMeanwhile(name="one of the machines") from None
    _give(plan, {item.description.uuid: item.provider or created[item.description.uuid] for item in plan})


@needs_transaction
def _give(plan: Sequence[_Item], owners: Mapping[str, ResourceProvider]) -> None:
    owned = [(owners[item.description.uuid], item) for item in plan]
    Inventory.objects.bulk_create(
        Inventory(provider=provider, resource_class_id=name, **stock)
        for provider, item in owned
        for name, stock in item.new_inventories.items()
    )
    ProviderTrait.objects.bulk_create(
        ProviderTrait(provider=provider, trait_id=name) for provider, item in owned for name in sorted(item.traits)
    )
    ProviderAggregate.objects.bulk_create(
        ProviderAggregate(provider=provider, aggregate_uuid=uuid)
        for provider, item in owned
        for uuid in item.aggregates
    )


@needs_transaction
def _change(plan: Sequence[_Item]) -> None:
    now = timezone.now()
    for item in plan:
        for inventory, stock in item.changed_inventories:
            # By key and only these fields: ``used`` belongs to the claims.
            Inventory.objects.filter(pk=inventory.pk).update(**stock, updated_at=now)
    changed = [item.provider.pk for item in plan if item.provider and item.lacks_something]
    ResourceProvider.objects.filter(pk__in=changed).update(generation=F("generation") + 1, updated_at=now)


@needs_transaction
def _ensure_names(model: type[N], wanted: Collection[str]) -> None:
    missing = sorted(set(wanted) - locks.names(model, wanted))
    newest = model._default_manager.aggregate(newest=Max("id"))["newest"] or 0
    first = max(newest + 1, FIRST_CUSTOM_ID)
    try:
        with transaction.atomic():
            model._default_manager.bulk_create(
                model(id=number, name=name) for number, name in enumerate(missing, start=first)
            )
    except IntegrityError:
        raise errors.NameCreatedMeanwhile(name=", ".join(missing)) from None


def _report(plan: Sequence[_Item]) -> Report:
    report = Report()
    for item in plan:
        place = (
            report.created if item.provider is None else report.changed if item.lacks_something else report.unchanged
        )
        place.append(item.description.name)
        report.uuids[item.description.name] = item.provider.uuid if item.provider else item.description.uuid
    return report
