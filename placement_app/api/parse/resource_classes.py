from __future__ import annotations

from claimsite.foundation.openstack.bodies import InvalidBody
from claimsite.foundation.openstack.microversion import Microversion
from placement_app.api.schemas import resource_classes as schemas


def custom_name(name: str, version: Microversion) -> str:
    """A name from the path, held to the same schema as one from a body. Raises InvalidBody."""
    if complaint := schemas.NAMED.at(version).complaint({"name": name}):
        raise InvalidBody(f"JSON does not validate: {complaint}")
    return name
