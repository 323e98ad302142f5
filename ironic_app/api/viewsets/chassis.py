from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from rest_framework.request import Request

from ironic_app.api import features
from ironic_app.api.parse import lists, patches
from ironic_app.api.parse import nodes as parse_nodes
from ironic_app.api.parse import parts as parse
from ironic_app.api.schemas import nodes as node_schemas
from ironic_app.api.schemas.resources import CHASSIS
from ironic_app.api.viewsets.collections import CollectionViewSet
from ironic_app.api.viewsets.nodes import NodeListViewSet
from ironic_app.services import chassis


class OfChassis(CollectionViewSet):
    resource = CHASSIS
    rules = {
        "GET": "baremetal:chassis:get",
        "POST": "baremetal:chassis:create",
        "PATCH": "baremetal:chassis:update",
        "DELETE": "baremetal:chassis:delete",
    }

    def shown(self, uuid: str, **options: Any) -> HttpResponse:
        return self.one(chassis.find().filter(uuid=uuid), **options)


class ChassisListViewSet(OfChassis):
    def list(self, request: Request) -> HttpResponse:
        query = self.query(parse.OF_LISTS)
        return self.page(chassis.find(), query, self.names(query))

    def list_whole(self, request: Request) -> HttpResponse:
        query = self.query(lists.PAGING)
        return self.page(chassis.find(), query, None, path="chassis/detail")

    def create(self, request: Request) -> HttpResponse:
        self.query({})
        values = parse.values(
            self.body(default={}),
            noun="chassis",
            writable=chassis.ATTRIBUTES,
            required=(),
            since=self.resource.since,
            version=self.microversion,
        )
        made = chassis.create(values=values, origin=self.origin)
        return self.shown(made.uuid, status=201, location=f"chassis/{made.uuid}")


class ChassisViewSet(OfChassis):
    def retrieve(self, request: Request, chassis_uuid: str) -> HttpResponse:
        names = self.fields(self.query({"fields": features.FIELDS}))
        found = chassis.get(uuid=lists.uuid("chassis_uuid", chassis_uuid))
        return self.shown(found.uuid, names=names)

    def partial_update(self, request: Request, chassis_uuid: str) -> HttpResponse:
        self.query({})
        patch = patches.patch(
            self.body(),
            version=self.microversion,
            patchable=chassis.ATTRIBUTES.keys() - {"uuid"},
            since=self.resource.since,
        )
        changed = chassis.edit(uuid=lists.uuid("chassis_uuid", chassis_uuid), patch=patch, origin=self.origin)
        return self.shown(changed.uuid)

    def destroy(self, request: Request, chassis_uuid: str) -> HttpResponse:
        self.query({})
        chassis.delete(uuid=lists.uuid("chassis_uuid", chassis_uuid), origin=self.origin)
        return self.answer(status=204)


class ChassisNodesViewSet(NodeListViewSet):
    def list_of_chassis(self, request: Request, chassis_uuid: str) -> HttpResponse:
        query = self.query(parse_nodes.QUERY)
        detail = lists.flag("detail", query["detail"]) if "detail" in query else False
        names = None if detail else self.fields(query) or node_schemas.SHORT
        return self.page(f"chassis/{chassis_uuid}/nodes", query | {"chassis_uuid": chassis_uuid}, names)

    def list_whole_of_chassis(self, request: Request, chassis_uuid: str) -> HttpResponse:
        query = self.query(parse_nodes.QUERY)
        return self.page(f"chassis/{chassis_uuid}/nodes/detail", query | {"chassis_uuid": chassis_uuid}, None)
