"""The statements that a claim consists of, the same text on both databases.

Claims are the hot path: what the ORM adds to each statement would be most of a claim's time. Everything here works on
rows that the caller has locked.
"""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import orjson
from django.db import DEFAULT_DB_ALIAS, connection
from django.utils import timezone

from claimsite.foundation import statements, transactions
from claimsite.foundation.origin import Origin
from claimsite.foundation.statements import Batch, marks
from claimsite.foundation.transactions import needs_transaction
from placement_app import errors, locks
from placement_app.claims import Owner
from placement_app.locks import LockedProvider
from placement_app.models import ClaimEvent, Consumer, ResourceProvider
from placement_app.services.capacity import Stock, StockKey

Holdings = dict[str, dict[str, int]]
"""Provider uuid → resource class → amount."""


def holdings(consumer_uuids: Collection[str]) -> dict[str, Holdings]:
    """What each of the consumers holds now."""
    held: dict[str, Holdings] = defaultdict(lambda: defaultdict(dict))
    if not consumer_uuids:
        return held
    rows = statements.rows(
        "SELECT a.consumer_uuid, p.uuid, a.resource_class, a.used FROM placement_app_allocation a"
        " JOIN placement_app_resourceprovider p ON p.id = a.provider_id"
        f" WHERE a.consumer_uuid IN ({marks(consumer_uuids)}) ORDER BY a.id",
        list(consumer_uuids),
    )
    for consumer, provider, resource_class, used in rows:
        held[consumer][provider][resource_class] = used
    return held


def stocks(providers: Iterable[LockedProvider], resource_classes: Collection[str]) -> dict[StockKey, Stock]:
    """The inventories of these classes on these providers."""
    by_id = {provider.id: provider.uuid for provider in providers}
    if not by_id or not resource_classes:
        return {}
    rows = statements.rows(
        "SELECT provider_id, resource_class, id, total, reserved, min_unit, max_unit, step_size, allocation_ratio,"
        f" used FROM placement_app_inventory WHERE provider_id IN ({marks(by_id)})"
        f" AND resource_class IN ({marks(resource_classes)})",
        [*by_id, *resource_classes],
    )
    return {(by_id[row[0]], row[1]): Stock(*row[2:]) for row in rows}


@needs_transaction
def lock_holder(consumer_uuid: str) -> tuple[Consumer | None, Holdings, dict[int, int]]:
    """Lock a consumer and the providers of what it holds, in one round trip.

    The consumer, what it holds, and what others use of each inventory (by its id).
    """
    batch = Batch()
    holder, values = locks.add_holder(batch, consumer_uuid)
    columns = ", ".join(f"c.{name}" for name in locks.CONSUMER_COLUMNS)
    batch.add(
        f"SELECT {columns}, p.uuid, a.resource_class, a.used, i.id, i.used FROM placement_app_consumer c"
        " LEFT JOIN placement_app_allocation a ON a.consumer_uuid = c.uuid"
        " LEFT JOIN placement_app_resourceprovider p ON p.id = a.provider_id"
        " LEFT JOIN placement_app_inventory i ON i.provider_id = a.provider_id AND i.resource_class = a.resource_class"
        f" WHERE c.uuid = {holder} ORDER BY a.id",
        values,
    )
    rows = batch.rows()
    if not rows:
        return None, {}, {}
    held: Holdings = {}
    left: dict[int, int] = {}
    for *_, provider, resource_class, amount, inventory_id, used in rows:
        if provider is not None:
            held.setdefault(provider, {})[resource_class] = amount
            left[inventory_id] = used - amount
    own = rows[0][: len(locks.CONSUMER_COLUMNS)]
    return Consumer.from_db(DEFAULT_DB_ALIAS, locks.CONSUMER_COLUMNS, own), held, left


def delete_allocations(batch: Batch, consumer_uuids: Collection[str]) -> None:
    batch.add(
        f"DELETE FROM placement_app_allocation WHERE consumer_uuid IN ({marks(consumer_uuids)})", list(consumer_uuids)
    )


def insert_allocations(batch: Batch, rows: Sequence[tuple[str, int, str, int]]) -> None:
    """``rows``: consumer uuid, provider id, resource class, amount."""
    now = _now()
    batch.add(
        "INSERT INTO placement_app_allocation"
        " (consumer_uuid, provider_id, resource_class, used, created_at, updated_at) VALUES "
        + ", ".join(["(%s, %s, %s, %s, %s, %s)"] * len(rows)),
        [value for row in rows for value in (*row, now, now)],
    )


