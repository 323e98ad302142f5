from __future__ import annotations

from claimsite.foundation.openstack.bodies import Schema
from claimsite.foundation.openstack.versioned import Versioned
from placement_app.api import features

NAME = {"type": "string", "pattern": "^CUSTOM_[A-Z0-9_]+$", "maxLength": 255}

NAMED = Versioned(
    {
        features.RESOURCE_CLASSES: Schema(
            {"type": "object", "properties": {"name": NAME}, "required": ["name"], "additionalProperties": False}
        )
    }
)
