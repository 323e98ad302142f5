from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote, urlencode

from django.http import HttpResponse
from rest_framework.request import Request

from claimsite.foundation.uuids import canonical_uuid
from ironic_app import states
from ironic_app.api import features, policies
from ironic_app.api.errors import Refusal
from ironic_app.api.parse import lists
from ironic_app.api.parse import nodes as parse
from ironic_app.api.schemas import nodes as schemas
from ironic_app.api.viewsets.base import IronicViewSet
from ironic_app.errors import Forbidden, NodeNotFound
from ironic_app.locks import Access
from ironic_app.models import Node
from ironic_app.models.nodes import tag
from ironic_app.services import node_lists, nodes

# Taken out of the links to further pages: these say what follows there.
_OF_THIS_PAGE = frozenset({"limit", "marker"})


class NodesViewSet(IronicViewSet):
    """What all views of nodes need: names as addresses, tags of states, and what a caller may see of a node."""

    def ident(self, text: str) -> str:
        """The address of a node as the services take it. Raises NodeNotFound for names before there were any."""
        if text.endswith(".json") and not self.has(features.NO_SUFFIX) and not node_lists.is_name(text):
            text = text.removesuffix(".json")
        if canonical_uuid(text) is None and not self.has(features.NODE_NAME):
            raise NodeNotFound(node=text)
        return text

    def access(self, *rules: str) -> Access:
        """As everywhere, and that the node is in a state that If-Match names. Reads don't mind that header."""
        expected = parse.expected(self.request.META.get("HTTP_IF_MATCH"))
        return dataclasses.replace(super().access(*rules), expected=expected)

    def shown(self, view: schemas.View, row: Mapping[str, Any], rules: Sequence[str] = policies.REDACTED) -> Any:
        """The row's document, without what the caller may not see of this node."""
        document = view.document(row, self.base_url)
        for name in rules:
            if name in document and not self.allows(f"node:get:{name}", owner=row["owner"], lessee=row["lessee"]):
                note = f"** Value Redacted - Requires baremetal:node:get:{name} permission. **"
                document[name] = {"content": note} if isinstance(document[name], dict) else note
        return document

    def whole(self, node: Node, *, status: int = 200, location: str | None = None) -> HttpResponse:
        """The answer that shows all of a node."""
        document = self.shown(schemas.view(self.microversion), vars(node))
        return self.answer(document, status=status, location=location, etag=etag(node.pk, node.generation))


class NodeListViewSet(NodesViewSet):
    def list(self, request: Request) -> HttpResponse:
        query = self.query(parse.QUERY)
        detail = lists.flag("detail", query["detail"]) if "detail" in query else False
        if detail and "fields" in query:
            raise Refusal(400, "Can not specify ?detail=True and fields in the same request.")
        return self.page("nodes", query, None if detail else self.fields(query) or schemas.SHORT)

    def list_whole(self, request: Request) -> HttpResponse:
        query = self.query({name: since for name, since in parse.QUERY.items() if name != "fields"})
        return self.page("nodes/detail", query, None)

    def create(self, request: Request) -> HttpResponse:
        self.query({})
        values = parse.values(self.body(), self.microversion)
        if not self.allows("node:create"):
            values = self._of_own(values)
        node = nodes.create(
            values=values,
            provision_state=states.ENROLL if self.has(features.ENROLL_STATE) else states.AVAILABLE,
            origin=self.origin,
        )
        return self.whole(node, status=201, location=f"nodes/{node.uuid}")

    def fields(self, query: Mapping[str, str]) -> tuple[str, ...] | None:
        return lists.fields(query, since=schemas.SINCE | schemas.SUBRESOURCES, version=self.microversion)

    def page(self, path: str, query: Mapping[str, str], names: tuple[str, ...] | None) -> HttpResponse:
        """One page; the link to the next one keeps every condition of this one."""
        if not (self.allows("node:list_all") or self.allows("node:list")):
            raise Forbidden(text="Policy does not allow baremetal:node:list to be performed.")
        paging = lists.paging(query, sortable=parse.SORTABLE, since=schemas.SINCE, version=self.microversion)
        view = schemas.view(self.microversion, names)
        redacted = self._redacted(view)
        found = node_lists.find(
            parse.search(query),
            paging,
            columns=(*view.columns, "owner", "lessee") if redacted else view.columns,
            access=self.access(),
        )
        document: dict[str, Any] = {"nodes": [self.shown(view, row, redacted) for row in found.rows]}
        if found.has_more:
            kept = {name: value for name, value in query.items() if name not in _OF_THIS_PAGE}
            kept |= {"limit": str(paging.limit), "marker": found.rows[-1]["uuid"]}
            document["next"] = f"{self.base_url}/v1/{path}?{urlencode(kept, safe=',', quote_via=quote)}"
        return self.answer(document)

    def _redacted(self, view: schemas.View) -> Sequence[str]:
        """The fields of the view that the caller may not see of every node."""
        columns = set(view.columns)
        return [name for name in policies.REDACTED if name in columns and not self.allows(f"node:get:{name}")]

    def _of_own(self, values: dict[str, Any]) -> dict[str, Any]:
        """A project enrols nodes of its own only."""
        own = self.caller.project_id
        allowed = self.has(features.SELF_SERVICE) and self.allows("node:create:self_owned_node") and own
        if not allowed or values.get("owner", own) != own:
            raise Forbidden(text="Policy does not allow baremetal:node:create to be performed.")
        return values | {"owner": own}


class NodeViewSet(NodesViewSet):
    def retrieve(self, request: Request, node: str) -> HttpResponse:
        query = self.query({"fields": features.FIELDS})
        names = lists.fields(query, since=schemas.SINCE | schemas.SUBRESOURCES, version=self.microversion)
        view = schemas.view(self.microversion, names)
        row = node_lists.get(
            ident=self.ident(node), columns=("pk", "generation", *view.columns), access=self.access("node:get")
        )
        return self.answer(self.shown(view, row), etag=etag(row["pk"], row["generation"]))

    def partial_update(self, request: Request, node: str) -> HttpResponse:
        query = self.query({"reset_interfaces": features.RESET_INTERFACES})
        patch = parse.patch(self.body(), self.microversion)
        changed = nodes.edit(
            ident=self.ident(node),
            patch=patch,
            access=self.access(*policies.rules_for(patch)),
            may_reassign_active=self.allows("node:update_owner_provisioned"),
            reset_interfaces=lists.flag("reset_interfaces", query.get("reset_interfaces", "no")),
            inspecting_is_busy=self.has(features.INSPECT_WAIT_STATE),
            origin=self.origin,
        )
        return self.whole(changed)

    def destroy(self, request: Request, node: str) -> HttpResponse:
        self.query({})
        own = self.has(features.SELF_SERVICE) and not self.allows("node:delete")
        rule = "node:delete:self_owned_node" if own else "node:delete"
        nodes.delete(ident=self.ident(node), access=self.access(rule), origin=self.origin)
        return self.answer(status=204)


def etag(pk: int, generation: int) -> str:
    return f'"{tag(pk, generation)}"'
