from __future__ import annotations

from typing import Any

from claimsite.foundation.openstack.bodies import InvalidBody
from claimsite.foundation.uuids import canonical_or_same


def aggregates(body: Any) -> list[str]:
    """The aggregates of a validated body, be it the bare list or the object that carries a generation.

    Raises InvalidBody if one is in it twice, in different spellings.
    """
    given: list[str] = body if isinstance(body, list) else body["aggregates"]
    canonical = [canonical_or_same(text) for text in given]
    if len(set(canonical)) < len(canonical):
        raise InvalidBody(f"JSON does not validate: {given} has non-unique elements")
    return canonical


def generation(body: Any) -> int | None:
    return None if isinstance(body, list) else int(body["resource_provider_generation"])
