"""The whole job, from the requests to the verdict."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

from claimsite.replay import invariants, room, summary, survey
from claimsite.replay.claims import Manner, Outcome
from claimsite.replay.client import Placement
from claimsite.replay.crowd import replay
from claimsite.replay.invariants import Invariant
from claimsite.replay.trace import Request


@dataclasses.dataclass(frozen=True, slots=True)
class Watcher:
    """Whom to tell how far it is."""

    phase: Callable[[str, int], None] = lambda name, steps: None
    """A new phase begins: what is done in it, and how many steps it has (0: not known)."""
    ended: Callable[[Outcome], None] = lambda outcome: None
    """A request has come to its end: a step of the phase "Claiming"."""
    step: Callable[[], None] = lambda: None
    """A step of another phase. May be called by several threads at once."""


@dataclasses.dataclass(frozen=True, slots=True)
class Job:
    """Who replays what, and how.

    ``everyone`` names all consumers of the trace, also those beyond the limit: what an earlier, longer replay left
    claimed for them is released first, so every replay of a trace begins with the same machines.
    """

    placement: Placement
    requests: Sequence[Request]
    everyone: Sequence[str]
    clients: int
    manner: Manner = dataclasses.field(default_factory=Manner)

    def run(self, watcher: Watcher, *, further_checks: Callable[[], list[Invariant]] = list) -> dict[str, Any]:
        """The summary (see ``summary.summary``). Raises client.Unreachable when the service is gone."""
        watcher.phase("Releasing what an earlier replay left", 0)
        released = survey.release_earlier(self.placement, self.everyone, clients=self.clients)
        manner = dataclasses.replace(self.manner, models=frozenset(survey.gpu_traits(self.placement)))
        watcher.phase("Claiming", len(self.requests))
        done = replay(self.placement, self.requests, clients=self.clients, manner=manner, ended=watcher.ended)
        machines = survey.providers(self.placement)
        watcher.phase("Checking the books of every machine", len(machines))
        classes = {name for request in self.requests for name in request.resources}
        books = survey.books(self.placement, machines, classes=classes, clients=self.clients, step=watcher.step)
        shortages = room.shortages(books, done.outcomes)
        checked = invariants.check(
            books,
            done.outcomes,
            consumer_count=survey.consumer_count(self.placement),
            shortages=shortages,
        )
        return {
            "url": self.placement.url,
            "machines": len(books),
            "requests": len(self.requests),
            "of": len(self.everyone),
            "clients": self.clients,
            "released_earlier": released,
            **summary.summary(done, books, shortages, [*checked, *further_checks()]),
        }
