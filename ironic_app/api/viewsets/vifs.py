from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from rest_framework.request import Request

from ironic_app.api import features
from ironic_app.api.errors import Refusal
from ironic_app.api.parse import lists
from ironic_app.api.viewsets.nodes import NodesViewSet
from ironic_app.services import nodes, vifs

_PLACES = ("port_uuid", "portgroup_uuid")


class NodeVifListViewSet(NodesViewSet):
    since = dict.fromkeys(["GET", "POST"], features.VIFS)

    def list(self, request: Request, node: str) -> HttpResponse:
        self.query({})
        found = nodes.get(ident=self.ident(node), access=self.access("node:vif:list"))
        return self.answer({"vifs": [{"id": vif_id} for vif_id in vifs.find(node=found)]})

    def attach(self, request: Request, node: str) -> HttpResponse:
        self.query({})
        body = self.body(default={})
        vif_id = _id(body)
        vifs.attach(
            ident=self.ident(node),
            vif_id=vif_id,
            **self.place(body),
            access=self.access("node:vif:attach"),
            origin=self.origin,
        )
        return self.answer(status=204)

    def place(self, body: dict[str, Any]) -> dict[str, str]:
        """Where the interface is to be bound. Older versions don't know places: other keys are the caller's notes."""
        given = {name: body[name] for name in _PLACES if body.get(name) is not None}
        if not given or not self.has(features.VIF_PORT):
            return {}
        if len(given) > 1:
            raise Refusal(400, "Cannot specify both port_uuid and portgroup_uuid")
        return {name: lists.uuid(name, str(value)) for name, value in given.items()}


class NodeVifViewSet(NodesViewSet):
    since = {"DELETE": features.VIFS}

    def detach(self, request: Request, node: str, vif: str) -> HttpResponse:
        self.query({})
        vifs.detach(ident=self.ident(node), vif_id=vif, access=self.access("node:vif:detach"), origin=self.origin)
        return self.answer(status=204)


def _id(body: Any) -> str:
    if not isinstance(body, dict):
        raise Refusal(400, f"Schema error for vif: {body!r:.200} is not of type 'object'")
    if "id" not in body:
        raise Refusal(400, "Schema error for vif: 'id' is a required property")
    vif_id = body["id"]
    if not isinstance(vif_id, str) or not 0 < len(vif_id) <= 255:
        raise Refusal(400, f"Schema error for vif: {vif_id!r:.200} is not of type 'string'")
    return vif_id
