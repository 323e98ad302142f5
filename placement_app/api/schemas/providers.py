from __future__ import annotations

from typing import Any

from claimsite.foundation.openstack.bodies import Schema
from claimsite.foundation.openstack.versioned import Versioned
from placement_app.api import features

UUID = {"type": "string", "format": "uuid"}
NAME = {"type": "string", "minLength": 1, "maxLength": 200}
PARENT = {"parent_provider_uuid": {"anyOf": [UUID, {"type": "null"}]}}
TEXT = {"type": "string"}
# A query spells a uuid with its dashes.
DASHED_UUID = {**UUID, "minLength": 36, "maxLength": 36}


def _provider(properties: dict[str, Any]) -> Schema:
    return Schema({"type": "object", "properties": properties, "required": ["name"], "additionalProperties": False})


POST = Versioned(
    {
        features.BASE: _provider({"name": NAME, "uuid": UUID}),
        features.PROVIDER_TREES: _provider({"name": NAME, "uuid": UUID, **PARENT}),
    }
)
PUT = Versioned(
    {
        features.BASE: _provider({"name": NAME}),
        features.PROVIDER_TREES: _provider({"name": NAME, **PARENT}),
    }
)


def _query(*names: str) -> Schema:
    properties = {"name": TEXT, "uuid": DASHED_UUID, **dict.fromkeys(names, TEXT)}
    if "in_tree" in names:
        properties["in_tree"] = DASHED_UUID
    return Schema({"type": "object", "properties": properties, "additionalProperties": False})


LIST_QUERY = Versioned(
    {
        features.BASE: _query(),
        features.MEMBER_OF: _query("member_of"),
        features.LIST_BY_RESOURCES: _query("member_of", "resources"),
        features.PROVIDER_TREES: _query("member_of", "resources", "in_tree"),
        features.LIST_BY_TRAITS: _query("member_of", "resources", "in_tree", "required"),
    }
)
