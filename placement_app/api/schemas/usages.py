from __future__ import annotations

from typing import Any

from claimsite.foundation.openstack.bodies import Schema
from claimsite.foundation.openstack.versioned import Versioned
from placement_app.api import features

_ID = {"type": "string", "minLength": 1, "maxLength": 255}
_WHOSE: dict[str, Any] = {"project_id": _ID, "user_id": _ID}


def _query(properties: dict[str, Any]) -> Schema:
    return Schema(
        {"type": "object", "properties": properties, "required": ["project_id"], "additionalProperties": False}
    )


QUERY = Versioned(
    {
        features.USAGES: _query(_WHOSE),
        features.CONSUMER_TYPE: _query(
            {**_WHOSE, "consumer_type": {**_ID, "pattern": "^([A-Z0-9_]+|all|unknown)$"}},
        ),
    }
)
