"""Requests about allocations → what the services take."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from claimsite.foundation.openstack.bodies import Schema
from claimsite.foundation.openstack.microversion import Microversion
from ironic_app import attributes, patching
from ironic_app.api import features
from ironic_app.api.errors import NotInThisVersion, Refusal
from ironic_app.api.parse import lists, patches
from ironic_app.api.schemas.resources import ALLOCATIONS
from ironic_app.services.allocations import Wanted

QUERY: Mapping[str, Microversion] = lists.PAGING | {
    "fields": features.ALLOCATIONS,
    "node": features.ALLOCATIONS,
    "resource_class": features.ALLOCATIONS,
    "state": features.ALLOCATIONS,
    "owner": features.ALLOCATION_OWNER,
}
PATCHABLE = ("name", "extra")

_TEXT = {"type": ["string", "null"], "maxLength": 255}
_NAMES = {"type": ["array", "null"], "items": {"type": "string", "minLength": 1, "maxLength": 255}}
_BODY = Schema(
    {
        "type": "object",
        "properties": {
            "name": _TEXT,
            "uuid": _TEXT,
            "resource_class": {"type": ["string", "null"], "maxLength": 80},
            "traits": _NAMES,
            "candidate_nodes": _NAMES,
            "extra": {"type": ["object", "null"]},
            "node": _TEXT,
            "owner": _TEXT,
        },
        "additionalProperties": False,
    }
)
_SINCE = {"node": features.ALLOCATION_BACKFILL, "owner": features.ALLOCATION_OWNER}


def wanted(body: Any, version: Microversion) -> Wanted:
    """Raises a 400 for what is no allocation, a 406 for fields that are newer than ``version``."""
    if complaint := _BODY.brief_complaint(body):
        raise Refusal(400, f"Schema error: {complaint}")
    if any(_SINCE.get(name, features.ALLOCATIONS) > version for name in body):
        raise NotInThisVersion
    given = {name: value for name, value in body.items() if value is not None}
    if "uuid" in given:
        given["uuid"] = lists.uuid("uuid", given["uuid"])
    if "name" in given:
        given["name"] = _name(given["name"], "create")
    return Wanted(**given)


def _name(name: str, verb: str) -> str | None:
    """An empty name is none."""
    try:
        return attributes.logical_name("name", name or None)
    except attributes.Unfit:
        raise Refusal(400, f"Cannot {verb} allocation with invalid name '{name}'") from None


def patch(body: Any, version: Microversion) -> patching.Patch:
    """Raises a 400 for what is no patch of an allocation."""
    return patches.patch(body, version=version, patchable=PATCHABLE, since=ALLOCATIONS.since)
