"""What can be wrong in Placement's own tables, and what can safely be put right.

No verb of this service leaves any of it behind. It comes with rows that were imported, restored in part, or written by
hand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from typing import Any

from django.db.models import Exists, F, OuterRef, Q, QuerySet, Subquery, Sum
from django.utils import timezone

from claimsite.foundation.errors import DomainError, Kind
from claimsite.foundation.findings import ChangedMeanwhile, Checked, Colour, Finding, chunks, unwatched
from claimsite.foundation.origin import Origin
from claimsite.foundation.statements import Batch
from claimsite.foundation.transactions import write_transaction
from placement_app import errors, locks
from placement_app.models import (
    Allocation,
    Consumer,
    Inventory,
    ProviderTrait,
    ResourceClass,
    ResourceProvider,
    Trait,
)
from placement_app.services import ledger, provider_history


class NotMendable(DomainError):
    kind = Kind.CONFLICT
    message = "{text}"


# --- consumers ------------------------------------------------------------------------------------------------------
def consumers_without_allocations(*, checked: Checked = unwatched) -> Iterator[Finding]:
    """Rows that nothing refers to: services before ours left them behind (LP #1780799)."""
    for part in chunks(Consumer.objects.all(), checked=checked):
        used = set(
            Allocation.objects.filter(consumer__in=[row.pk for row in part]).values_list("consumer_id", flat=True)
        )
        for row in part:
            if row.uuid not in used:
                yield Finding(
                    code="consumer_without_allocations",
                    subject=row.uuid,
                    name=row.uuid,
                    text=f"the consumer of project {row.project_id} holds nothing",
                    colour=Colour.GREEN,
                    fix="delete the consumer",
                    since=row.updated_at,
                    facts={
                        "generation": row.generation,
                        "project": row.project_id,
                        "user": row.user_id,
                        "consumer_type": row.consumer_type,
                    },
                )


@write_transaction
def delete_consumer(*, consumer_uuid: str, generation: int, origin: Origin) -> None:
    """Delete a consumer that holds nothing, if it still is what was seen. Raises ChangedMeanwhile."""
    consumer = locks.consumers([consumer_uuid]).get(consumer_uuid)
    if consumer is None:
        raise ChangedMeanwhile(how="it is gone")
    if consumer.generation != generation:
        raise ChangedMeanwhile(how=f"it is at generation {consumer.generation}, not {generation}")
    if Allocation.objects.filter(consumer=consumer).exists():
        raise ChangedMeanwhile(how="it holds something now")
    ledger.insert_end(consumer, origin)
    batch = Batch()
    ledger.delete_consumers(batch, [consumer_uuid])
    batch.send()


def allocations_without_consumer(*, checked: Checked = unwatched) -> Iterator[Finding]:
    """Only by hand: somebody may sit on what is claimed there, and nobody knows who."""
    rows = Allocation.objects.filter(~Exists(Consumer.objects.filter(pk=OuterRef("consumer_id"))))
    for row in _found(_with_providers(rows), checked):
        yield _red(
            "allocation_without_consumer",
            row.consumer_id,
            f"{row.used} {row.resource_class_id} of {_provider(row)} are held by a consumer that is not there",
            fix="claim it again for its consumer, or release it, after asking who uses it",
            since=row.updated_at,
            facts=_of_provider(row),
        )


def _with_providers(rows: QuerySet[Any]) -> QuerySet[Any]:
    """With uuid and name of the provider, which may be missing too."""
    providers = ResourceProvider.objects.filter(pk=OuterRef("provider_id"))
    names = {f"provider_{name}": Subquery(providers.values(name)) for name in ("uuid", "name")}
    annotated: QuerySet[Any] = rows.annotate(**names)
    return annotated


def _of_provider(row: Any) -> dict[str, Any]:
    return {"provider": row.provider_uuid, "provider_name": row.provider_name}


def _provider(row: Any) -> str:
    return f"provider {row.provider_name}" if row.provider_name else f"a provider that is not there ({row.provider_id})"


# --- amounts --------------------------------------------------------------------------------------------------------
def wrong_amounts(*, checked: Checked = unwatched) -> Iterator[Finding]:
    """Counters that differ from the allocations they count, and more claimed than there is."""
    for part in chunks(Inventory.objects.select_related("provider"), checked=checked):
        sums = _sums({row.provider_id for row in part})
        for row in part:
            held = sums.get((row.provider_id, row.resource_class_id), 0)
            facts = {"resource_class": row.resource_class_id, "used": row.used, "held": held, "capacity": row.capacity}
            if row.used != held:
                yield Finding(
                    code="used_differs",
                    subject=row.provider.uuid,
                    name=row.provider.name,
                    text=f"{row.resource_class_id}: {row.used} used by the counter, {held} by the allocations",
                    colour=Colour.GREEN,
                    fix=f"count again: {held}",
                    facts=facts,
                )
            if row.is_overdrawn(held):
                yield _red(
                    "over_capacity",
                    row.provider.uuid,
                    f"{row.resource_class_id}: {held} claimed, {row.capacity:g} to be had",
                    name=row.provider.name,
                    fix="move somebody away, or raise total or allocation_ratio",
                    facts=facts,
                )
    yield from _allocations_without_inventory(checked)


def _sums(provider_ids: set[int]) -> dict[tuple[int, str], int]:
    rows = Allocation.objects.filter(provider__in=provider_ids).order_by()
    summed = rows.values_list("provider_id", "resource_class_id").annotate(Sum("used"))
    return {(provider_id, resource_class): int(used) for provider_id, resource_class, used in summed}


def _allocations_without_inventory(checked: Checked) -> Iterator[Finding]:
    inventory = Inventory.objects.filter(
        provider=OuterRef("provider_id"), resource_class_id=OuterRef("resource_class_id")
    )
    for row in _found(_with_providers(Allocation.objects.filter(~Exists(inventory))), checked):
        yield _red(
            "allocation_without_inventory",
            row.consumer_id,
            f"holds {row.used} {row.resource_class_id} of {_provider(row)}, which has no such inventory",
            fix="give the provider the inventory, or release the claim",
            since=row.updated_at,
            facts=_of_provider(row),
        )


@write_transaction
def recount(*, provider_uuid: str, origin: Origin) -> Mapping[str, int]:
    """Set the provider's counters to what its allocations say under its lock; resource class → what was corrected.

    The generation stays: nothing changed of what the provider has. Raises ProviderNotFound.
    """
    provider = locks.provider(provider_uuid)
    sums = _sums({provider.pk})
    held = {row: sums.get((provider.pk, row.resource_class_id), 0) for row in provider.inventories.all()}
    wrong = {row: amount for row, amount in held.items() if row.used != amount}
    if wrong:
        batch = Batch()
        ledger.set_used(batch, {row.pk: amount for row, amount in wrong.items()})
        ledger.stamp(batch, [provider.uuid])
        batch.send()
        before = {row.resource_class_id: {"used": row.used} for row in wrong}
        after = {row.resource_class_id: {"used": amount} for row, amount in wrong.items()}
        provider_history.record(
            provider, provider_history.Subject.INVENTORIES, before=before, after=after, origin=origin
        )
    return {row.resource_class_id: amount for row, amount in wrong.items()}


# --- trees ----------------------------------------------------------------------------------------------------------
def wrong_trees(*, checked: Checked = unwatched) -> Iterator[Finding]:
    """Providers whose root is not the top of their parents (LP #1799892), loops, parents that are not there."""
    rows = {
        uuid: (parent, root, name)
        for uuid, parent, root, name in ResourceProvider.objects.order_by("pk").values_list(
            "uuid", "parent_id", "root_id", "name"
        )
    }
    parents = {uuid: parent for uuid, (parent, *_) in rows.items()}
    tops: dict[str, str | None] = {}
    for uuid, (parent, root, name) in rows.items():
        if parent is not None and parent not in rows:
            yield _red("no_parent", uuid, f"its parent {parent} is not there", name=name, fix="give it another parent")
            continue
        top = _top(parents, uuid, tops)
        if top is None:
            yield _red(
                "parent_loop", uuid, "its parents lead in a circle, or nowhere", name=name, fix="move one of them"
            )
        elif root != top:
            yield Finding(
                code="wrong_root",
                subject=uuid,
                name=name,
                text=f"its root is {root or 'missing'}, its topmost parent {top}",
                colour=Colour.GREEN,
                fix=f"make {'itself' if top == uuid else top} its root",
                facts={"root": root, "top": top},
            )
    checked(len(rows))


@write_transaction
def mend_root(*, provider_uuid: str, origin: Origin) -> str:
    """Make the provider's topmost parent its root, and return it. Raises ProviderNotFound, NotMendable."""
    chain = _chain(provider_uuid, dict(ResourceProvider.objects.values_list("uuid", "parent_id")))
    locked = ResourceProvider.objects.select_for_update(no_key=True).filter(uuid__in=chain).order_by("pk")
    rows = {row.uuid: row for row in locked}
    if _chain(provider_uuid, {uuid: row.parent_id for uuid, row in rows.items()}) != chain:
        raise errors.TreeChangedUnderneath(providers=provider_uuid)
    before, after = {"root": rows[provider_uuid].root_id}, {"root": chain[-1]}
    ResourceProvider.objects.filter(uuid=provider_uuid).update(root=chain[-1], updated_at=timezone.now())
    provider_history.record(
        rows[provider_uuid], provider_history.Subject.PROVIDER, before=before, after=after, origin=origin
    )
    return chain[-1]


def _chain(uuid: str, parents: Mapping[str, str | None]) -> list[str]:
    """The provider and all above it. Raises ProviderNotFound, NotMendable."""
    chain: dict[str, None] = {}
    at: str | None = uuid
    while at is not None:
        if at in chain:
            raise NotMendable(text=f"The parents of {uuid} lead in a circle.")
        if at not in parents:
            raise errors.ProviderNotFound(provider=at)
        chain[at] = None
        at = parents[at]
    return list(chain)


def _top(parents: Mapping[str, str | None], uuid: str, tops: dict[str, str | None]) -> str | None:
    """The topmost parent; None if there is no end to them. ``tops`` remembers what was found before."""
    way: list[str] = []
    seen: set[str] = set()
    at: str | None = uuid
    top: str | None = None
    while at is not None and at in parents and at not in seen:
        if at in tops:
            top = tops[at]
            break
        way.append(at)
        seen.add(at)
        if parents[at] is None:
            top = at
            break
        at = parents[at]
    tops.update(dict.fromkeys(way, top))
    return top


# --- names and times ------------------------------------------------------------------------------------------------
def unknown_names(*, checked: Checked = unwatched) -> Iterator[Finding]:
    """Rows that name a class or a trait that the vocabulary doesn't have."""
    for model, vocabulary, column in (
        (Inventory, ResourceClass, "resource_class_id"),
        (Allocation, ResourceClass, "resource_class_id"),
        (ProviderTrait, Trait, "trait_id"),
    ):
        known: Any = vocabulary.objects.filter(name=OuterRef(column))
        for row in _found(_with_providers(model.objects.filter(~Exists(known))), checked):
            yield _red(
                "unknown_class" if vocabulary is ResourceClass else "unknown_trait",
                getattr(row, column),
                f"{model._meta.verbose_name} {row.pk} of {_provider(row)} names it, the vocabulary does not",
                fix="create the name, or remove the row",
                facts=_of_provider(row),
            )


def wrong_times(*, checked: Checked = unwatched) -> Iterator[Finding]:
    """Times that were not yet, or changes before the beginning: ages and orders made of them mislead."""
    now = timezone.now() + timedelta(minutes=5)
    wrong = Q(created_at__gt=now) | Q(updated_at__gt=now) | Q(updated_at__lt=F("created_at"))
    for model in (ResourceProvider, Consumer, Inventory, Allocation):
        rows: QuerySet[Any] = model.objects.filter(wrong)
        is_of_provider = model in {Inventory, Allocation}
        for row in _found(_with_providers(rows) if is_of_provider else rows, checked):
            made, changed = (f"{moment:%Y-%m-%d %H:%M:%S}" for moment in (row.created_at, row.updated_at))
            what = f"{model._meta.verbose_name} of {_provider(row)}" if is_of_provider else model._meta.verbose_name
            yield _red(
                "wrong_time",
                row.consumer_id if model is Allocation else row.provider_uuid if is_of_provider else row.uuid,
                f"{what} made {made}, changed {changed}",
                fix="correct it by hand, once it is known what clock wrote it",
                facts=_of_provider(row) if is_of_provider else {},
            )


def all_findings(*, checked: Checked = unwatched) -> Iterator[Finding]:
    """Every invariant of the tables, each with what breaks it."""
    finders: tuple[Callable[..., Iterator[Finding]], ...] = (
        consumers_without_allocations,
        allocations_without_consumer,
        wrong_amounts,
        wrong_trees,
        unknown_names,
        wrong_times,
    )
    for find in finders:
        yield from find(checked=checked)


def put_right(*, finding: Finding, origin: Origin) -> str:
    """Mend what ``all_findings`` calls green. Raises ChangedMeanwhile, ProviderNotFound, NotMendable."""
    match finding.code:
        case "consumer_without_allocations":
            delete_consumer(consumer_uuid=finding.subject, generation=finding.facts["generation"], origin=origin)
            return "deleted"
        case "used_differs":
            corrected = recount(provider_uuid=finding.subject, origin=origin)
            if finding.facts["resource_class"] not in corrected:
                return "right by now"
            return f"now {corrected[finding.facts['resource_class']]}"
        case "wrong_root":
            return f"root is {mend_root(provider_uuid=finding.subject, origin=origin)}"
    raise NotMendable(text=f"{finding.code} is put right by hand only.")


def _found(rows: QuerySet[Any], checked: Checked) -> Iterator[Any]:
    """Rows that a query has already found to be wrong: few."""
    for part in chunks(rows, checked=checked):
        yield from part


def _red(code: str, subject: str, text: str, *, name: str = "", **more: Any) -> Finding:
    return Finding(code=code, subject=subject, name=name or subject, text=text, colour=Colour.RED, **more)
