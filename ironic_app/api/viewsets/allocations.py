from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from django.db.models import Q
from django.http import HttpResponse
from rest_framework.request import Request

from ironic_app.api import features
from ironic_app.api.errors import Unroutable
from ironic_app.api.parse import allocations as parse
from ironic_app.api.schemas.resources import ALLOCATIONS
from ironic_app.api.viewsets.collections import CollectionViewSet
from ironic_app.errors import Forbidden, NodeNotFound, UnknownNodeInBody
from ironic_app.locks import Access
from ironic_app.services import allocations, nodes
from ironic_app.services.allocations import Wanted


class AllocationsViewSet(CollectionViewSet):
    resource = ALLOCATIONS

    def may(self, rule: str, owner: str | None = None) -> bool:
        """Whether the caller may do what ``baremetal:<rule>`` guards to an allocation of this owner."""
        return self.enforcer.allows(f"baremetal:{rule}", self.caller, {"allocation.owner": owner})

    def access_to_allocations(self, rule: str) -> Access:
        """What exists for the caller, and that the rule must allow it."""

        def permit(owner: str | None, _: str | None) -> None:
            if not self.may(rule, owner):
                raise Forbidden(text=f"Policy does not allow baremetal:{rule} to be performed.")

        own = Q(owner=self.caller.project_id) if self.caller.project_id else Q(pk__in=[])
        return Access(Q() if self.may("allocation:list_all") else own, permit)

    def check_since(self, request: Request) -> None:
        """Before there were allocations, reading finds nothing, and writing is not allowed."""
        since = self.since.get(request.method or "")
        if since is not None and not self.has(since):
            raise Unroutable(404 if request.method == "GET" else 405)

    def shown(self, uuid: str, *, names: Any = None, **options: Any) -> HttpResponse:
        return self.one(allocations.find().filter(uuid=uuid), names=names, **options)


class AllocationListViewSet(AllocationsViewSet):
    since = dict.fromkeys(["GET", "POST"], features.ALLOCATIONS)

    def list(self, request: Request) -> HttpResponse:
        query = self.query(parse.QUERY)
        access = self.access_to_allocations("allocation:list")
        rows = allocations.find(access=access).filter(self.condition(query))
        return self.page(rows, query, self.fields(query))

    def condition(self, query: Mapping[str, str]) -> Q:
        """Raises UnknownNodeInBody, and Forbidden where somebody asks for what belongs to others."""
        if not (self.may("allocation:list_all") or self.may("allocation:list")):
            raise Forbidden(text="Policy does not allow baremetal:allocation:list to be performed.")
        owner = query.get("owner")
        if owner is not None and owner != self.caller.project_id and not self.may("allocation:list_all"):
            raise Forbidden(text="Policy does not allow baremetal:allocation:list_all to be performed.")
        condition = Q(**{name: query[name] for name in ("resource_class", "state", "owner") if name in query})
        if "node" in query:
            try:
                condition &= Q(node=nodes.get(ident=query["node"], access=self.access()))
            except NodeNotFound:
                raise UnknownNodeInBody(node=query["node"]) from None
        return condition

    def create(self, request: Request) -> HttpResponse:
        self.query({})
        wanted = self.of_caller(parse.wanted(self.body(), self.microversion))
        access = self.access("node:update:instance_uuid")
        made = allocations.create(wanted=wanted, access=access, origin=self.origin)
        location = f"allocations/{made.uuid}"
        if wanted.node is not None:
            return self.shown(made.uuid, status=201, location=location)
        # The answer shows the allocation as it was accepted. Where it ended, a second request tells.
        document = self.resource.view(self.microversion).document(vars(made) | {"node__uuid": None}, self.base_url)
        return self.answer(document, status=201, location=location)

    def of_caller(self, wanted: Wanted) -> Wanted:
        """A project allocates for itself only."""
        if self.may("allocation:create_restricted"):
            return wanted
        own = self.caller.project_id
        if not self.may("allocation:create") or own is None or wanted.owner not in {None, own}:
            raise Forbidden(text="Policy does not allow baremetal:allocation:create to be performed.")
        return dataclasses.replace(wanted, owner=own)


class AllocationViewSet(AllocationsViewSet):
    since = dict.fromkeys(["GET", "DELETE"], features.ALLOCATIONS) | {"PATCH": features.ALLOCATION_UPDATE}

    def retrieve(self, request: Request, allocation: str) -> HttpResponse:
        names = self.fields(self.query({"fields": features.ALLOCATIONS}))
        found = allocations.get(ident=allocation, access=self.access_to_allocations("allocation:get"))
        return self.shown(found.uuid, names=names)

    def partial_update(self, request: Request, allocation: str) -> HttpResponse:
        self.query({})
        changed = allocations.edit(
            ident=allocation,
            patch=parse.patch(self.body(), self.microversion),
            access=self.access_to_allocations("allocation:update"),
            origin=self.origin,
        )
        return self.shown(changed.uuid)

    def destroy(self, request: Request, allocation: str) -> HttpResponse:
        self.query({})
        access = self.access_to_allocations("allocation:delete")
        allocations.delete(ident=allocation, access=access, origin=self.origin)
        return self.answer(status=204)


class NodeAllocationViewSet(AllocationsViewSet):
    since = dict.fromkeys(["GET", "DELETE"], features.ALLOCATIONS)

    def check_since(self, request: Request) -> None:
        CollectionViewSet.check_since(self, request)

    def retrieve(self, request: Request, node: str) -> HttpResponse:
        names = self.fields(self.query({"fields": features.ALLOCATIONS}))
        return self.shown(self.found(node, "allocation:get"), names=names)

    def destroy(self, request: Request, node: str) -> HttpResponse:
        self.query({})
        uuid = self.found(node, "allocation:delete")
        allocations.delete(ident=uuid, access=self.access_to_allocations("allocation:delete"), origin=self.origin)
        return self.answer(status=204)

    def found(self, node: str, rule: str) -> str:
        """The uuid of the node's allocation. Raises UnknownNodeInBody, NodeHasNoAllocation."""
        try:
            found = nodes.get(ident=node, access=self.access())
        except NodeNotFound:
            # 400, as everywhere where the node is not what is being shown.
            raise UnknownNodeInBody(node=node) from None
        return allocations.of_node(node=found, access=self.access_to_allocations(rule)).uuid
