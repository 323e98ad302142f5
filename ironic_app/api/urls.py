"""Ironic's routes. A path part is any text; ``/v1`` may be missing; one trailing slash is ignored."""

from __future__ import annotations

import re
from typing import Any

from django.urls import URLPattern, include, re_path

from ironic_app.api.viewsets.allocations import AllocationListViewSet, AllocationViewSet, NodeAllocationViewSet
from ironic_app.api.viewsets.base import IronicViewSet, UnknownPath
from ironic_app.api.viewsets.node_parts import (
    NodeChildrenViewSet,
    NodeMaintenanceViewSet,
    NodeStatesViewSet,
    NodeTraitsViewSet,
    NodeTraitViewSet,
    NodeValidateViewSet,
    ShardsViewSet,
)
from ironic_app.api.viewsets.node_states import NodePowerViewSet, NodeProvisionViewSet
from ironic_app.api.viewsets.nodes import NodeListViewSet, NodeViewSet
from ironic_app.api.viewsets.root import RootViewSet, V1ViewSet

app_name = "ironic"


def route(path: str, view: type[IronicViewSet], **actions: Any) -> URLPattern:
    """``route("nodes/<node>/states", View, get="retrieve")``: method → name of the handler."""
    pattern = re.sub(r"<(\w+)>", r"(?P<\1>[^/]+)", path)
    return re_path(rf"^{pattern}/?\Z", view.as_view(actions), name=path)


root = RootViewSet.as_view({"get": "retrieve"})

resources: list[URLPattern] = [
    route("nodes", NodeListViewSet, get="list", post="create"),
    route("nodes/detail", NodeListViewSet, get="list_whole"),
    route("nodes/<node>", NodeViewSet, get="retrieve", patch="partial_update", delete="destroy"),
    route("nodes/<node>/states", NodeStatesViewSet, get="retrieve"),
    route("nodes/<node>/maintenance", NodeMaintenanceViewSet, put="update", delete="destroy"),
    route("nodes/<node>/validate", NodeValidateViewSet, get="retrieve"),
    route("nodes/<node>/traits", NodeTraitsViewSet, get="list", put="replace", delete="clear"),
    route("nodes/<node>/traits/<trait>", NodeTraitViewSet, put="update", delete="destroy"),
    route("nodes/<node>/children", NodeChildrenViewSet, get="list"),
    route("nodes/<node>/states/provision", NodeProvisionViewSet, put="update"),
    route("nodes/<node>/states/power", NodePowerViewSet, put="update"),
    route("nodes/<node>/allocation", NodeAllocationViewSet, get="retrieve", delete="destroy"),
    route("allocations", AllocationListViewSet, get="list", post="create"),
    route("allocations/<allocation>", AllocationViewSet, get="retrieve", patch="partial_update", delete="destroy"),
    route("shards", ShardsViewSet, get="list"),
]

urlpatterns = [
    re_path(r"^\Z", root, name="root"),
    route("v1", V1ViewSet, get="retrieve"),
    re_path(r"^(?:v1/)?", include(resources)),
    # Last: whatever nobody knows.
    re_path("", UnknownPath.as_view({"get": "not_found"})),
]
