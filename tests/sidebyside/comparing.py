"""The same requests to both, one after the other, until the two disagree."""

from __future__ import annotations

import pprint
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tests.sidebyside import definition
from tests.sidebyside.differences import DECLARED, PHANTOMS, Exchange
from tests.sidebyside.exchange import Answer, Request, canonical
from tests.sidebyside.here import Here
from tests.sidebyside.peer import Peer

# Shown by both in the same way, or by neither.
HEADERS = ("location", "cache-control", "content-type", "openstack-api-version")


@dataclass(frozen=True)
class Disagreement:
    """An undeclared difference: what kind, after which requests, and what each of the two said."""

    kinds: frozenset[str]
    requests: Sequence[Request]
    told: str

    def is_like(self, other: Disagreement | None) -> bool:
        return other is not None and bool(self.kinds & other.kinds)

    def __str__(self) -> str:
        requests = pprint.pformat(list(self.requests), width=120)
        return f"{', '.join(sorted(self.kinds))}\n{requests}\n{self.told}"


@dataclass
class Books:
    """What was sent, and which declared difference was met how often."""

    sequences: int = 0
    requests: int = 0
    refusals: int = 0
    declared: Counter[str] = field(default_factory=Counter)

    def as_data(self) -> dict[str, Any]:
        return vars(self)


class SideBySide:
    def __init__(self, peer: Peer, here: Here) -> None:
        self.peer = peer
        self.here = here
        self.books = Books()

    def play(self, requests: Iterable[Request]) -> Disagreement | None:
        """From two empty services to the first difference that nobody declared."""
        self.peer.clear()
        self.here.clear()
        self.books.sequences += 1
        sent: list[Request] = []
        for request in requests:
            sent.append(request)
            found, goes_on = self._exchange(request)
            if found:
                return Disagreement(found.kinds, tuple(sent), found.told)
            if not goes_on:
                break
        return None

    def _exchange(self, request: Request) -> tuple[Disagreement | None, bool]:
        filled = request.with_generations(self.here.generation)
        peer, here = self.peer.send(filled), self.here.send(filled)
        exchange = Exchange(filled, peer, here, self.here.state, definition.holds)
        self.books.requests += 1
        self.books.refusals += exchange.here.status >= 400
        kinds = differing(exchange)
        if filled.method != "GET":
            if self.peer.forget_phantoms():
                self.books.declared[PHANTOMS.peer] += 1
            rows = self.peer.state().difference(self.here.state())
            kinds += sorted({f"state of {row.split()[1]}" for row in rows})
        else:
            rows = []
        if not kinds:
            return None, True
        for declared in DECLARED:
            if declared.explains(exchange, frozenset(kinds)):
                self.books.declared[declared.peer] += 1
                return None, not any(kind.startswith("state") for kind in kinds)
        told = f"peer: {exchange.peer}\nhere: {exchange.here}\n" + "\n".join(rows)
        return Disagreement(frozenset(kinds), (filled,), told), False

    def shrink(self, disagreement: Disagreement) -> Disagreement:
        """The same kind of disagreement with as few requests, and as few conditions in the last, as can be found."""
        books, self.books = self.books, Books()
        best = self._with_fewer_requests(disagreement)
        best = self._with_fewer_conditions(best)
        self.books = books
        return best

    def _with_fewer_requests(self, best: Disagreement) -> Disagreement:
        step = max(1, len(best.requests) // 2)
        while True:
            start, found = 0, False
            while start < len(best.requests) - 1:
                end = min(start + step, len(best.requests) - 1)
                again = self.play([*best.requests[:start], *best.requests[end:]])
                if again is not None and again.is_like(best):
                    best, found = again, True
                else:
                    start = end
            if step == 1 and not found:
                return best
            step = max(1, step // 2)

    def _with_fewer_conditions(self, best: Disagreement) -> Disagreement:
        found = True
        while found:
            found = False
            *before, last = best.requests
            if isinstance(last.query, str):
                return best
            for i in range(len(last.query)):
                again = self.play([*before, replace(last, query=last.query[:i] + last.query[i + 1 :])])
                if again is not None and again.is_like(best):
                    best, found = again, True
                    break
        return best


def differing(exchange: Exchange) -> list[str]:
    """In what the two answers differ, as far as a client may rely on it."""
    peer, here = exchange.peer, exchange.here
    if peer.status != here.status:
        return [f"status {peer.status}, here {here.status}"]
    kinds = [f"header {name}" for name in HEADERS if peer.headers.get(name) != here.headers.get(name)]
    if ("last-modified" in peer.headers) != ("last-modified" in here.headers):
        kinds.append("header last-modified")
    if _words(peer.headers.get("allow")) != _words(here.headers.get("allow")):
        kinds.append("header allow")
    if peer.status >= 400:
        if _error(peer) != _error(here):
            kinds.append("error")
    elif exchange.is_search and exchange.request.values("limit"):
        # Which candidates a limit leaves is not defined; that they are right ones, and how many, is.
        kinds += [] if exchange.is_right_here() else ["candidates that a limit leaves"]
    elif canonical(peer.document) != canonical(here.document):
        kinds.append("body")
    return kinds


def _words(text: str | None) -> list[str]:
    return sorted(word.strip() for word in text.split(",")) if text else []


def _error(answer: Answer) -> Any:
    """The error without its texts and its request id; of other formats than JSON nothing is compared."""
    document = answer.document
    if not isinstance(document, dict) or "errors" not in document:
        return None
    return [{key: each.get(key) for key in ("status", "title", "code", "max_version")} for each in document["errors"]]
