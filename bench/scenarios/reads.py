"""S9: what agents read all day."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable, Iterator, Sequence

from bench.clouds import SGX, uuid_of
from bench.measuring import Scenario, Wrong
from bench.scenarios.claims import AMOUNTS, put
from bench.scenarios.searches import HOST
from bench.sides import Side
from bench.wire import Request

CLAIMS = 64
WARMING_UP = 6


class Read(Scenario):
    key, goal = "S9", 4.0
    clients = 4
    seconds = 1.5

    def __init__(self, title: str, path: str) -> None:
        """``path`` with ``{provider}`` or ``{consumer}`` for one of many."""
        self.title = f"GET {title}"
        self.path = path
        self.providers = [uuid_of(f"host-{index}") for index in range(1000)]

    def prepare(self, side: Side) -> None:
        if "{consumer}" in self.path and not side.held:
            side.held = [self._claim(side, provider) for provider in self.providers[:CLAIMS]]
        # The first request of a kind is dearer than all others.
        for request in itertools.islice(self._plan(side.held, random.Random(0)), WARMING_UP):
            side.ask(request)

    def plans(self, side: Side, chance: random.Random) -> Sequence[Iterable[Request]]:
        return [self._plan(side.held, random.Random(chance.random())) for _ in range(self.clients)]

    def _plan(self, consumers: Sequence[str], chance: random.Random) -> Iterator[Request]:
        while True:
            consumer = chance.choice(consumers) if consumers else ""
            yield Request("GET", self.path.format(provider=chance.choice(self.providers), consumer=consumer))

    def _claim(self, side: Side, provider: str) -> str:
        request = put({provider: AMOUNTS}, project=uuid_of("reads"))
        if side.ask(request).status != 204:
            raise Wrong("The claims to read could not be made.")
        return str(request.tag)


def reads() -> list[Read]:
    return [
        Read("a provider", "/resource_providers/{provider}"),
        Read("inventories", "/resource_providers/{provider}/inventories"),
        Read("usages", "/resource_providers/{provider}/usages"),
        Read("allocations of a consumer", "/allocations/{consumer}"),
        Read("providers with resources (1,000 rows)", f"/resource_providers?{HOST}"),
        Read("providers with a trait (10 rows)", f"/resource_providers?required={SGX}"),
    ]
