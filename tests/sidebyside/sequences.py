"""Sequences of requests, each from a number: the same number gives the same sequence."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tests.sidebyside import clouds, hostile, routes, searches, writes
from tests.sidebyside.cast import Dice
from tests.sidebyside.exchange import Request


def of_searches(dice: Dice, number: int) -> Iterator[Request]:
    """One odd cloud and many searches in it."""
    yield from clouds.build(dice)
    for _ in range(40):
        yield searches.candidates(dice) if dice.chance(0.8) else searches.providers(dice)


def of_claims(dice: Dice, number: int) -> Iterator[Request]:
    """Few providers and consumers, and claims that get in each other's way."""
    yield from clouds.build(dice, least=4, most=4, classes=3)
    for _ in range(40):
        yield writes.one_of(writes.CLAIMS, dice)


def of_everything(dice: Dice, number: int) -> Iterator[Request]:
    yield from clouds.build(dice, least=4, most=4, classes=3)
    for _ in range(40):
        yield writes.one_of(writes.EVERYTHING, dice)


def of_changes(dice: Dice, number: int) -> Iterator[Request]:
    """Few searches, asked again and again while all that they look at changes."""
    yield from clouds.build(dice, least=4, most=6, classes=2)
    asked = [searches.candidates(dice) for _ in range(6)]
    for _ in range(40):
        yield dice.choice(asked) if dice.chance(0.5) else writes.one_of(writes.EVERYTHING, dice)


def of_faults(dice: Dice, number: int) -> Iterator[Request]:
    """Every request spoilt, and now and then a sensible one to see what is left."""
    yield from clouds.build(dice, least=3, most=3, classes=2)
    for _ in range(40):
        request = searches.candidates(dice) if dice.chance(0.3) else writes.one_of(writes.EVERYTHING, dice)
        yield hostile.spoil(request, dice) if dice.chance(0.85) else request


def of_versions(dice: Dice, number: int) -> Iterator[Request]:
    """Every route with every method at one version; 41 numbers are all there are."""
    yield from clouds.build(dice, least=2, most=2)
    yield from routes.at_version(number)


def of_callers(dice: Dice, number: int) -> Iterator[Request]:
    """Every route with every method by one caller; 12 numbers are all there are."""
    yield from clouds.build(dice, least=2, most=2)
    yield from routes.by_caller(number)


KINDS: dict[str, Callable[[Dice, int], Iterator[Request]]] = {
    "searches": of_searches,
    "claims": of_claims,
    "everything": of_everything,
    "changes": of_changes,
    "faults": of_faults,
    "versions": of_versions,
    "callers": of_callers,
}


def sequence(kind: str, number: int) -> list[Request]:
    return list(KINDS[kind](Dice(f"{kind} {number}"), number))
