"""Claims: taken, changed and given up, in one durable transaction each, whatever fails and whoever else is at it.

Nothing is created outside that transaction, so a refused claim leaves nothing behind: no consumer (LP #1779725), no
generation moved. Rows are locked before they are read (see ``placement_app.locks``), so concurrent claims on one
provider queue up instead of refusing each other (LP #1719933), and the capacity check sees what is there.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterable, Mapping, Sequence

from claimsite.foundation.origin import Origin
from claimsite.foundation.statements import Batch
from claimsite.foundation.transactions import needs_transaction, write_transaction
from placement_app import errors, locks
from placement_app.claims import ANY, Claim, Expected
from placement_app.locks import LockedProvider
from placement_app.models import Consumer, ResourceClass
from placement_app.services import capacity, ledger, reading
from placement_app.services.capacity import Stock, StockKey
from placement_app.services.conflict_log import records_conflicts
from placement_app.services.ledger import Holdings
from placement_app.services.reading import ShownAllocation, ShownConsumer


@records_conflicts("allocations.replace")
@write_transaction
def replace(*, claims: Sequence[Claim], origin: Origin) -> None:
    """From now on each claim's consumer holds what its claim says, and nothing else: all claims, or none.

    Raises ConsumerGenerationConflict, UnknownProviderInBody, UnknownClassInAllocation, InventoryMissing, UnitsViolated,
    CapacityExceeded.
    """
    write(lock(claims), claims, origin=origin)


@records_conflicts("allocations.release")
@write_transaction
def release(*, consumer_uuid: str, origin: Origin, expected: Expected = ANY) -> None:
    """Give up all that the consumer holds; the consumer goes with it. The providers' generations stay.

    Raises AllocationsNotFound; ConsumerGenerationConflict if the consumer is not at the ``expected`` generation.
    """
    give_up(consumer_uuid=consumer_uuid, origin=origin, expected=expected)


def of_consumer(*, consumer_uuid: str) -> tuple[ShownConsumer | None, list[ShownAllocation]]:
    """The consumer and its allocations; None and nothing if it holds nothing."""
    return reading.allocations_of_consumer(consumer_uuid)


def of_provider(*, provider_uuid: str) -> tuple[int, list[ShownAllocation]]:
    """The provider's generation and what is claimed of it. Raises ProviderNotFound."""
    return reading.allocations_of_provider(provider_uuid)


# --- beneath the verbs ----------------------------------------------------------------------------------------------
@dataclasses.dataclass(slots=True)
class Locked:
    """Everything that a set of claims is about, locked in order and read under the locks."""

    consumers: dict[str, Consumer]
    """Those that exist by now, the new ones included."""
    newcomers: set[str]
    """Those that this transaction has made."""
    held: dict[str, Holdings]
    """What the consumers held before."""
    providers: dict[str, LockedProvider]
    """The providers of the claims, of what was held before, and any others that the caller asked for."""


@needs_transaction
def lock(claims: Sequence[Claim], *, also_providers: Collection[str] = ()) -> Locked:
    """Lock, make the consumers that are new, and check the consumers' generations.

    Raises ConsumerGenerationConflict.
    """
    fresh = {
        claim.consumer_uuid: _new_consumer(claim) for claim in claims if claim.resources and claim.expected is None
    }
    newcomers = locks.insert_consumers(fresh.values())
    others = [claim.consumer_uuid for claim in claims if claim.consumer_uuid not in newcomers]
    consumers = locks.consumers(others)
    for claim in claims:
        if claim.consumer_uuid not in newcomers:
            check_generation(claim.consumer_uuid, consumers.get(claim.consumer_uuid), claim.expected)
    # Writers that check nothing learn only now whether their consumer is there.
    missing = [claim for claim in claims if claim.resources and claim.consumer_uuid not in consumers.keys() | newcomers]
    fresh |= {claim.consumer_uuid: _new_consumer(claim) for claim in missing}
    late = locks.insert_consumers(fresh[claim.consumer_uuid] for claim in missing)
    if len(late) < len(missing):
        raise errors.ConsumerCreatedMeanwhile(consumer=", ".join(claim.consumer_uuid for claim in missing))
    newcomers |= late
    consumers |= {uuid: fresh[uuid] for uuid in newcomers}
    held = ledger.holdings(consumers.keys() - newcomers)
    touched = {provider for claim in claims for provider in claim.resources}
    touched.update(provider for holdings in held.values() for provider in holdings)
    return Locked(consumers, newcomers, held, locks.providers(touched.union(also_providers)))


