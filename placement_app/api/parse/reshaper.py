from __future__ import annotations

from typing import Any

from claimsite.foundation.openstack.bodies import InvalidBody
from placement_app.api.parse import inventories
from placement_app.api.parse.allocations import uuid_key
from placement_app.services.reshaper import Shape


def shapes(body: dict[str, Any]) -> dict[str, Shape]:
    """Provider uuid → shape. Raises InvalidBody for a provider that is named in two spellings."""
    found = {
        uuid_key(uuid): Shape(
            generation=inventories.generation(entry), records=inventories.records(entry["inventories"])
        )
        for uuid, entry in body.items()
    }
    if len(found) < len(body):
        raise InvalidBody("JSON does not validate: a resource provider is named twice, in two spellings")
    return found
