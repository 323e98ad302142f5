"""Sequences of requests, each from a number: the same number gives the same sequence."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tests.sidebyside import clouds, hostile, searches, writes
from tests.sidebyside.cast import Dice
from tests.sidebyside.exchange import Request


def of_searches(dice: Dice) -> Iterator[Request]:
    """One odd cloud and many searches in it."""
    yield from clouds.build(dice)
    for _ in range(40):
        yield searches.candidates(dice) if dice.chance(0.8) else searches.providers(dice)


def of_claims(dice: Dice) -> Iterator[Request]:
    """Few providers and consumers, and claims that get in each other's way."""
    yield from clouds.build(dice, least=3, most=4)
    for _ in range(40):
        yield writes.one_of(writes.CLAIMS, dice)


def of_everything(dice: Dice) -> Iterator[Request]:
    yield from clouds.build(dice, least=3, most=4)
    for _ in range(40):
        yield writes.one_of(writes.EVERYTHING, dice)


def of_faults(dice: Dice) -> Iterator[Request]:
    """Every request spoilt, and now and then a sensible one to see what is left."""
    yield from clouds.build(dice, most=3)
    for _ in range(40):
        request = searches.candidates(dice) if dice.chance(0.3) else writes.one_of(writes.EVERYTHING, dice)
        yield hostile.spoil(request, dice) if dice.chance(0.85) else request


KINDS: dict[str, Callable[[Dice], Iterator[Request]]] = {
    "searches": of_searches,
    "claims": of_claims,
    "everything": of_everything,
    "faults": of_faults,
}


def sequence(kind: str, number: int) -> list[Request]:
    return list(KINDS[kind](Dice(f"{kind} {number}")))
