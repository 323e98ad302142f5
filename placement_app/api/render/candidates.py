from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from claimsite.foundation.openstack.microversion import Microversion
from claimsite.foundation.openstack.versioned import Versioned
from placement_app.api import features
from placement_app.candidates.request import SearchRequest
from placement_app.candidates.result import Candidate, Result
from placement_app.candidates.snapshot import Provider

Document = dict[str, Any]


def answer(request: SearchRequest, result: Result, version: Microversion) -> Document:
    """The answer to a search: what could be claimed, in the form in which PUT /allocations takes it, and of whom."""
    allocation_request = ALLOCATION_REQUEST.at(version)
    providers = SUMMARISED.at(version)(result)
    summary = summaries(request, result, version)
    return {
        "allocation_requests": [allocation_request(candidate) for candidate in result.candidates],
        "provider_summaries": {provider.uuid: summary(provider) for provider in providers},
    }


# --- allocation requests --------------------------------------------------------------------------------------------
def _as_list(candidate: Candidate) -> Document:
    return {
        "allocations": [
            {"resource_provider": {"uuid": provider.uuid}, "resources": amounts}
            for provider, amounts in candidate.amounts.items()
        ]
    }


def _by_provider(candidate: Candidate) -> Document:
    return {"allocations": {provider.uuid: {"resources": amounts} for provider, amounts in candidate.amounts.items()}}


def _with_mappings(candidate: Candidate) -> Document:
    return {
        "allocations": {provider.uuid: {"resources": amounts} for provider, amounts in candidate.amounts.items()},
        "mappings": {suffix: [provider.uuid for provider in serving] for suffix, serving in candidate.mappings.items()},
    }


ALLOCATION_REQUEST: Versioned[Callable[[Candidate], Document]] = Versioned(
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


def summaries(request: SearchRequest, result: Result, version: Microversion) -> Callable[[Provider], Document]:
    """How to summarise one provider. Made once for an answer: there may be twenty thousand of them."""
    only = None if version >= features.ALL_CLASSES_SUMMARISED else request.resource_classes()
    traits = _TraitLists(result.trait_order)

    def summary(provider: Provider) -> Document:
        document: Document = {"resources": _resources(provider, only)}
        if version >= features.CANDIDATE_TRAITS:
            document["traits"] = traits.of(provider)
        if version >= features.NESTED_CANDIDATES:
            document["parent_provider_uuid"] = provider.parent_uuid
            document["root_provider_uuid"] = provider.root_uuid
        return document

    return summary


def _resources(provider: Provider, only: frozenset[str] | None) -> Document:
    return {
        resource_class: {"capacity": stock.shown_capacity, "used": stock.used}
        for resource_class, stock in provider.stocks.items()
        if only is None or resource_class in only
    }


class _TraitLists:
    """Lists of traits in vocabulary order. Hosts of a kind have the same, so each list is sorted once."""

    def __init__(self, order: Mapping[str, int]) -> None:
        self.order = order
        self.sorted: dict[frozenset[str], list[str]] = {}

    def of(self, provider: Provider) -> list[str]:
        traits = self.sorted.get(provider.traits)
        if traits is None:
            # A trait that went away between two queries comes last.
            traits = sorted(provider.traits, key=lambda name: self.order.get(name, math.inf))
            self.sorted[provider.traits] = traits
        return traits
