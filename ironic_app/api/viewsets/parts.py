"""Ports, port groups and volume records: one behaviour, three tables."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, ClassVar

from django.db.models import Q
from django.http import HttpResponse
from rest_framework.request import Request

from claimsite.foundation.openstack.microversion import Microversion
from ironic_app.api import features
from ironic_app.api.errors import Refusal
from ironic_app.api.parse import lists, patches
from ironic_app.api.parse import parts as parse
from ironic_app.api.schemas import resources
from ironic_app.api.viewsets.base import IronicViewSet
from ironic_app.api.viewsets.collections import CollectionViewSet
from ironic_app.attributes import Unfit
from ironic_app.errors import Forbidden, Invalid
from ironic_app.services import nodes, parts, ports, volumes

_DETAIL = frozenset({"fields", "detail"})


class PartsViewSet(CollectionViewSet):
    kind: ClassVar[parts.Kind[Any]]
    policy: ClassVar[str]
    """What the names of its rules begin with."""
    query_since: ClassVar[Mapping[str, Microversion]] = parse.OF_LISTS
    filters: ClassVar[Collection[str]] = ("node",)
    """The filters that exclude each other: each names an owner of the parts. So does the address of a list of some."""

    def created(self, request: Request) -> HttpResponse:
        values = parse.values(
            self.body(),
            noun=self.kind.word,
            writable=self.kind.attributes,
            required=[*self.kind.required, "node_uuid"],
            since=self.resource.since,
            version=self.microversion,
        )
        return self.made(lists.uuid("node_uuid", str(values.pop("node_uuid"))), values)

    def made(self, node: str, values: Mapping[str, Any]) -> HttpResponse:
        access = self.access(f"{self.policy}:create")
        made = parts.create(self.kind, values=values, node=node, access=access, origin=self.origin)
        return self.shown(made.uuid, status=201, location=f"{self.resource.path}/{made.uuid}")

    def ident(self, text: str) -> str:
        """The address of a part as the services take it."""
        return text

    def shown(self, uuid: str, **options: Any) -> HttpResponse:
        return self.one(parts.find(self.kind).filter(uuid=uuid), **options)

    def listed(
        self, query: Mapping[str, str], *, whole: bool, condition: Q | None = None, path: str | None = None
    ) -> HttpResponse:
        """``condition``: whose parts they are. ``path``: where the list stands, if not at the kind's own place."""
        if not (self.allows(f"{self.policy}:list_all") or self.allows(f"{self.policy}:list")):
            raise Forbidden(text=f"Policy does not allow baremetal:{self.policy}:list to be performed.")
        rows = parts.find(self.kind, access=self.access()).filter(self.condition(query), condition or Q())
        names = None if whole else self.names(query)
        own_path = f"{self.resource.path}/detail" if whole else self.resource.path
        return self.page(rows, query, names, path=path or own_path)

    def query_of_list(self, *, whole: bool = False, owned: bool = False) -> dict[str, str]:
        """``owned``: the address of the list names an owner already."""
        known = {name: since for name, since in self.query_since.items() if not (whole and name in _DETAIL)}
        query = self.query(known)
        if sum(name in query for name in self.filters) + owned > 1:
            raise self.too_many_filters()
        return query

    def too_many_filters(self) -> Exception:
        return Forbidden(text="Operation not permitted.")

    def condition(self, query: Mapping[str, str]) -> Q:
        condition = Q()
        if "node" in query:
            condition &= Q(node=nodes.get(ident=query["node"], access=self.access()).uuid)
        if "address" in query:
            try:
                condition &= Q(address=ports.mac("address", query["address"]))
            except Unfit as error:
                raise Refusal(400, str(error)) from None
        return condition


class PartListViewSet(PartsViewSet):
    def list(self, request: Request) -> HttpResponse:
        return self.listed(self.query_of_list(), whole=False)

    def list_whole(self, request: Request) -> HttpResponse:
        return self.listed(self.query_of_list(whole=True), whole=True)

    def list_of_node(self, request: Request, node: str) -> HttpResponse:
        return self.of_node(node, whole=False)

    def list_whole_of_node(self, request: Request, node: str) -> HttpResponse:
        return self.of_node(node, whole=True)

    def of_node(self, node: str, *, whole: bool) -> HttpResponse:
        found = nodes.get(ident=node, access=self.access())
        path = f"nodes/{node}/{self.resource.path}{'/detail' if whole else ''}"
        query = self.query_of_list(whole=whole, owned=True)
        return self.listed(query, whole=whole, condition=Q(node=found.uuid), path=path)

    def create(self, request: Request) -> HttpResponse:
        self.query({})
        return self.created(request)


class PartViewSet(PartsViewSet):
    def retrieve(self, request: Request, part: str) -> HttpResponse:
        names = self.fields(self.query({"fields": features.FIELDS}))
        found = parts.get(self.kind, ident=self.ident(part), access=self.access(f"{self.policy}:get"))
        return self.shown(found.uuid, names=names)

    def partial_update(self, request: Request, part: str) -> HttpResponse:
        self.query({})
        patch = patches.patch(
            self.body(),
            version=self.microversion,
            patchable=self.kind.attributes.keys() - {"uuid"},
            since=self.resource.since,
        )
        access = self.access(f"{self.policy}:update")
        changed = parts.edit(self.kind, ident=self.ident(part), patch=patch, access=access, origin=self.origin)
        return self.shown(changed.uuid)

    def destroy(self, request: Request, part: str) -> HttpResponse:
        self.query({})
        access = self.access(f"{self.policy}:delete")
        parts.delete(self.kind, ident=self.ident(part), access=access, origin=self.origin)
        return self.answer(status=204)


