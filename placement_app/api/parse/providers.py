from __future__ import annotations

from typing import Any

from claimsite.foundation.uuids import canonical_or_same, canonical_uuid


def optional_uuid(text: str | None) -> str | None:
    """A uuid of a validated body in its canonical form; None stays None."""
    return None if text is None else canonical_uuid(text)


def search(query: dict[str, list[str]]) -> dict[str, Any]:
    """The filters of GET /resource_providers as arguments of ``services.provider_search.find``."""
    filters: dict[str, Any] = {}
    # An empty name filters nothing.
    if name := query.get("name", [""])[-1]:
        filters["name"] = name
    for parameter in {"uuid", "in_tree"} & query.keys():
        filters[parameter] = canonical_or_same(query[parameter][-1])
    return filters
