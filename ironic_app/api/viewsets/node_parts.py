"""What hangs below a node's address: its states, its maintenance, its traits, its children."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from rest_framework.request import Request

from ironic_app.api import features
from ironic_app.api.errors import Refusal
from ironic_app.api.schemas import nodes as schemas
from ironic_app.api.viewsets.base import IronicViewSet
from ironic_app.api.viewsets.nodes import NodesViewSet
from ironic_app.services import node_lists, node_traits, nodes, validation


class NodeStatesViewSet(NodesViewSet):
    def retrieve(self, request: Request, node: str) -> HttpResponse:
        self.query({})
        view = schemas.view(self.microversion, schemas.STATES)
        row = node_lists.get(ident=self.ident(node), columns=view.columns, access=self.access("node:get_states"))
        document = self.shown(view, row)
        del document["links"]
        return self.answer(document)


class NodeMaintenanceViewSet(NodesViewSet):
    def update(self, request: Request, node: str) -> HttpResponse:
        self.query({})
        body = self.body(default={})
        if not isinstance(body, dict):
            raise Refusal(400, f"Schema error for maintenance: {body!r:.200} is not of type 'object'")
        if unknown := sorted(body.keys() - {"reason"}):
            raise Refusal(400, f"Unexpected arguments: {', '.join(unknown)}")
        reason = body.get("reason")
        if reason is not None and not isinstance(reason, str):
            raise Refusal(400, f"Expected string for reason: {reason!r:.200}")
        nodes.set_maintenance(
            ident=self.ident(node),
            on=True,
            reason=reason,
            access=self.access("node:set_maintenance"),
            origin=self.origin,
        )
        return self.answer(status=202)

    def destroy(self, request: Request, node: str) -> HttpResponse:
        self.query({})
        nodes.set_maintenance(
            ident=self.ident(node), on=False, access=self.access("node:clear_maintenance"), origin=self.origin
        )
        return self.answer(status=202)


class NodeValidateViewSet(NodesViewSet):
    def retrieve(self, request: Request, node: str) -> HttpResponse:
        self.query({})
        found = nodes.get(ident=self.ident(node), access=self.access("node:validate"))
        return self.answer(validation.validate(found))


class NodeTraitsViewSet(NodesViewSet):
    since = dict.fromkeys(["GET", "PUT", "DELETE"], features.TRAITS)
    status_before = 406

    def list(self, request: Request, node: str) -> HttpResponse:
        self.query({})
        row = node_lists.get(ident=self.ident(node), columns=["traits"], access=self.access("node:traits:list"))
        return self.answer({"traits": row["traits"]})

    def replace(self, request: Request, node: str) -> HttpResponse:
        self.query({})
        body = self.body()
        traits = body.get("traits") if isinstance(body, dict) and body.keys() == {"traits"} else None
        if not isinstance(traits, list) or not all(isinstance(trait, str) for trait in traits):
            raise Refusal(400, "Schema error for traits: expected an object with a list of names, 'traits'")
        node_traits.replace(
            ident=self.ident(node), traits=traits, access=self.access("node:traits:set"), origin=self.origin
        )
        return self.answer(status=204)

    def clear(self, request: Request, node: str) -> HttpResponse:
        self.query({})
        node_traits.replace(
            ident=self.ident(node), traits=[], access=self.access("node:traits:delete"), origin=self.origin
        )
        return self.answer(status=204)


class NodeTraitViewSet(NodesViewSet):
    since = dict.fromkeys(["PUT", "DELETE"], features.TRAITS)
    status_before = 406

    def update(self, request: Request, node: str, trait: str) -> HttpResponse:
        self.query({})
        if self.body() not in (None, {}):
            raise Refusal(400, "A trait is added by its name alone, without a body")
        node_traits.add(ident=self.ident(node), trait=trait, access=self.access("node:traits:set"), origin=self.origin)
        return self.answer(status=204, location=f"nodes/{node}/traits/{trait}")

    def destroy(self, request: Request, node: str, trait: str) -> HttpResponse:
        self.query({})
        node_traits.remove(
            ident=self.ident(node), trait=trait, access=self.access("node:traits:delete"), origin=self.origin
        )
        return self.answer(status=204)


class NodeChildrenViewSet(NodesViewSet):
    since = {"GET": features.PARENT_NODE}

    def list(self, request: Request, node: str) -> HttpResponse:
        self.query({})
        parent, children = node_lists.children(ident=self.ident(node), access=self.access("node:get"))
        link = {"href": f"{self.base_url}/v1/nodes?parent_node={parent}", "rel": "children"}
        return self.answer({"children": children, "links": link})


class ShardsViewSet(IronicViewSet):
    since = {"GET": features.SHARD}
    rules = {"GET": "baremetal:shards:get"}

    def list(self, request: Request, **_: Any) -> HttpResponse:
        self.query({})
        counts = node_lists.shards()
        return self.answer({"shards": [{"name": name, "count": count} for name, count in counts.items()]})
