"""Bodies of PUT and POST /allocations. Each version's schema is built from the one before it."""

from __future__ import annotations

from typing import Any

from claimsite.foundation.openstack.bodies import Schema
from claimsite.foundation.openstack.versioned import Versioned
from placement_app.api import features

UUID_KEY = "^[0-9a-fA-F-]{36}$"
RESOURCE_CLASS = "^[A-Z0-9_]+$"
MAX_INTEGER = 2147483647

_RESOURCES = {
    "type": "object",
    "minProperties": 1,
    "patternProperties": {RESOURCE_CLASS: {"type": "integer", "minimum": 1, "maximum": MAX_INTEGER}},
    "additionalProperties": False,
}
_OWNER = {
    "project_id": {"type": "string", "minLength": 1, "maxLength": 255},
    "user_id": {"type": "string", "minLength": 1, "maxLength": 255},
}
_MAPPINGS = {
    "type": "object",
    "minProperties": 1,
    "patternProperties": {
        "^[a-zA-Z0-9_-]{0,64}$": {"type": "array", "minItems": 1, "items": {"type": "string", "format": "uuid"}}
    },
    "additionalProperties": False,
}
_CONSUMER_TYPE = {"type": "string", "pattern": RESOURCE_CLASS, "minLength": 1, "maxLength": 255}


def _object(properties: dict[str, Any], *, optional: frozenset[str] = frozenset()) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": [name for name in properties if name not in optional],
        "additionalProperties": False,
    }


_as_list = _object(
    {
        "allocations": {
            "type": "array",
            "minItems": 1,
            "items": _object(
                {
                    "resource_provider": _object({"uuid": {"type": "string", "format": "uuid"}}),
                    "resources": _RESOURCES,
                }
            ),
        }
    }
)
_as_list_owned = _object({**_as_list["properties"], **_OWNER})


def _by_provider(*, least: int) -> dict[str, Any]:
    return {
        "type": "object",
        "minProperties": least,
        "patternProperties": {
            UUID_KEY: _object(
                {"resources": _RESOURCES, "generation": {"type": "integer"}}, optional=frozenset({"generation"})
            )
        },
        "additionalProperties": False,
    }


_OPTIONAL = frozenset({"mappings"})
_owned_map = _object({"allocations": _by_provider(least=1), **_OWNER})
_owned_map_or_nothing = _object({"allocations": _by_provider(least=0), **_OWNER})
_guarded = _object({**_owned_map_or_nothing["properties"], "consumer_generation": {"type": ["integer", "null"]}})
_mapped = _object({**_guarded["properties"], "mappings": _MAPPINGS}, optional=_OPTIONAL)
_typed = _object({**_mapped["properties"], "consumer_type": _CONSUMER_TYPE}, optional=_OPTIONAL)

PUT = Versioned(
    {
        features.BASE: Schema(_as_list),
        features.OWNER_REQUIRED: Schema(_as_list_owned),
        features.CLAIMS_BY_PROVIDER: Schema(_owned_map),
        features.CONSUMER_GENERATION: Schema(_guarded),
        features.GROUP_MAPPINGS: Schema(_mapped),
        features.CONSUMER_TYPE: Schema(_typed),
    }
)


def by_consumer(claim: dict[str, Any], *, least: int) -> dict[str, Any]:
    """Many claims in one document, keyed by consumer."""
    return {
        "type": "object",
        "minProperties": least,
        "patternProperties": {UUID_KEY: claim},
        "additionalProperties": False,
    }


CLAIM_OF_MANY = {
    features.POST_ALLOCATIONS: _owned_map_or_nothing,
    features.CONSUMER_GENERATION: _guarded,
    features.GROUP_MAPPINGS: _mapped,
    features.CONSUMER_TYPE: _typed,
}
"""What POST /allocations and the reshaper say of each consumer."""

POST = Versioned({version: Schema(by_consumer(claim, least=1)) for version, claim in CLAIM_OF_MANY.items()})
