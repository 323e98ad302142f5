"""Why there was no room for a request: the state of every machine at that moment, from what had been acknowledged.

Nothing is released during a replay, so the past can be told from the books at its end and the times of the claims.
Pure: no question is asked of the service.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from claimsite.machines import names
from claimsite.replay.claims import End, Outcome
from claimsite.replay.survey import Books
from claimsite.replay.trace import Request

Free = dict[str, dict[str, float]]
"""Provider → resource class → how much is free."""


@dataclasses.dataclass(frozen=True, slots=True)
class Shortage:
    """Why one request found no machine."""

    lacking: tuple[str, ...]
    """The classes of which no machine had enough; none: all were there, but on no machine together."""
    machine: str = ""
    """A machine that had room all the same. Then the service was wrong."""


def shortages(books: Sequence[Books], outcomes: Sequence[Outcome]) -> dict[str, Shortage]:
    """Consumer → why, for each request that ended without a candidate.

    A claim counts as made from its search on, although it was acknowledged later: a service that said "no room" while
    that claim was underway was right.
    """
    claims = sorted((o for o in outcomes if o.end is End.CLAIMED), key=lambda outcome: outcome.searched_at)
    refusals = sorted((o for o in outcomes if o.end is End.NO_ROOM), key=lambda outcome: outcome.ended_at)
    free = _free_before(books, claims)
    found: dict[str, Shortage] = {}
    made = 0
    for refusal in refusals:
        while made < len(claims) and claims[made].searched_at <= refusal.ended_at:
            _take(free, claims[made])
            made += 1
        found[refusal.request.consumer] = _shortage(refusal.request, books, free)
    return found


def _free_before(books: Sequence[Books], claims: Sequence[Outcome]) -> Free:
    """What was free when the replay began: what is free now, and what it has taken since."""
    free = {
        book.uuid: {name: stock.capacity - book.usages.get(name, 0) for name, stock in book.stocks.items()}
        for book in books
    }
    for claim in claims:
        _take(free, claim, times=-1)
    return free


def _take(free: Free, claim: Outcome, times: int = 1) -> None:
    for provider, resources in claim.claims.items():
        for name, amount in resources.items():
            free[provider][name] -= times * amount


def _shortage(request: Request, books: Sequence[Books], free: Free) -> Shortage:
    suitable = [book for book in books if _has_any_of(book, request.any_of)]
    for book in suitable:
        if all(_fits(book, free, name, amount) for name, amount in request.resources.items()):
            return Shortage(lacking=(), machine=book.name)
    return Shortage(
        lacking=tuple(
            name
            for name, amount in request.resources.items()
            if not any(_fits(book, free, name, amount) for book in suitable)
        )
    )


def _fits(book: Books, free: Mapping[str, Mapping[str, float]], name: str, amount: int) -> bool:
    stock = book.stocks.get(name)
    return stock is not None and stock.allows(amount) and amount <= free[book.uuid][name]


def _has_any_of(book: Books, traits: Sequence[str]) -> bool:
    return not traits or f"{names.GPU_MODEL}{book.gpu_model}" in traits
