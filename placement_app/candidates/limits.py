"""How many candidates, from which anchors first, and what to do when there are too many."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from django.conf import settings

from placement_app.candidates.result import Candidate

BREADTH_FIRST = "breadth-first"
FIRST_BATCH = 24
LARGEST_BATCH = 5_000


@dataclass(frozen=True, slots=True)
class Bounds:
    """What keeps one search from being too much for the server, and its answer for the client."""

    limit: int | None = None
    """How many the client wants."""
    most: int | None = None
    """How many one search may make, whatever the client wants; None for no bound.

    A search that meets it ends there, with what it has, and says so (`Result.is_complete`).
    """
    breadth_first: bool = True
    """One candidate of each anchor in turn, so that a short answer names many hosts; else one anchor after another."""
    sample: random.Random | None = None
    """Where to draw from for a random choice of `limit` candidates; None takes the first."""

    @classmethod
    def of_site(cls, limit: int | None) -> Bounds:
        """What the settings of the site say, for a client that wants ``limit``."""
        return cls(
            limit=limit,
            most=settings.MAX_ALLOCATION_CANDIDATES if settings.MAX_ALLOCATION_CANDIDATES > 0 else None,
            breadth_first=settings.ALLOCATION_CANDIDATES_STRATEGY == BREADTH_FIRST,
            sample=random.SystemRandom() if settings.RANDOMIZE_ALLOCATION_CANDIDATES else None,
        )

    def batches(self, streams: Iterator[Iterator[Candidate]]) -> Iterator[Iterator[Candidate]]:
        """The candidates of some streams after those of others: of few at first, which is enough for a short answer."""
        size = LARGEST_BATCH if self.takes_all else FIRST_BATCH
        for first in streams:
            batch = itertools.chain([first], itertools.islice(streams, size - 1))
            yield round_robin(batch) if self.breadth_first else itertools.chain.from_iterable(batch)
            size = min(2 * size, LARGEST_BATCH)

    @property
    def takes_all(self) -> bool:
        """Whether every candidate has to be made, whatever the answer shows."""
        return self.limit is None or self.sample is not None


def round_robin(streams: Iterable[Iterator[Candidate]]) -> Iterator[Candidate]:
    """One of each stream, then the second of each, and so on."""
    running = iter(streams)
    while True:
        again = []
        for stream in running:
            candidate = next(stream, None)
            if candidate is not None:
                again.append(stream)
                yield candidate
        if not again:
            return
        running = iter(again)


class Gathering:
    """Candidates as they come, until there are enough."""

    def __init__(self, bounds: Bounds) -> None:
        self.bounds = bounds
        self.kept: list[Candidate] = []
        self.seen = 0

    @property
    def is_at_its_most(self) -> bool:
        return self.bounds.most is not None and self.seen >= self.bounds.most

    @property
    def has_what_was_asked_for(self) -> bool:
        return self.bounds.sample is None and self.bounds.limit is not None and self.seen >= self.bounds.limit

    @property
    def is_full(self) -> bool:
        """Whether any more candidates would be made for nothing."""
        return self.is_at_its_most or self.has_what_was_asked_for

    @property
    def is_cut_short(self) -> bool:
        return self.is_at_its_most and not self.has_what_was_asked_for

    def take(self, candidates: Iterator[Candidate]) -> None:
        """Keep of these what is wanted, and make no more of them than that."""
        if self.bounds.sample is None:
            bounds = [bound - self.seen for bound in (self.bounds.limit, self.bounds.most) if bound is not None]
            taken = list(itertools.islice(candidates, min(bounds, default=None)))
            self.kept += taken
            self.seen += len(taken)
            return
        most = self.bounds.most
        for candidate in itertools.islice(candidates, None if most is None else most - self.seen):
            self._draw(candidate, self.bounds.sample)

    def _draw(self, candidate: Candidate, source: random.Random) -> None:
        self.seen += 1
        limit = self.bounds.limit
        if limit is None or len(self.kept) < limit:
            self.kept.append(candidate)
            return
        # Each of those seen so far is among the kept with equal chance, and only the kept take room.
        place = source.randrange(self.seen)
        if place < limit:
            self.kept[place] = candidate
