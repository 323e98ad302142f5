"""Requests about allocations → what the services take."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from claimsite.foundation.openstack.bodies import Schema
from claimsite.foundation.openstack.microversion import Microversion
from claimsite.foundation.openstack.versioned import Versioned
from ironic_app import attributes, patching
from ironic_app.api import features
from ironic_app.api.errors import Refusal
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
_FIRST = {
    "name": _TEXT,
    "uuid": _TEXT,
    "resource_class": {"type": ["string", "null"], "maxLength": 80},
    "traits": _NAMES,
    "candidate_nodes": _NAMES,
    "extra": {"type": ["object", "null"]},
}


def _schema(**further: Any) -> Schema:
    return Schema({"type": "object", "properties": _FIRST | further, "additionalProperties": False})


_BODY = Versioned(
    {
        features.ALLOCATIONS: _schema(),
        features.ALLOCATION_BACKFILL: _schema(node=_TEXT),
        features.ALLOCATION_OWNER: _schema(node=_TEXT, owner=_TEXT),
    }
)


def wanted(body: Any, version: Microversion) -> Wanted:
    """Raises a 400 for what is no allocation."""
    if complaint := _BODY.at(version).brief_complaint(body):
        raise Refusal(400, f"Schema error: {complaint}")
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