# --- ports ------------------------------------------------------------------------------------------------------------
class OfPorts(PartsViewSet):
    kind = ports.PORTS
    resource = resources.PORTS
    policy = "port"
    query_since = parse.OF_PORTS
    filters = ("node", "portgroup", "shard")

    def query_of_list(self, *, whole: bool = False, owned: bool = False) -> dict[str, str]:
        query = super().query_of_list(whole=whole, owned=owned)
        if "conductor_groups" in query and (owned or {"node", "node_uuid", "portgroup"} & query.keys()):
            raise Refusal(
                400,
                "Filtering by conductor_groups cannot be combined with node_ident, portgroup_ident, or node address "
                "filters.",
            )
        return query

    def condition(self, query: Mapping[str, str]) -> Q:
        condition = super().condition(query)
        if "node_uuid" in query:
            condition &= Q(node=nodes.get(ident=lists.uuid("node_uuid", query["node_uuid"]), access=self.access()).uuid)
        if "portgroup" in query:
            condition &= Q(portgroup=parts.get(ports.PORTGROUPS, ident=query["portgroup"], access=self.access()).uuid)
        if "shard" in query:
            condition &= Q(node__shard__in=query["shard"].split(","))
        if "description_contains" in query:
            condition &= Q(description__icontains=query["description_contains"])
        if "conductor_groups" in query:
            condition &= Q(node__conductor_group__in=query["conductor_groups"].lower().split(","))
        return condition


class PortListViewSet(OfPorts, PartListViewSet):
    def list_of_portgroup(self, request: Request, portgroup: str) -> HttpResponse:
        query = self.query_of_list(owned=True)
        found = parts.get(ports.PORTGROUPS, ident=portgroup, access=self.access())
        path = f"portgroups/{portgroup}/ports"
        return self.listed(query, whole=False, condition=Q(portgroup=found.uuid), path=path)

    def created(self, request: Request) -> HttpResponse:
        """A port may name its node by name."""
        body = self.body()
        if not isinstance(body, dict) or "node_ident" not in body:
            return super().created(request)
        self.require(features.NODE_IDENT_OF_PORT)
        if "node_uuid" in body or not isinstance(body["node_ident"], str):
            raise Invalid(text="Schema error for port: either node_uuid or node_ident names the node, as text")
        values = parse.values(
            {name: value for name, value in body.items() if name != "node_ident"},
            noun=self.kind.word,
            writable=self.kind.attributes,
            required=self.kind.required,
            since=self.resource.since,
            version=self.microversion,
        )
        return self.made(body["node_ident"], values)


class PortViewSet(OfPorts, PartViewSet):
    """One port."""


# --- port groups ------------------------------------------------------------------------------------------------------
class OfPortgroups(PartsViewSet):
    kind = ports.PORTGROUPS
    resource = resources.PORTGROUPS
    policy = "portgroup"
    query_since = parse.OF_PORTGROUPS
    filters = ("node", "shard")
    since = dict.fromkeys(["GET", "POST", "PATCH", "DELETE"], features.PORTGROUPS)

    def condition(self, query: Mapping[str, str]) -> Q:
        condition = super().condition(query)
        return condition & Q(node__shard__in=query["shard"].split(",")) if "shard" in query else condition

    def too_many_filters(self) -> Exception:
        return Refusal(400, "Filtering by node, address, or shard simultaneously is not supported.")


class PortgroupListViewSet(OfPortgroups, PartListViewSet):
    """All port groups, or those of a node."""


class PortgroupViewSet(OfPortgroups, PartViewSet):
    """One port group."""


# --- volumes ----------------------------------------------------------------------------------------------------------
class OfVolumes(PartsViewSet):
    policy = "volume"
    query_since = parse.OF_VOLUMES
    since = dict.fromkeys(["GET", "POST", "PATCH", "DELETE"], features.VOLUMES)

    def ident(self, text: str) -> str:
        """These have no names."""
        return lists.uuid(f"{self.kind.word}_uuid", text)


class ConnectorListViewSet(OfVolumes, PartListViewSet):
    kind = volumes.CONNECTORS
    resource = resources.CONNECTORS


class ConnectorViewSet(OfVolumes, PartViewSet):
    kind = volumes.CONNECTORS
    resource = resources.CONNECTORS


class OfTargets(OfVolumes):
    kind = volumes.TARGETS
    resource = resources.TARGETS

    def document(self, view: resources.View, row: Mapping[str, Any]) -> dict[str, Any]:
        """How a volume is reached may be known to fewer than that there is one."""
        document = super().document(view, row)
        rule = "volume:view_target_properties"
        if "properties" in document and not self.allows(rule):
            document["properties"] = {
                "redacted_contents": f"** Value Redacted - Requires baremetal:{rule} permission. **"
            }
        return document


class TargetListViewSet(OfTargets, PartListViewSet):
    """All volume targets, or those of a node."""


class TargetViewSet(OfTargets, PartViewSet):
    """One volume target."""


class VolumeViewSet(IronicViewSet):
    """What there is of volumes: everywhere, or of one node."""

    since = {"GET": features.VOLUMES}

    def retrieve(self, request: Request, node: str | None = None) -> HttpResponse:
        self.query({})
        place = "volume"
        if node is not None:
            place = f"nodes/{nodes.get(ident=node, access=self.access('node:get')).uuid}/volume"
        return self.answer(
            {
                "links": self.links(f"{place}/"),
                "connectors": self.links(f"{place}/connectors"),
                "targets": self.links(f"{place}/targets"),
            }
        )
