from __future__ import annotations

from claimsite.foundation.openstack.bodies import Schema
from claimsite.foundation.openstack.versioned import Versioned
from placement_app.api import features

PUT = Versioned(
    {
        features.TRAITS: Schema(
            {
                "type": "object",
                "properties": {
                    "traits": {"type": "array", "items": {"type": "string", "minLength": 1, "maxLength": 255}},
                    "resource_provider_generation": {"type": "integer"},
                },
                "required": ["traits", "resource_provider_generation"],
                "additionalProperties": False,
            }
        )
    }
)
