from __future__ import annotations

from claimsite.foundation.openstack.bodies import Schema
from claimsite.foundation.openstack.versioned import Versioned
from placement_app.api import features

CUSTOM_NAME = r"^CUSTOM_[A-Z0-9_]+$"

LIST_QUERY = Versioned(
    {
        features.TRAITS: Schema(
            {
                "type": "object",
                "properties": {"name": {"type": "string"}, "associated": {"type": "string"}},
                "additionalProperties": False,
            }
        )
    }
)