@needs_transaction
def write(locked: Locked, claims: Sequence[Claim], *, origin: Origin) -> None:
    """Write the claims. Stocks are read here, so that a caller may change inventories after ``lock``.

    Raises UnknownProviderInBody, UnknownClassInAllocation, InventoryMissing, UnitsViolated, CapacityExceeded.
    """
    for claim in claims:
        for provider in claim.resources:
            if provider not in locked.providers:
                raise errors.UnknownProviderInBody(provider=provider)
    wanted = [
        ((provider, resource_class), amount)
        for claim in claims
        for provider, amounts in claim.resources.items()
        for resource_class, amount in amounts.items()
    ]
    held = [locked.held[claim.consumer_uuid] for claim in claims if claim.consumer_uuid in locked.held]
    released = _released(held)
    stocks = ledger.stocks(locked.providers.values(), {key[1] for key, _ in wanted} | {key[1] for key in released})
    _check_inventories_exist(stocks, claims)
    used = capacity.check(stocks, wanted=wanted, released=released)
    batch = Batch()
    if old := [claim.consumer_uuid for claim in claims if claim.consumer_uuid in locked.held]:
        ledger.delete_allocations(batch, old)
    if wanted:
        rows = [
            (claim.consumer_uuid, locked.providers[provider].id, resource_class, amount)
            for claim in claims
            for provider, amounts in claim.resources.items()
            for resource_class, amount in amounts.items()
        ]
        ledger.insert_allocations(batch, rows)
    if used:
        ledger.set_used(batch, {stocks[key].inventory_id: amount for key, amount in used.items()})
    _write_consumers(batch, locked, claims)
    changes = [
        (locked.consumers[claim.consumer_uuid], locked.held.get(claim.consumer_uuid, {}), claim.resources)
        for claim in claims
        if claim.consumer_uuid in locked.consumers
    ]
    ledger.insert_events(batch, changes, origin)
    moved = _providers_whose_generation_moves(locked, claims)
    if others := [provider.uuid for provider in locked.providers.values() if provider not in moved]:
        ledger.stamp(batch, others)
    if moved:
        ledger.raise_generations(moved, after=batch)
    batch.send()


@needs_transaction
def give_up(*, consumer_uuid: str, origin: Origin, expected: Expected = ANY) -> None:
    """What ``release`` does. Raises AllocationsNotFound, ConsumerGenerationConflict."""
    consumer, held, left = ledger.lock_holder(consumer_uuid)
    if consumer is None:
        raise errors.AllocationsNotFound(consumer=consumer_uuid)
    check_generation(consumer_uuid, consumer, expected)
    if not held:
        raise errors.AllocationsNotFound(consumer=consumer_uuid)
    batch = Batch()
    ledger.delete_allocations(batch, [consumer_uuid])
    ledger.set_used(batch, left)
    ledger.stamp(batch, held)
    ledger.delete_consumers(batch, [consumer_uuid])
    ledger.insert_events(batch, [(consumer, held, {})], origin)
    batch.send()


def check_generation(consumer_uuid: str, consumer: Consumer | None, expected: Expected) -> None:
    """Raises ConsumerGenerationConflict unless the consumer is what the writer believes it to be."""
    actual = None if consumer is None else consumer.generation
    if expected is not ANY and expected != actual:
        raise errors.ConsumerGenerationConflict(consumer=consumer_uuid, expected=actual, given=expected)


def _new_consumer(claim: Claim) -> Consumer:
    return Consumer(
        uuid=claim.consumer_uuid,
        generation=1,
        project_id=claim.owner.project_id,
        user_id=claim.owner.user_id,
        consumer_type=claim.consumer_type,
    )


def _write_consumers(batch: Batch, locked: Locked, claims: Sequence[Claim]) -> None:
    gone = [claim.consumer_uuid for claim in claims if not claim.resources and claim.consumer_uuid in locked.consumers]
    if gone:
        ledger.delete_consumers(batch, gone)
    for claim in claims:
        if not claim.resources or claim.consumer_uuid in locked.newcomers:
            continue
        consumer = locked.consumers[claim.consumer_uuid]
        consumer.generation += 1
        consumer.project_id = claim.owner.project_id
        consumer.user_id = claim.owner.user_id
        if claim.consumer_type is not None:
            consumer.consumer_type = claim.consumer_type
        ledger.update_consumer(batch, consumer)


def _providers_whose_generation_moves(locked: Locked, claims: Sequence[Claim]) -> list[LockedProvider]:
    """Those named by a claim, and those of a consumer that gives up everything; not those that only lose some."""
    names: set[str] = set()
    for claim in claims:
        names.update(claim.resources or locked.held.get(claim.consumer_uuid, {}))
    return [provider for uuid, provider in locked.providers.items() if uuid in names]


def _check_inventories_exist(stocks: Mapping[StockKey, Stock], claims: Sequence[Claim]) -> None:
    missing = [
        (claim.consumer_uuid, provider, resource_class)
        for claim in claims
        for provider, amounts in claim.resources.items()
        for resource_class in amounts
        if (provider, resource_class) not in stocks
    ]
    if not missing:
        return
    known = set(
        ResourceClass.objects.filter(name__in={resource_class for *_, resource_class in missing}).values_list(
            "name", flat=True
        )
    )
    for consumer, _, resource_class in missing:
        if resource_class not in known:
            raise errors.UnknownClassInAllocation(consumer=consumer, resource_class=resource_class)
    consumer, provider, resource_class = missing[0]
    raise errors.InventoryMissing(consumer=consumer, provider=provider, resource_class=resource_class)


def _released(held: Iterable[Holdings]) -> dict[StockKey, int]:
    released: dict[StockKey, int] = {}
    for holdings in held:
        for provider, amounts in holdings.items():
            for resource_class, amount in amounts.items():
                key = (provider, resource_class)
                released[key] = released.get(key, 0) + amount
    return released