def set_used(batch: Batch, used: Mapping[int, int]) -> None:
    """``used``: inventory id → what is used of it from now on."""
    cases = " ".join(["WHEN %s THEN CAST(%s AS bigint)"] * len(used))
    batch.add(
        f"UPDATE placement_app_inventory SET used = CASE id {cases} END WHERE id IN ({marks(used)})",
        [value for item in used.items() for value in item] + list(used),
    )


def stamp(batch: Batch, provider_uuids: Collection[str]) -> None:
    """Let searches know that ``used`` of these providers changed, where nothing else writes their rows."""
    batch.add(
        f"UPDATE placement_app_resourceprovider SET stamp = 0 WHERE uuid IN ({marks(provider_uuids)})",
        list(provider_uuids),
    )


def raise_generations(providers: Sequence[LockedProvider | ResourceProvider], *, after: Batch | None = None) -> None:
    """Each provider's generation by one, if it still is what it was when the row was locked. Sends ``after`` along.

    The lock makes that certain; the comparison stays as a guard against a path that forgot to lock.

    Raises ProviderChangedUnderneath.
    """
    batch = after or Batch()
    batch.add(
        "UPDATE placement_app_resourceprovider SET generation = generation + 1, updated_at = %s WHERE "
        + " OR ".join(["(id = %s AND generation = %s)"] * len(providers)),
        [_now()] + [value for provider in providers for value in (provider.id, provider.generation)],
    )
    if batch.send() != len(providers):
        raise errors.ProviderChangedUnderneath(provider=", ".join(provider.uuid for provider in providers))
    for provider in providers:
        provider.generation += 1


def update_consumer(batch: Batch, consumer: Consumer) -> None:
    batch.add(
        "UPDATE placement_app_consumer SET generation = %s, project_id = %s, user_id = %s, consumer_type = %s,"
        " updated_at = %s WHERE uuid = %s",
        [
            consumer.generation,
            consumer.project_id,
            consumer.user_id,
            consumer.consumer_type,
            _now(),
            consumer.uuid,
        ],
    )


def delete_consumers(batch: Batch, uuids: Collection[str]) -> None:
    batch.add(f"DELETE FROM placement_app_consumer WHERE uuid IN ({marks(uuids)})", list(uuids))


def insert_events(
    batch: Batch,
    changes: Iterable[tuple[Consumer, Mapping[str, Mapping[str, int]], Mapping[str, Mapping[str, int]]]],
    origin: Origin,
) -> None:
    """The history of a write: for each consumer what it held before and holds after, a line for each provider."""
    now, attempts = _now(), transactions.current_attempt()
    values: list[Any] = []
    for consumer, before, after in changes:
        for provider in {**before, **after}:
            old, new = before.get(provider, {}), after.get(provider, {})
            if old == new:
                continue
            event = ClaimEvent.Event.CHANGED
            if not old:
                event = ClaimEvent.Event.CLAIMED
            elif not new:
                event = ClaimEvent.Event.RELEASED
            values += [now, event.value, consumer.uuid, consumer.generation, consumer.project_id, consumer.user_id]
            values += [consumer.consumer_type, provider, orjson.dumps(old).decode(), orjson.dumps(new).decode()]
            values += [attempts, origin.door.value, origin.actor[:255], origin.request_id, origin.reason[:255]]
    if not values:
        return
    row = "(" + marks(range(15)) + ")"
    batch.add(
        "INSERT INTO placement_app_claimevent (created_at, event, consumer_uuid, consumer_generation, project_id,"
        " user_id, consumer_type, provider_uuid, before, after, attempts, door, actor, request_id, reason) VALUES "
        + ", ".join([row] * (len(values) // 15)),
        values,
    )


def insert_move(consumer: Consumer, before: Owner, origin: Origin) -> None:
    """The line of a consumer that went from one owner to another."""
    after = {"project_id": consumer.project_id, "user_id": consumer.user_id}
    _insert_event(consumer, ClaimEvent.Event.MOVED, origin, before=dataclasses.asdict(before), after=after)


def insert_end(consumer: Consumer, origin: Origin) -> None:
    """The line of a consumer that went without having held anything."""
    _insert_event(consumer, ClaimEvent.Event.RELEASED, origin)


def _insert_event(consumer: Consumer, event: ClaimEvent.Event, origin: Origin, **what: Mapping[str, Any]) -> None:
    line = ClaimEvent(
        event=event,
        consumer_uuid=consumer.uuid,
        consumer_generation=consumer.generation,
        project_id=consumer.project_id,
        user_id=consumer.user_id,
        consumer_type=consumer.consumer_type,
        attempts=transactions.current_attempt(),
        door=origin.door.value,
        actor=origin.actor[:255],
        request_id=origin.request_id,
        reason=origin.reason[:255],
        **what,
    )
    statements.insert(line)


def _now() -> Any:
    return connection.ops.adapt_datetimefield_value(timezone.now())
