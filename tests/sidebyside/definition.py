"""What the definition of a candidate says: the judge of this site's answer where the peer's is no measure."""

from __future__ import annotations

from collections import Counter
from typing import Any
from urllib.parse import parse_qs

from placement_app.api.parse import candidates as parse
from placement_app.api.parse.queries import Grammar
from placement_app.candidates.request import SearchRequest
from placement_app.candidates.snapshot import Provider, Stock
from tests.placement.candidates import oracle
from tests.placement.candidates.clouds import feature
from tests.sidebyside.exchange import Answer, Request
from tests.sidebyside.state import State

FIRST_WITH_MAPPINGS = 34


def holds(request: Request, answer: Answer, state: State) -> bool:
    """Whether the answer to a search has every candidate, or as many as its limit leaves; none that there is not; and
    summaries of the providers that it must tell of, and no others.
    """
    cloud = providers(state)
    version = answer.headers["openstack-api-version"].removeprefix("placement ")
    asked = _asked(request, version, cloud)
    has_mappings = feature(version).minor >= FIRST_WITH_MAPPINGS
    there_are = Counter(
        (amounts, mappings if has_mappings else None) for amounts, mappings in oracle.candidates(asked, cloud)
    )
    found = Counter(map(_shown, answer.document["allocation_requests"]))
    limit = next(map(int, request.values("limit")), there_are.total())
    return (
        found <= there_are
        and found.total() == min(limit, there_are.total())
        and set(answer.document["provider_summaries"]) == _summarised(asked, found, cloud)
    )


def providers(state: State) -> list[Provider]:
    """The cloud as the search would see it, read from the rows alone; what is used is summed up from the claims."""
    parents = {uuid: parent for uuid, _, _, parent, _ in state.providers}
    used: Counter[tuple[str, str]] = Counter()
    for _, uuid, name, amount in state.allocations:
        used[uuid, name] += amount
    return [
        Provider(
            pk=number,
            uuid=uuid,
            name=name,
            root_uuid=root,
            parent_uuid=parents[uuid],
            traits=frozenset(trait for of, trait in state.traits if of == uuid),
            aggregates=frozenset(aggregate for of, aggregate in state.aggregates if of == uuid),
            stocks={
                each: Stock(*figures)._replace(used=used[uuid, each])
                for of, each, *figures in state.inventories
                if of == uuid
            },
        )
        for number, (uuid, name, _, _, root) in enumerate(state.providers)
    ]


def _asked(request: Request, version: str, cloud: list[Provider]) -> SearchRequest:
    values = parse_qs(request.query_text, keep_blank_values=True)
    asked = parse.search_request(values, Grammar.of(feature(version)))
    return asked.in_trees_by_root({provider.uuid: provider.root_uuid for provider in cloud})


def _shown(candidate: dict[str, Any]) -> tuple[Any, Any]:
    """A candidate in the form of any version, as the oracle would tell it."""
    allocations = candidate["allocations"]
    if isinstance(allocations, list):
        allocations = {each["resource_provider"]["uuid"]: each for each in allocations}
    amounts = frozenset(
        (uuid, name, amount) for uuid, each in allocations.items() for name, amount in each["resources"].items()
    )
    if "mappings" not in candidate:
        return amounts, None
    return amounts, frozenset((suffix, frozenset(uuids)) for suffix, uuids in candidate["mappings"].items())


def _summarised(asked: SearchRequest, found: Counter[tuple[Any, Any]], cloud: list[Provider]) -> set[str]:
    """Who gives something, and since trees are known all others of their trees."""
    giving = {uuid for amounts, _ in found for uuid, _, _ in amounts}
    if not asked.nested:
        return giving
    roots = {provider.root_uuid for provider in cloud if provider.uuid in giving}
    return {provider.uuid for provider in cloud if provider.root_uuid in roots}
