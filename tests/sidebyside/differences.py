"""Every difference between the two that is meant, with its reason. Whatever is not explained here is a failure."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.sidebyside.cast import SHARES
from tests.sidebyside.exchange import Answer, Request, canonical
from tests.sidebyside.state import State


@dataclass(frozen=True)
class Exchange:
    request: Request
    peer: Answer
    here: Answer
    state: Callable[[], State]
    by_definition: Callable[[Request, Answer, State], bool]
    """Whether candidates that were found in a state are those that there are."""

    @property
    def statuses(self) -> tuple[int, int]:
        return self.peer.status, self.here.status

    @property
    def is_search(self) -> bool:
        """Whether candidates were searched, and found here."""
        return self.request.path == CANDIDATES and self.request.method == "GET" and self.here.status == 200

    def is_right_here(self) -> bool:
        """Whether this site found what the definition of a candidate says, whatever the peer did.

        Of providers that both summarise they must tell the same.
        """
        return (
            self.is_search
            and self.by_definition(self.request, self.here, self.state())
            and (self.peer.status != 200 or _agree_in_summaries(self.peer, self.here))
        )


@dataclass(frozen=True)
class Declared:
    peer: str
    """What the peer does."""
    here: str
    """What this site does instead, and why that is right."""
    applies: Callable[[Exchange], bool]
    """Whether this exchange is a case of it. As narrow as can be: it must not cover up another difference."""
    kinds: frozenset[str] | None = None
    """The only kinds of difference that are explained; None: those of the state and of the answer alike."""

    def explains(self, exchange: Exchange, kinds: frozenset[str]) -> bool:
        return (self.kinds is None or kinds <= self.kinds) and self.applies(exchange)


def _agree_in_summaries(peer: Answer, here: Answer) -> bool:
    theirs, ours = (canonical(answer.document["provider_summaries"]) for answer in (peer, here))
    return all(theirs[uuid] == ours[uuid] for uuid in theirs.keys() & ours.keys())


CANDIDATES = "/allocation_candidates"
BODY = frozenset({"body"})


def _groups(request: Request) -> dict[str, dict[str, list[str]]]:
    """Suffix → what the group asks for: ``resources``, ``required``, ``member_of``, ``in_tree``."""
    groups: dict[str, dict[str, list[str]]] = {}
    for name, value in () if isinstance(request.query, str) else request.query:
        for kind in ("resources", "required", "member_of", "in_tree"):
            if name.startswith(kind):
                groups.setdefault(name.removeprefix(kind), {}).setdefault(kind, []).append(value)
    return groups


def _classes(group: dict[str, list[str]]) -> set[str]:
    return {item.partition(":")[0] for item in ",".join(group.get("resources", [])).split(",") if item}


def _asks_for_a_class_twice(exchange: Exchange) -> bool:
    """All that the peer has is here but for the amounts; what leaked amounts made too much for the peer is here too."""
    groups = [_classes(group) for group in _groups(exchange.request).values()]
    twice = len(set().union(*groups)) < sum(map(len, groups))
    return (
        twice
        and exchange.is_right_here()
        and exchange.request.values("group_policy")[:1] != ["none"]
        and _without_amounts(exchange.peer) <= _without_amounts(exchange.here)
    )


def _without_amounts(answer: Answer) -> set[str]:
    """Who gives what to which group, candidate by candidate."""
    candidates = canonical(answer.document["allocation_requests"])
    return {json.dumps(_emptied(candidate), sort_keys=True) for candidate in candidates}


def _emptied(candidate: Any) -> Any:
    match candidate:
        case dict():
            return {key: _emptied(value) for key, value in candidate.items()}
        case list():
            return [_emptied(item) for item in candidate]
    return None if isinstance(candidate, int) else candidate


def _has_a_loose_resourceless_group(exchange: Exchange) -> bool:
    """One that names a tree, or no single trait or aggregate that a provider must have."""

    def demands(group: dict[str, list[str]]) -> bool:
        traits = ",".join(value for value in group.get("required", []) if not value.startswith("in:")).split(",")
        return any(trait[:1] not in {"!", ""} for trait in traits) or any(
            not value.startswith("!") for value in group.get("member_of", [])
        )

    groups = [group for group in _groups(exchange.request).values() if "resources" not in group]
    return any("in_tree" in group or not demands(group) for group in groups) and exchange.is_right_here()


def _fails_over_a_missing_provider(exchange: Exchange) -> bool:
    """The text of the peer's KeyError is the provider's number in its database."""
    return (
        exchange.statuses == (500, 200)
        and re.search(r"\n\n \d+  $", _text(exchange.peer)) is not None
        and exchange.is_right_here()
    )


def _text(answer: Answer) -> str:
    document = answer.document
    return str(document["errors"][0]["detail"]) if isinstance(document, dict) and "errors" in document else ""


def _names_something_unknown(exchange: Exchange) -> bool:
    empty = isinstance(exchange.peer.document, dict) and exchange.peer.document.get("allocation_requests") == []
    return (
        exchange.statuses == (200, 400)
        and empty
        and re.search(r"No such trait\(s\)|Invalid resource class in resources", _text(exchange.here)) is not None
    )


def _has_an_impossible_class(exchange: Exchange) -> bool:
    """A key of inventories that no class can be named, whose record the peer takes unseen."""
    return (
        exchange.statuses[1] == 400
        and re.search(r"does not match any of the regexes: '\^\[A-Z0-9_\]\+\$'.*inventories", _text(exchange.here))
        is not None
    )


def _has_unseen_mappings(exchange: Exchange) -> bool:
    """Mappings under a key that the peer looks at as little as at its value."""
    unseen = (
        r"JSON does not validate:.* On instance.*\['mappings'\]\['']|does not match .* On instance.*\['mappings'\]:"
    )
    return exchange.statuses[1] == 400 and re.search(unseen, _text(exchange.here), re.S) is not None


def _lacks_what_is_shared(exchange: Exchange) -> bool:
    """The peer has no candidate that is not here, and in all that it lacks the unsuffixed group is served by pools.

    Which anchor it is matters to other groups and to conditions for the root only.
    """
    anchor_matters = len(_groups(exchange.request)) > 1 or exchange.request.values("root_required")
    if not anchor_matters or not exchange.is_right_here():
        return False
    sharing = {uuid for uuid, trait in exchange.state().traits if trait == SHARES}
    peer, here = (canonical(answer.document)["allocation_requests"] for answer in (exchange.peer, exchange.here))
    lacking = [each for each in here if each not in peer]
    return len(here) - len(lacking) == len(peer) and all(
        set(each["mappings"].get("", ())) <= sharing if "mappings" in each else sharing & _providers(each)
        for each in lacking
    )


def _providers(candidate: dict[str, Any]) -> set[str]:
    """Whom it takes something from, in the forms of all versions."""
    allocations = candidate["allocations"]
    if isinstance(allocations, dict):
        return set(allocations)
    return {each["resource_provider"]["uuid"] for each in allocations}


PHANTOMS = Declared(
    peer="a refused first claim, or an empty one, leaves a consumer behind: the retry is refused",
    here="a claim that is not made leaves nothing",
    # Never by an exchange: the peer's rows are looked at after every write, and these deleted.
    applies=lambda _: False,
)
DECLARED: tuple[Declared, ...] = (
    PHANTOMS,
    Declared(
        peer="the 401 of noauth2 has a form of its own",
        here="it has the form of every error",
        applies=lambda exchange: exchange.statuses == (401, 401),
        kinds=frozenset({"error"}),
    ),
    Declared(
        peer="the type of an answer to HEAD is that of a page",
        here="it is that of every error; neither has a body",
        applies=lambda exchange: exchange.request.method == "HEAD",
        kinds=frozenset({"error", "header content-type"}),
    ),
    Declared(
        peer="the type of a body is compared letter by letter",
        here="application/JSON is the same type (RFC 9110)",
        applies=lambda exchange: (
            exchange.peer.status == 415 and exchange.request.headers.get("Content-Type") == "application/JSON"
        ),
    ),
    Declared(
        peer="an unknown trait or class goes unnoticed where nothing is left to be found anyway",
        here="names are looked up first: 400",
        applies=_names_something_unknown,
    ),
    Declared(
        peer="inventories of a class that cannot exist are not validated, and fail with 500 or as an unknown class",
        here="400: the key does not fit the schema",
        applies=_has_an_impossible_class,
    ),
    Declared(
        peer="the deletion of one class that is in use is told as concurrent_update, which asks for a retry",
        here="inventory.inuse, as for all classes at once: a retry would not help",
        applies=lambda exchange: (
            exchange.request.method == "DELETE"
            and (exchange.peer.error_code, exchange.here.error_code)
            == ("placement.concurrent_update", "placement.inventory.inuse")
        ),
        kinds=frozenset({"error"}),
    ),
    Declared(
        peer="mappings are not validated of the unsuffixed group, nor of one that no group can be named",
        here="400, as for mappings of any group, and as for other unknown keys",
        applies=_has_unseen_mappings,
    ),
    Declared(
        peer="a claim of more than any inventory may have is a conflict like any other",
        here="400: there will never be room for it",
        applies=lambda exchange: (
            exchange.statuses == (409, 400)
            and re.search(r"greater than the maximum of 2147483647 .*\['resources'\]", _text(exchange.here)) is not None
        ),
    ),
    Declared(
        peer="traits whose names are asked for by an operator that there is not are all traits",
        here="400, as for a name without an operator",
        applies=lambda exchange: (
            exchange.statuses == (200, 400)
            and exchange.request.path == "/traits"
            and any(":" in name for name in exchange.request.values("name"))
            and "Badly formatted name parameter" in _text(exchange.here)
        ),
    ),
    Declared(
        peer="what not every database can hold is taken or fails with 500: NULs, lone surrogates, lists 500 deep",
        here="400, wherever it comes",
        applies=lambda exchange: (
            exchange.statuses[1] == 400
            and re.search("character NUL|surrogate in string|nested more than", _text(exchange.here)) is not None
        ),
    ),
    Declared(
        peer="a query that is not UTF-8 makes some routes fail with 500",
        here="400 everywhere",
        applies=lambda exchange: exchange.statuses == (500, 400) and "%ff" in exchange.request.query_text,
    ),
    Declared(
        peer="a provider may be renamed to nothing",
        here="400, as for a new one",
        applies=lambda exchange: (
            exchange.request.method == "PUT"
            and exchange.statuses[1] == 400
            and isinstance(exchange.request.body, dict)
            and exchange.request.body.get("name") == ""
        ),
    ),
    Declared(
        peer="an error is a page if the client likes pages better than JSON, or names no media type at all",
        here="it is JSON if the client does not rule JSON out",
        applies=lambda exchange: (
            exchange.here.status >= 400 and exchange.request.headers.get("Accept") in {"text/html, */*;q=0.1", "x"}
        ),
        kinds=frozenset({"error", "header content-type"}),
    ),
    Declared(
        peer="an empty list of inventories has no last-modified",
        here="every answer that may be cached has one: now, if no row has a time",
        applies=lambda exchange: exchange.peer.document.get("inventories") == {},
        kinds=frozenset({"header last-modified"}),
    ),
    Declared(
        peer="the 405 for a method that is not there yet has no Allow",
        here="every 405 has it",
        applies=lambda exchange: exchange.statuses == (405, 405) and "allow" not in exchange.peer.headers,
        kinds=frozenset({"header allow"}),
    ),
    Declared(
        peer="amounts of a class that several groups ask for leak from one candidate into the next",
        here="the amounts of each candidate are added up afresh",
        applies=_asks_for_a_class_twice,
        kinds=BODY,
    ),
    Declared(
        peer="a group without resources ignores in_tree, and matches nothing if it only forbids or gives a choice",
        here="each condition counts as in other groups",
        applies=_has_a_loose_resourceless_group,
        kinds=BODY,
    ),
    Declared(
        peer="a sharing provider that has a parent makes some searches fail with 500",
        here="it shares like any other",
        applies=_fails_over_a_missing_provider,
    ),
    Declared(
        peer="where pools alone serve the unsuffixed group, one anchor of all that they could serve is tried",
        here="with each of them: all groups, and a root that fits, must have one anchor in common, whichever it is",
        applies=_lacks_what_is_shared,
        kinds=BODY,
    ),
)
