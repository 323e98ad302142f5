from __future__ import annotations

from claimsite.foundation.openstack.bodies import Schema
from claimsite.foundation.openstack.versioned import Versioned
from placement_app.api import features

# "$" also matches before a trailing newline.
NAME = {"type": "string", "pattern": r"^CUSTOM_[A-Z0-9_]+$", "maxLength": 255, "not": {"pattern": "\n"}}

NAMED = Versioned(
    {
        features.RESOURCE_CLASSES: Schema(
            {"type": "object", "properties": {"name": NAME}, "required": ["name"], "additionalProperties": False}
        )
    }
)
