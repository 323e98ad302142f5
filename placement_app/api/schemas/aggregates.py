from __future__ import annotations

from claimsite.foundation.openstack.bodies import Schema
from claimsite.foundation.openstack.versioned import Versioned
from placement_app.api import features

AGGREGATES = {"type": "array", "items": {"type": "string", "format": "uuid"}, "uniqueItems": True}

PUT = Versioned(
    {
        features.AGGREGATES: Schema(AGGREGATES),
        features.GUARDED_AGGREGATES: Schema(
            {
                "type": "object",
                "properties": {"aggregates": AGGREGATES, "resource_provider_generation": {"type": "integer"}},
                "required": ["aggregates", "resource_provider_generation"],
                "additionalProperties": False,
            }
        ),
    }
)
