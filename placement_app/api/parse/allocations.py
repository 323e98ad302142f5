"""Bodies of allocation writes → Claims, one form whatever the version."""

from __future__ import annotations

from typing import Any

from django.conf import settings

from claimsite.foundation.openstack.bodies import InvalidBody
from claimsite.foundation.openstack.microversion import Microversion
from claimsite.foundation.uuids import canonical_uuid
from placement_app.api import features
from placement_app.api.errors import Refusal
from placement_app.claims import ANY, Claim, Owner


def consumer_in_path(text: str) -> str:
    """The consumer's canonical uuid. Raises a 400: a claim under anything else could never be found again."""
    consumer_uuid = canonical_uuid(text)
    if consumer_uuid is None:
        raise Refusal(400, f"Malformed consumer_uuid: {text}")
    return consumer_uuid


def claim(consumer_uuid: str, body: dict[str, Any], version: Microversion) -> Claim:
    return Claim(
        consumer_uuid=consumer_uuid,
        resources=_resources(body["allocations"]),
        owner=Owner(
            project_id=body.get("project_id", settings.INCOMPLETE_CONSUMER_PROJECT_ID),
            user_id=body.get("user_id", settings.INCOMPLETE_CONSUMER_USER_ID),
        ),
        expected=_integer(body["consumer_generation"]) if version >= features.CONSUMER_GENERATION else ANY,
        consumer_type=body.get("consumer_type"),
    )


def claims(body: dict[str, Any], version: Microversion) -> list[Claim]:
    """The claims of many consumers. Raises InvalidBody for a key that is no uuid, or one uuid in two spellings."""
    found: dict[str, Claim] = {}
    for key, entry in body.items():
        consumer_uuid = uuid_key(key)
        if consumer_uuid in found:
            raise InvalidBody(f"JSON does not validate: consumer {consumer_uuid} is named twice")
        found[consumer_uuid] = claim(consumer_uuid, entry, version)
    return list(found.values())


def _resources(allocations: Any) -> dict[str, dict[str, int]]:
    """In a list the last entry of a provider wins; a map with one provider in two spellings is refused."""
    if isinstance(allocations, list):
        return {uuid_key(entry["resource_provider"]["uuid"]): _amounts(entry["resources"]) for entry in allocations}
    resources = {uuid_key(key): _amounts(entry["resources"]) for key, entry in allocations.items()}
    if len(resources) < len(allocations):
        raise InvalidBody("JSON does not validate: a resource provider is named twice, in two spellings")
    return resources


def _amounts(resources: dict[str, Any]) -> dict[str, int]:
    return {resource_class: int(amount) for resource_class, amount in resources.items()}


def _integer(value: Any) -> int | None:
    # JSON knows no integers: 10.0 is one to the schema.
    return None if value is None else int(value)


def uuid_key(key: str) -> str:
    """The canonical form of a key that stands for a consumer or a provider. Raises InvalidBody."""
    canonical = canonical_uuid(key)
    if canonical is None:
        raise InvalidBody(f"JSON does not validate: '{key}' is not a 'uuid'")
    return canonical
