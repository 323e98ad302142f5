"""What machines say that boot from the service's ramdisk. They have no token: nobody has logged on there.

These machines don't exist, so nobody asks rightly: well-formed requests find nothing.
"""

from __future__ import annotations

from django.http import HttpResponse
from rest_framework.request import Request

from claimsite.foundation.openstack.bodies import Schema
from ironic_app.api import features
from ironic_app.api.errors import Refusal
from ironic_app.api.parse import lists
from ironic_app.api.viewsets.base import OpenViewSet
from ironic_app.errors import NotFound
from ironic_app.services import nodes

_NOT_FOUND = "Resource could not be found."
_INSPECTION = Schema(
    {
        "type": "object",
        "required": ["inventory"],
        "properties": {
            "inventory": {
                "type": "object",
                "required": ["interfaces"],
                "properties": {
                    "interfaces": {
                        "type": "array",
                        "minItems": 1,
                        "items": {
                            "type": "object",
                            "required": ["mac_address"],
                            "properties": {"mac_address": {"type": "string"}},
                        },
                    },
                    "bmc_address": {"type": ["string", "null"]},
                    "bmc_v6address": {"type": ["string", "null"]},
                },
            }
        },
    }
)


class LookupViewSet(OpenViewSet):
    """Which node am I?"""

    since = {"GET": features.LOOKUP}

    def retrieve(self, request: Request) -> HttpResponse:
        query = self.query({"addresses": features.LOOKUP, "node_uuid": features.LOOKUP})
        if not query:
            raise Refusal(400, "At least one of 'addresses' and 'node_uuid' parameters is required")
        raise NotFound(text=_NOT_FOUND)


class HeartbeatViewSet(OpenViewSet):
    """I am still here, and can be called."""

    since = {"POST": features.LOOKUP}

    def create(self, request: Request, node: str) -> HttpResponse:
        self.query({})
        body = self.body()
        if not isinstance(body, dict) or "callback_url" not in body:
            raise Refusal(400, "Missing mandatory parameter: callback_url")
        nodes.get(ident=node)
        raise Refusal(400, "Agent token is required for heartbeat processing.")


class ContinueInspectionViewSet(OpenViewSet):
    """This is what I am made of."""

    def create(self, request: Request) -> HttpResponse:
        query = self.query({"node_uuid": features.BASE})
        if "node_uuid" in query:
            lists.uuid("node_uuid", query["node_uuid"])
        if complaint := _INSPECTION.brief_complaint(self.body()):
            raise Refusal(400, f"Schema error for data: {complaint}")
        # The very first version is what a client speaks that names none, as ramdisks from before did.
        if not self.has(features.CONTINUE_INSPECTION) and (query or self.has(features.AVAILABLE_STATE)):
            raise Refusal(404, f"API version {features.CONTINUE_INSPECTION} or newer is required")
        raise NotFound(text=_NOT_FOUND)
