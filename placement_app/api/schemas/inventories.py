from __future__ import annotations

from typing import Any

from claimsite.foundation.openstack.bodies import Schema
from claimsite.foundation.openstack.versioned import Versioned
from placement_app.api import features
from placement_app.models.inventories import MAX_INTEGER

CLASS_NAME = "^[A-Z0-9_]+$"
GENERATION = {"type": "integer"}
# The largest number that a single-precision column holds.
LARGEST_RATIO = 3.40282e38

_COUNT = {"type": "integer", "minimum": 1, "maximum": MAX_INTEGER}
RECORD: dict[str, Any] = {
    "total": _COUNT,
    "reserved": {"type": "integer", "minimum": 0, "maximum": MAX_INTEGER},
    "min_unit": _COUNT,
    "max_unit": _COUNT,
    "step_size": _COUNT,
    "allocation_ratio": {"type": "number", "minimum": 0, "maximum": LARGEST_RATIO},
}


def _object(properties: dict[str, Any], *required: str) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}


RECORDS = {
    "type": "object",
    "patternProperties": {CLASS_NAME: _object(RECORD, "total")},
    "additionalProperties": False,
}

POST = Versioned(
    {
        features.BASE: Schema(
            _object(
                {
                    **RECORD,
                    "resource_class": {"type": "string", "pattern": CLASS_NAME},
                    "resource_provider_generation": GENERATION,
                },
                "total",
                "resource_class",
            )
        )
    }
)
ALL_OF_A_PROVIDER = _object(
    {"resource_provider_generation": GENERATION, "inventories": RECORDS},
    "resource_provider_generation",
    "inventories",
)
"""All that a provider is to have; the reshaper says it of many."""

PUT_ALL = Versioned({features.BASE: Schema(ALL_OF_A_PROVIDER)})
PUT_ONE = Versioned(
    {
        features.BASE: Schema(
            _object(
                {**RECORD, "resource_provider_generation": GENERATION},
                "total",
                "resource_provider_generation",
            )
        )
    }
)
