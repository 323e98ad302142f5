from __future__ import annotations

from typing import Any

from claimsite.foundation.openstack.microversion import Microversion
from claimsite.foundation.uuids import canonical_or_same, canonical_uuid
from placement_app.api.parse import queries


def optional_uuid(text: str | None) -> str | None:
    """A uuid of a validated body in its canonical form; None stays None."""
    return None if text is None else canonical_uuid(text)


def search(query: dict[str, list[str]], version: Microversion) -> dict[str, Any]:
    """The filters of GET /resource_providers as arguments of ``services.provider_search.find``."""
    grammar = queries.Grammar.of(version)
    filters: dict[str, Any] = {}
    # An empty name filters nothing.
    if name := query.get("name", [""])[-1]:
        filters["name"] = name
    for parameter in {"uuid", "in_tree"} & query.keys():
        filters[parameter] = canonical_or_same(query[parameter][-1])
    if "resources" in query:
        filters["resources"] = queries.resources(query["resources"][-1])
    if "required" in query:
        traits = queries.required(query["required"], grammar)
        filters |= {"required": traits.all_of, "forbidden": traits.none_of}
    if "member_of" in query:
        aggregates = queries.member_of(query["member_of"], grammar)
        filters |= {"member_of": aggregates.all_of, "not_member_of": aggregates.none_of}
    return filters
