"""The answer to a search, as JSON text.

There may be twenty thousand candidates and as many summaries, and then the answer's text is most of the work. Filling
in templates takes a tenth of the time of building dictionaries and writing those. Uuids are canonical and go in as they
are; every other name is quoted by the JSON library, once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import orjson

from claimsite.foundation.openstack.microversion import Microversion
from claimsite.foundation.openstack.versioned import Versioned
from placement_app.api import features
from placement_app.candidates.request import SearchRequest
from placement_app.candidates.result import Candidate, Result
from placement_app.candidates.snapshot import Provider


def answer(request: SearchRequest, result: Result, version: Microversion) -> dict[str, Any]:
    """What could be claimed, in the form in which PUT /allocations takes it, and of whom."""
    allocation_request = ALLOCATION_REQUEST.at(version)(Names())
    summary = Summaries(request, result, version).of
    return {
        "allocation_requests": orjson.Fragment(f"[{','.join(map(allocation_request, result.candidates))}]"),
        "provider_summaries": orjson.Fragment(f"{{{','.join(map(summary, SUMMARISED.at(version)(result)))}}}"),
    }


class Names(dict[str, str]):
    """Names as JSON strings, each quoted when it is met first."""

    def __missing__(self, name: str) -> str:
        quoted = self[name] = orjson.dumps(name).decode()
        return quoted


class Amounts:
    """``{"VCPU":1,…}`` of what is taken. Candidates of lone hosts share one such mapping, so the last text is kept."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.last: Mapping[str, int] = {}
        self.text = "{}"

    def of(self, amounts: Mapping[str, int]) -> str:
        if amounts is not self.last:
            self.last = amounts
            self.text = f"{{{','.join([f'{self.names[name]}:{amount}' for name, amount in amounts.items()])}}}"
        return self.text


# --- allocation requests --------------------------------------------------------------------------------------------
Template = Callable[[Candidate], str]


def _as_list(names: Names) -> Template:
    amounts = Amounts(names)

    def text(candidate: Candidate) -> str:
        taken = [
            f'{{"resource_provider":{{"uuid":"{provider.uuid}"}},"resources":{amounts.of(wanted)}}}'
            for provider, wanted in candidate.amounts.items()
        ]
        return f'{{"allocations":[{",".join(taken)}]}}'

    return text


def _by_provider(names: Names) -> Template:
    allocations = _allocations(names)
    return lambda candidate: f"{{{allocations(candidate)}}}"


def _with_mappings(names: Names) -> Template:
    allocations = _allocations(names)

    def text(candidate: Candidate) -> str:
        groups = [f"{names[suffix]}:[{_uuids(serving)}]" for suffix, serving in candidate.mappings.items()]
        return f'{{{allocations(candidate)},"mappings":{{{",".join(groups)}}}}}'

    return text


def _allocations(names: Names) -> Template:
    amounts = Amounts(names)

    def text(candidate: Candidate) -> str:
        taken = [
            f'"{provider.uuid}":{{"resources":{amounts.of(wanted)}}}' for provider, wanted in candidate.amounts.items()
        ]
        return f'"allocations":{{{",".join(taken)}}}'

    return text


def _uuids(providers: Iterable[Provider]) -> str:
    return ",".join([f'"{provider.uuid}"' for provider in providers])


ALLOCATION_REQUEST: Versioned[Callable[[Names], Template]] = Versioned(
    {
        features.CANDIDATES: _as_list,
        features.CLAIMS_BY_PROVIDER: _by_provider,
        features.GROUP_MAPPINGS: _with_mappings,
    }
)

# --- provider summaries ---------------------------------------------------------------------------------------------
SUMMARISED: Versioned[Callable[[Result], list[Provider]]] = Versioned(
    {features.CANDIDATES: Result.givers, features.NESTED_CANDIDATES: Result.members}
)


class Summaries:
    """``"uuid":{…}`` of one provider after the other, as a version shows them."""

    def __init__(self, request: SearchRequest, result: Result, version: Microversion) -> None:
        self.names = Names()
        self.order = result.trait_order
        self.lists: dict[frozenset[str], str] = {}
        self.only = None if version >= features.ALL_CLASSES_SUMMARISED else request.resource_classes()
        self.shows_traits = version >= features.CANDIDATE_TRAITS
        self.shows_trees = version >= features.NESTED_CANDIDATES

    def of(self, provider: Provider) -> str:
        names, only = self.names, self.only
        stocks = provider.stocks.items()
        if only is not None:
            stocks = {name: stock for name, stock in stocks if name in only}.items()
        resources = [
            f'{names[name]}:{{"capacity":{stock.shown_capacity},"used":{stock.used}}}' for name, stock in stocks
        ]
        traits = f',"traits":{self._traits(provider.traits)}' if self.shows_traits else ""
        tree = self._tree(provider) if self.shows_trees else ""
        return f'"{provider.uuid}":{{"resources":{{{",".join(resources)}}}{traits}{tree}}}'

    def _traits(self, traits: frozenset[str]) -> str:
        """In the order of the vocabulary. Hosts of a kind have the same, so each set is sorted once."""
        text = self.lists.get(traits)
        if text is None:
            # A trait that went away between two queries comes last.
            text = self.lists[traits] = orjson.dumps(
                sorted(traits, key=lambda name: self.order.get(name, math.inf))
            ).decode()
        return text

    def _tree(self, provider: Provider) -> str:
        parent = "null" if provider.parent_uuid is None else f'"{provider.parent_uuid}"'
        return f',"parent_provider_uuid":{parent},"root_provider_uuid":"{provider.root_uuid}"'
