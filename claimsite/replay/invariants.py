"""What must hold after a replay, whoever raced whom. Pure: compares what was acknowledged with the service's books."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from claimsite.replay.claims import Claims, End, Outcome
from claimsite.replay.room import Shortage
from claimsite.replay.survey import Books


@dataclasses.dataclass(frozen=True, slots=True)
class Invariant:
    """One promise, how much it was checked on, and where it is broken."""

    name: str
    promise: str
    checked: int
    broken: list[str]

    @property
    def holds(self) -> bool:
        return not self.broken


def check(
    books: Sequence[Books],
    outcomes: Sequence[Outcome],
    *,
    consumer_count: int,
    shortages: Mapping[str, Shortage],
) -> list[Invariant]:
    """``consumer_count``: how many consumers the service counts for the replay's project; ``shortages``: why requests
    for which there was no candidate got none (``room.shortages``)."""
    acknowledged = {outcome.request.consumer: outcome.claims for outcome in outcomes if outcome.end is End.CLAIMED}
    refused = {outcome.request.consumer for outcome in outcomes if outcome.end is not End.CLAIMED}
    stored = _stored(books)
    return [
        _nothing_over_capacity(books),
        _usages_are_sums(books),
        _acknowledged_is_stored(acknowledged, stored),
        _refused_left_nothing(refused, stored),
        _consumers_are_counted(acknowledged, consumer_count),
        _no_room_is_true(shortages),
        _every_answer_was_foreseen(outcomes),
    ]


def _nothing_over_capacity(books: Sequence[Books]) -> Invariant:
    counts = [(book, name, used, _capacity(book, name)) for book in books for name, used in book.usages.items()]
    return Invariant(
        name="capacity",
        promise="no machine has given more than it has",
        checked=len(counts),
        broken=[
            f"{book.name}: {used} {name} used of {capacity:g}"
            for book, name, used, capacity in counts
            if used > capacity
        ],
    )


def _usages_are_sums(books: Sequence[Books]) -> Invariant:
    broken = []
    for book in books:
        sums: Counter[str] = Counter()
        for resources in book.consumers.values():
            sums.update(resources)
        broken += [
            f"{book.name}: {book.usages.get(name, 0)} {name} used, but its allocations sum up to {sums[name]}"
            for name in sorted(sums.keys() | book.usages.keys())
            if sums[name] != book.usages.get(name, 0)
        ]
    return Invariant(
        name="usages",
        promise="every machine's usage is the sum of its allocations",
        checked=len(books),
        broken=broken,
    )


def _acknowledged_is_stored(acknowledged: dict[str, Claims], stored: dict[str, Claims]) -> Invariant:
    return Invariant(
        name="acknowledged",
        promise="every acknowledged claim is held, whole and once",
        checked=len(acknowledged),
        broken=[
            f"{consumer}: acknowledged {claims}, held {stored.get(consumer, {})}"
            for consumer, claims in acknowledged.items()
            if stored.get(consumer, {}) != claims
        ],
    )


def _refused_left_nothing(refused: set[str], stored: dict[str, Claims]) -> Invariant:
    return Invariant(
        name="refused",
        promise="no refused request holds anything",
        checked=len(refused),
        broken=[f"{consumer}: refused, but holds {stored[consumer]}" for consumer in sorted(refused & stored.keys())],
    )


def _consumers_are_counted(acknowledged: dict[str, Claims], count: int) -> Invariant:
    right = count == len(acknowledged)
    return Invariant(
        name="consumers",
        promise="the service counts as many consumers as were acknowledged",
        checked=count,
        broken=[] if right else [f"{count} consumers counted, {len(acknowledged)} acknowledged"],
    )


def _no_room_is_true(shortages: Mapping[str, Shortage]) -> Invariant:
    return Invariant(
        name="searches",
        promise="no request was told that there is no room while a machine had room",
        checked=len(shortages),
        broken=[
            f"{consumer}: no candidate, though {shortage.machine} had room"
            for consumer, shortage in shortages.items()
            if shortage.machine
        ],
    )


def _every_answer_was_foreseen(outcomes: Sequence[Outcome]) -> Invariant:
    return Invariant(
        name="answers",
        promise="every answer was one that the protocol foresees",
        checked=len(outcomes),
        broken=[f"{outcome.request.name}: {outcome.trouble}" for outcome in outcomes if outcome.end is End.FAILED],
    )


def _capacity(book: Books, resource_class: str) -> float:
    stock = book.stocks.get(resource_class)
    return stock.capacity if stock else 0


def _stored(books: Iterable[Books]) -> dict[str, Claims]:
    stored: dict[str, Claims] = {}
    for book in books:
        for consumer, resources in book.consumers.items():
            stored.setdefault(consumer, {})[book.uuid] = resources
    return stored
