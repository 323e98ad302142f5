"""N1 to N3: who owns a bare-metal node, and the lists that schedulers and people read of them."""

from __future__ import annotations

import itertools
import random
import uuid
from collections.abc import Iterable, Iterator, Sequence

import orjson

from bench import fleets
from bench.clients import Load
from bench.measuring import Scenario, Wrong
from bench.sides import Side
from bench.wire import Request

RELEASE = orjson.dumps([{"op": "remove", "path": "/instance_uuid"}])


def take(node: str) -> Request:
    """For a new instance, which is the tag."""
    instance = str(uuid.uuid4())
    body = orjson.dumps([{"op": "add", "path": "/instance_uuid", "value": instance}])
    return Request("PATCH", f"/v1/nodes/{node}", body, tag=instance)


def owner(side: Side, node: str) -> str | None:
    found: str | None = side.read(f"/v1/nodes/{node}?fields=instance_uuid")["instance_uuid"]
    return found


class OneNode(Scenario):
    """Everybody wants the same node until the time is spent; whoever gets it keeps it to the end of the round."""

    key, title, goal, p95_goal = "N1", "32 clients claim one node", 30.0, 20.0
    clients = 32
    # A refusal is an answer too: one of them all is to be told yes.
    good = frozenset({200, 409})

    def __init__(self) -> None:
        self.node = fleets.node(0)

    def prepare(self, side: Side) -> None:
        if side.ask(Request("PATCH", f"/v1/nodes/{self.node}", RELEASE)).status != 200:
            raise Wrong("The node could not be released.")

    def plans(self, side: Side, chance: random.Random) -> Sequence[Iterable[Request]]:
        return [self._plan() for _ in range(self.clients)]

    def check(self, side: Side, load: Load) -> None:
        winners = [done.tag for done in load.done if done.status == 200]
        if (found := owner(side, self.node)) is None or winners != [found]:
            raise Wrong(f"{len(winners)} were told that the node is theirs: {winners[:3]}. It is {found}'s.")

    def _plan(self) -> Iterator[Request]:
        while True:
            yield take(self.node)


class ManyNodes(Scenario):
    key, title, goal = "N2", "claims and releases, 16 clients on 16 nodes", 15.0
    clients = 16

    def __init__(self) -> None:
        self.nodes = [fleets.node(number) for number in range(1, 1 + self.clients)]

    def prepare(self, side: Side) -> None:
        for node in self.nodes:
            side.ask(Request("PATCH", f"/v1/nodes/{node}", RELEASE))

    def plans(self, side: Side, chance: random.Random) -> Sequence[Iterable[Request]]:
        return [self._plan(node) for node in self.nodes]

    def check(self, side: Side, load: Load) -> None:
        last: dict[str, str | None] = {}
        for done in load.done:
            node, instance = done.tag
            last[node] = instance
        for node, instance in last.items():
            if (found := owner(side, node)) != instance:
                raise Wrong(f"{node} was last acknowledged to be {instance}'s; it is {found}'s.")

    def _plan(self, node: str) -> Iterator[Request]:
        while True:
            claim = take(node)
            yield Request(claim.method, claim.path, claim.body, tag=(node, claim.tag))
            yield Request("PATCH", claim.path, RELEASE, tag=(node, None))


class NodeList(Scenario):
    key, goal = "N3", 5.0
    clients = 2
    seconds = 1.5

    def __init__(self, title: str, path: str, *, first: int, count: int) -> None:
        """``first``: which node the page begins with; ``count``: how many are on it."""
        self.title, self.path = title, path
        self.names = [f"node-{number}" for number in range(first, first + count)]
        self.seen: set[str] = set()

    def plans(self, side: Side, chance: random.Random) -> Sequence[Iterable[Request]]:
        return [itertools.repeat(Request("GET", self.path)) for _ in range(self.clients)]

    def check(self, side: Side, load: Load) -> None:
        if side.name in self.seen:
            return
        self.seen.add(side.name)
        found = [node["name"] for node in side.read(self.path)["nodes"]]
        if found != self.names:
            raise Wrong(f"{len(found)} nodes, the first {found[:1]}: expected were {len(self.names)}.")


def owning() -> list[Scenario]:
    return [OneNode(), ManyNodes()]


def lists(count: int) -> list[Scenario]:
    deep, size = count - 500, 100
    after = f"&marker={fleets.node(deep - 1)}"
    return [
        NodeList(f"nodes, the longest page (1,000) of {count:,}", "/v1/nodes", first=0, count=1000),
        NodeList(f"nodes, first {size} of {count:,}", f"/v1/nodes?limit={size}", first=0, count=size),
        NodeList(f"nodes, {size} from {deep:,} on", f"/v1/nodes?limit={size}{after}", first=deep, count=size),
        NodeList(f"details, first {size} of {count:,}", f"/v1/nodes/detail?limit={size}", first=0, count=size),
        NodeList(f"details, {size} from {deep:,} on", f"/v1/nodes/detail?limit={size}{after}", first=deep, count=size),
    ]
