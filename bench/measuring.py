"""Rounds: peer and site in turn, each under the same load, with what it cost and whether it was right."""

from __future__ import annotations

import dataclasses
import random
import statistics
import time
from collections import Counter
from collections.abc import Iterable, Sequence

from bench import processes
from bench.clients import Load, run
from bench.sides import Side, refusals
from bench.wire import Request


class Wrong(Exception):
    """A side gave a wrong answer, or its books don't agree with what it acknowledged."""


class Scenario:
    """One row of the table."""

    key: str
    title: str
    goal: float
    """Requests per second, site : peer."""
    p95_goal: float | None = None
    """The 95th percentile of the latencies, peer : site."""
    clients = 8
    seconds = 2.0
    patience = 25.0
    """Seconds after which no further round is begun, for what takes a peer too long to be asked again and again."""
    least_rounds = 2
    most_rounds_of_peer = 1000
    good: frozenset[int] = frozenset({200, 204})
    tolerated: frozenset[int] = frozenset()
    """Statuses that are counted and shown, but are no fault."""

    def prepare(self, side: Side) -> None:
        """Before each round, not measured."""

    def plans(self, side: Side, chance: random.Random) -> Sequence[Iterable[Request]]:
        """What each client sends. Paths don't have the side's prefix."""
        raise NotImplementedError

    def check(self, side: Side, load: Load) -> None:
        """After each round, not measured. Raises Wrong."""


@dataclasses.dataclass(slots=True)
class Round:
    per_second: float
    """Only requests with a good answer count."""
    milliseconds: list[float]
    server_cpu: float
    """Milliseconds a request."""
    database_cpu: float
    others: float
    """Cores that anybody else used meanwhile, the clients included."""
    statuses: Counter[int]
    fault: str = ""


@dataclasses.dataclass(slots=True)
class Row:
    """A scenario's rounds; those at the same place of both lists were measured one right after the other."""

    key: str
    title: str
    goal: float
    p95_goal: float | None = None
    peer: list[Round] = dataclasses.field(default_factory=list)
    site: list[Round] = dataclasses.field(default_factory=list)

    @property
    def ratios(self) -> list[float]:
        return [
            site.per_second / peer.per_second
            for peer, site in zip(self.peer, self.site, strict=False)
            if peer.per_second
        ]

    @property
    def reached(self) -> float:
        """What part of the goal; of two, of the one that is further away."""
        parts = [statistics.median(self.ratios) / self.goal]
        if self.p95_goal is not None:
            parts.append(percentile(self.peer, 95) / percentile(self.site, 95) / self.p95_goal)
        return min(parts)

    @property
    def cpu_ratio(self) -> float:
        """CPU of a request, peer : site."""
        peer, site = (
            statistics.median(one.server_cpu + one.database_cpu for one in rounds) for rounds in (self.peer, self.site)
        )
        return peer / site if site else 0.0


def percentile(rounds: Sequence[Round], percent: int) -> float:
    """Milliseconds, over all rounds."""
    everything = sorted(latency for one in rounds for latency in one.milliseconds)
    return everything[min(len(everything) - 1, len(everything) * percent // 100)] if everything else 0.0


def measure(scenario: Scenario, sides: Sequence[Side], *, rounds: int, seconds: float) -> Row:
    """``seconds``: factor for the scenario's own time."""
    row = Row(scenario.key, scenario.title, scenario.goal, scenario.p95_goal)
    start = time.monotonic()
    for number in range(rounds):
        if number >= scenario.least_rounds and time.monotonic() - start > scenario.patience:
            break
        # Who goes first changes, so that neither always inherits what the other leaves behind.
        for side in sides if number % 2 == 0 else reversed(sides):
            if side.name == "peer" and number >= scenario.most_rounds_of_peer:
                continue
            measured = _round(scenario, side, number, scenario.seconds * seconds)
            (row.peer if side.name == "peer" else row.site).append(measured)
    return row


def _round(scenario: Scenario, side: Side, number: int, seconds: float) -> Round:
    scenario.prepare(side)
    plans = [_with_prefix(plan, side.prefix) for plan in scenario.plans(side, random.Random(number))]
    before = side.cpu_seconds(), side.database.cpu_seconds(), processes.machine_cpu_seconds()
    load = run(side.port, side.headers, plans, seconds)
    after = side.cpu_seconds(), side.database.cpu_seconds(), processes.machine_cpu_seconds()
    server, database, machine = (end - start for start, end in zip(before, after, strict=True))
    statuses = Counter(done.status for done in load.done)
    good = sum(count for status, count in statuses.items() if status in scenario.good)
    fault = ""
    try:
        if statuses.keys() - scenario.good - scenario.tolerated:
            raise Wrong(refusals(load))
        scenario.check(side, load)
    except Wrong as wrong:
        fault = str(wrong)
    return Round(
        per_second=good / load.seconds,
        milliseconds=[done.seconds * 1000 for done in load.done],
        server_cpu=server * 1000 / len(load.done),
        database_cpu=database * 1000 / len(load.done),
        others=(machine - server - database) / load.seconds,
        statuses=statuses,
        fault=fault,
    )


def _with_prefix(plan: Iterable[Request], prefix: str) -> Iterable[Request]:
    return (dataclasses.replace(request, path=prefix + request.path) for request in plan)
