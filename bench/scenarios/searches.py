"""S6 to S8: allocation candidates. Before the first round both sides' answers are compared, set for set."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable, Sequence
from typing import Any

import orjson

from bench.clients import Load
from bench.clouds import AVX2, DISABLED, SGX, aggregate
from bench.measuring import Scenario, Wrong
from bench.sides import Side
from bench.wire import Request

HOST = "resources=VCPU:2,MEMORY_MB:512,DISK_GB:10"
NUMA = "resources{0}=VCPU:2,MEMORY_MB:512"
CARD = "resources{0}=SRIOV_NET_VF:1"


class Search(Scenario):
    clients = 2
    seconds = 1.5

    def __init__(self, key: str, title: str, query: str, goal: float, *, limit: int | None = 100) -> None:
        self.key, self.goal = key, goal
        self.title = f"{title}, {'no limit' if limit is None else f'limit={limit}'}"
        self.path = f"/allocation_candidates?{query}" + ("" if limit is None else f"&limit={limit}")
        self.limit = limit
        self.answers: dict[str, Any] = {}

    def prepare(self, side: Side) -> None:
        if side.name not in self.answers:
            self.answers[side.name] = orjson.loads(side.send("GET", self.path).body)

    def plans(self, side: Side, chance: random.Random) -> Sequence[Iterable[Request]]:
        return [itertools.repeat(Request("GET", self.path)) for _ in range(self.clients)]

    def check(self, side: Side, load: Load) -> None:
        if len(self.answers) < 2:
            return
        peer, site = self.answers["peer"], self.answers["site"]
        counts = [len(answer.get("allocation_requests", ())) for answer in (peer, site)]
        if counts[0] != counts[1] or not counts[0]:
            raise Wrong(f"{counts[0]} candidates there, {counts[1]} here.")
        # With a limit each may choose which ones to name.
        if self.limit is None and (_comparable(peer) != _comparable(site)):
            raise Wrong("The answers differ.")


def _comparable(answer: Any) -> tuple[set[bytes], Any]:
    for request in answer["allocation_requests"]:
        request["mappings"] = {name: sorted(providers) for name, providers in request["mappings"].items()}
    requests = {orjson.dumps(request, option=orjson.OPT_SORT_KEYS) for request in answer["allocation_requests"]}
    for summary in answer["provider_summaries"].values():
        summary["traits"] = sorted(summary["traits"])
    return requests, answer["provider_summaries"]


def flat(size: int) -> list[Search]:
    """Goals by size."""
    limited = {100: 15.0, 1000: 60.0, 5000: 200.0, 20000: 600.0}
    unlimited = {100: 15.0, 1000: 20.0, 5000: 30.0, 20000: 50.0}
    scenarios = [
        Search("S6", f"candidates among {size:,}", HOST, limited.get(size, 1.0)),
        Search("S6", f"candidates among {size:,}", HOST, unlimited.get(size, 1.0), limit=None),
    ]
    if size >= 20000:
        scenarios += [
            Search("S6", f"candidates among {size:,}: required", f"{HOST}&required={AVX2}", 250.0),
            Search(
                "S6",
                f"candidates among {size:,}: member_of",
                f"{HOST}&member_of=in:{aggregate(2)},{aggregate(3)}",
                100.0,
            ),
            Search("S6", f"candidates among {size:,}: rare trait", f"{HOST}&required={SGX},!{DISABLED}", 100.0),
        ]
    return scenarios


def nested(count: int) -> list[Search]:
    granular = f"{NUMA.format('_N')}&{CARD.format('_C')}&group_policy=none"
    two_cards = f"{CARD.format('_C')}&{CARD.format('_D')}&group_policy=isolate"
    subtree = f"{granular}&same_subtree=_N,_C"
    two_numa = (
        f"{NUMA.format('_N')}&{CARD.format('_C')}&{NUMA.format('_M')}&{CARD.format('_D')}"
        "&group_policy=isolate&same_subtree=_N,_C&same_subtree=_M,_D"
    )
    return [
        Search("S7", f"{count} trees: granular", granular, 20.0),
        Search("S7", f"{count} trees: two cards, isolate", two_cards, 45.0),
        Search("S7", f"{count} trees: two NUMA nodes, two cards", two_numa, 60.0),
        Search("S7", f"{count} trees: same_subtree", subtree, 20.0),
        Search("S7", f"{count} trees: granular", granular, 8.0, limit=None),
    ]


def sharing(hosts: int) -> list[Search]:
    return [
        Search("S8", f"{hosts:,} hosts and shared storage", HOST, 20.0),
        Search("S8", f"{hosts:,} hosts and shared storage", HOST, 10.0, limit=None),
    ]
