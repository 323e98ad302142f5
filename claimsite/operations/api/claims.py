"""``/operations/claims``: a node and its allocation, taken and given back as one."""

from __future__ import annotations

import dataclasses
from typing import Any

from django.http import HttpResponse
from django.urls import reverse
from rest_framework.request import Request

from claimsite.foundation.openstack.bodies import Schema, parse_body
from claimsite.foundation.origin import Door
from claimsite.foundation.uuids import canonical_uuid, new_uuid
from claimsite.operations import ownership
from claimsite.operations.api.policies import ENFORCER
from placement_app.api.errors import Refusal
from placement_app.api.viewsets.base import PlacementViewSet
from placement_app.claims import Owner

_WORD = {"type": "string", "minLength": 1, "maxLength": 255}
_WORDS = {"type": "array", "items": _WORD, "maxItems": 1000}
CLAIM = Schema(
    {
        "type": "object",
        "properties": {
            "instance_uuid": {"type": "string", "format": "uuid"},
            "project_id": _WORD,
            "user_id": _WORD,
            "resource_class": {"type": "string", "minLength": 1, "maxLength": 80},
            "traits": _WORDS,
            "node_owner": _WORD,
            "candidate_nodes": _WORDS,
            "consumer_type": {"type": "string", "pattern": "^[A-Z0-9_]+$", "minLength": 1, "maxLength": 255},
        },
        "required": ["project_id", "user_id", "resource_class"],
        "additionalProperties": False,
    }
)


class _ClaimsViewSet(PlacementViewSet):
    """Errors, tokens and media types are Placement's; there is one version."""

    door = Door.OPERATIONS
    enforcer = ENFORCER


class ClaimListViewSet(_ClaimsViewSet):
    rules = {"POST": "claimsite:claims:create"}

    def create(self, request: Request) -> HttpResponse:
        wish = _wish(parse_body(self.raw_body, CLAIM))
        holding = ownership.claim(wish=wish, origin=self.origin)
        return self.answer(
            dataclasses.asdict(holding),
            status=201,
            location=reverse("operations:claim", args=[holding.instance_uuid]),
        )


class ClaimViewSet(_ClaimsViewSet):
    rules = {"GET": "claimsite:claims:show", "DELETE": "claimsite:claims:delete"}

    def retrieve(self, request: Request, instance_uuid: str) -> HttpResponse:
        return self.answer(dataclasses.asdict(ownership.get(instance_uuid=instance_uuid)))

    def destroy(self, request: Request, instance_uuid: str) -> HttpResponse:
        ownership.release(instance_uuid=instance_uuid, origin=self.origin)
        return self.answer(status=204)


def _wish(body: dict[str, Any]) -> ownership.Wish:
    instance_uuid = canonical_uuid(body["instance_uuid"]) if "instance_uuid" in body else new_uuid()
    if instance_uuid is None:
        raise Refusal(400, "instance_uuid is not a uuid")
    return ownership.Wish(
        instance_uuid=instance_uuid,
        tenant=Owner(project_id=body["project_id"], user_id=body["user_id"]),
        resource_class=body["resource_class"],
        traits=frozenset(body.get("traits", ())),
        node_owner=body.get("node_owner"),
        candidates=tuple(body.get("candidate_nodes", ())),
        consumer_type=body.get("consumer_type"),
    )
