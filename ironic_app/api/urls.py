"""Ironic's routes. A path part is any text; ``/v1`` may be missing; one trailing slash is ignored."""

from __future__ import annotations

import re
from typing import Any

from django.urls import URLPattern, include, re_path

from ironic_app.api.viewsets import (
    allocations,
    chassis,
    machines,
    node_parts,
    node_states,
    nodes,
    parts,
    ramdisk,
    service,
    vifs,
)
from ironic_app.api.viewsets.base import IronicViewSet, UnknownPath
from ironic_app.api.viewsets.root import RootViewSet, V1ViewSet

app_name = "ironic"


def route(path: str, view: type[IronicViewSet], **actions: Any) -> URLPattern:
    """``route("nodes/<node>/states", View, get="retrieve")``: method → name of the handler."""
    pattern = re.sub(r"<(\w+)>", r"(?P<\1>[^/]+)", path)
    return re_path(rf"^{pattern}/?\Z", view.as_view(actions), name=path)


root = RootViewSet.as_view({"get": "retrieve"})

of_nodes = [
    route("nodes", nodes.NodeListViewSet, get="list", post="create"),
    route("nodes/detail", nodes.NodeListViewSet, get="list_whole"),
    route("nodes/<node>", nodes.NodeViewSet, get="retrieve", patch="partial_update", delete="destroy"),
    route("nodes/<node>/states", node_parts.NodeStatesViewSet, get="retrieve"),
    route("nodes/<node>/maintenance", node_parts.NodeMaintenanceViewSet, put="update", delete="destroy"),
    route("nodes/<node>/validate", node_parts.NodeValidateViewSet, get="retrieve"),
    route("nodes/<node>/traits", node_parts.NodeTraitsViewSet, get="list", put="replace", delete="clear"),
    route("nodes/<node>/traits/<trait>", node_parts.NodeTraitViewSet, put="update", delete="destroy"),
    route("nodes/<node>/children", node_parts.NodeChildrenViewSet, get="list"),
    route("nodes/<node>/states/provision", node_states.NodeProvisionViewSet, put="update"),
    route("nodes/<node>/states/power", node_states.NodePowerViewSet, put="update"),
    route("nodes/<node>/allocation", allocations.NodeAllocationViewSet, get="retrieve", delete="destroy"),
    route("nodes/<node>/vifs", vifs.NodeVifListViewSet, get="list", post="attach"),
    route("nodes/<node>/vifs/<vif>", vifs.NodeVifViewSet, delete="detach"),
    route("nodes/<node>/ports", parts.PortListViewSet, get="list_of_node"),
    route("nodes/<node>/ports/detail", parts.PortListViewSet, get="list_whole_of_node"),
    route("nodes/<node>/portgroups", parts.PortgroupListViewSet, get="list_of_node"),
    route("nodes/<node>/portgroups/detail", parts.PortgroupListViewSet, get="list_whole_of_node"),
    route("nodes/<node>/volume", parts.VolumeViewSet, get="retrieve"),
    route("nodes/<node>/volume/connectors", parts.ConnectorListViewSet, get="list_of_node"),
    route("nodes/<node>/volume/targets", parts.TargetListViewSet, get="list_of_node"),
]
of_machines = [
    route("nodes/<node>/states/console", machines.ConsoleViewSet, get="retrieve", put="update"),
    route("nodes/<node>/states/boot_mode", machines.BootModeViewSet, put="update"),
    route("nodes/<node>/states/secure_boot", machines.SecureBootViewSet, put="update"),
    route("nodes/<node>/states/raid", machines.RaidViewSet, put="update"),
    route("nodes/<node>/management/boot_device", machines.BootDeviceViewSet, get="retrieve", put="update"),
    route("nodes/<node>/management/boot_device/supported", machines.BootDeviceViewSet, get="supported"),
    route("nodes/<node>/management/inject_nmi", machines.NmiViewSet, put="update"),
    route("nodes/<node>/management/indicators", machines.IndicatorsViewSet, get="list"),
    route("nodes/<node>/bios", machines.BiosViewSet, get="list"),
    route("nodes/<node>/bios/<setting>", machines.BiosViewSet, get="retrieve"),
    route("nodes/<node>/firmware", machines.FirmwareViewSet, get="list"),
    route("nodes/<node>/inventory", machines.InventoryViewSet, get="retrieve"),
    route("nodes/<node>/history", machines.HistoryViewSet, get="list"),
    route("nodes/<node>/history/<entry>", machines.HistoryViewSet, get="retrieve"),
    route("nodes/<node>/vmedia", machines.VirtualMediaViewSet, get="retrieve", post="attach", delete="detach"),
    route("nodes/<node>/vendor_passthru/methods", machines.PassthruViewSet, get="methods"),
    route("nodes/<node>/vendor_passthru", machines.PassthruViewSet, get="call", post="call", put="call", delete="call"),
    route(
        "nodes/<node>/vendor_passthru/<method>",
        machines.PassthruViewSet,
        get="call",
        post="call",
        put="call",
        delete="call",
    ),
]
others = [
    route("allocations", allocations.AllocationListViewSet, get="list", post="create"),
    route(
        "allocations/<allocation>",
        allocations.AllocationViewSet,
        get="retrieve",
        patch="partial_update",
        delete="destroy",
    ),
    route("ports", parts.PortListViewSet, get="list", post="create"),
    route("ports/detail", parts.PortListViewSet, get="list_whole"),
    route("ports/<part>", parts.PortViewSet, get="retrieve", patch="partial_update", delete="destroy"),
    route("portgroups", parts.PortgroupListViewSet, get="list", post="create"),
    route("portgroups/detail", parts.PortgroupListViewSet, get="list_whole"),
    route("portgroups/<part>", parts.PortgroupViewSet, get="retrieve", patch="partial_update", delete="destroy"),
    route("portgroups/<portgroup>/ports", parts.PortListViewSet, get="list_of_portgroup"),
    route("volume", parts.VolumeViewSet, get="retrieve"),
    route("volume/connectors", parts.ConnectorListViewSet, get="list", post="create"),
    route("volume/connectors/<part>", parts.ConnectorViewSet, get="retrieve", patch="partial_update", delete="destroy"),
    route("volume/targets", parts.TargetListViewSet, get="list", post="create"),
    route("volume/targets/<part>", parts.TargetViewSet, get="retrieve", patch="partial_update", delete="destroy"),
    route("chassis", chassis.ChassisListViewSet, get="list", post="create"),
    route("chassis/detail", chassis.ChassisListViewSet, get="list_whole"),
    route("chassis/<chassis_uuid>", chassis.ChassisViewSet, get="retrieve", patch="partial_update", delete="destroy"),
    route("chassis/<chassis_uuid>/nodes", chassis.ChassisNodesViewSet, get="list_of_chassis"),
    route("chassis/<chassis_uuid>/nodes/detail", chassis.ChassisNodesViewSet, get="list_whole_of_chassis"),
    route("conductors", service.ConductorListViewSet, get="list"),
    route("conductors/<hostname>", service.ConductorViewSet, get="retrieve"),
    route("drivers", service.DriverListViewSet, get="list"),
    route("drivers/<driver>", service.DriverViewSet, get="retrieve"),
    route("drivers/<driver>/properties", service.DriverPropertiesViewSet, get="retrieve"),
    route("drivers/<driver>/raid/logical_disk_properties", service.DriverDisksViewSet, get="retrieve"),
    route("drivers/<driver>/vendor_passthru/methods", service.DriverMethodsViewSet, get="retrieve"),
    route("shards", node_parts.ShardsViewSet, get="list"),
    route("deploy_templates", service.DeployTemplatesViewSet, get="list"),
    route("deploy_templates/<ident>", service.DeployTemplatesViewSet, get="retrieve"),
    route("runbooks", service.RunbooksViewSet, get="list"),
    route("runbooks/<ident>", service.RunbooksViewSet, get="retrieve"),
    route("inspection_rules", service.InspectionRulesViewSet, get="list"),
    route("inspection_rules/<ident>", service.InspectionRulesViewSet, get="retrieve"),
    route("lookup", ramdisk.LookupViewSet, get="retrieve"),
    route("heartbeat/<node>", ramdisk.HeartbeatViewSet, post="create"),
    route("continue_inspection", ramdisk.ContinueInspectionViewSet, post="create"),
    route("events", service.EventsViewSet, post="create"),
]
resources: list[URLPattern] = [*of_nodes, *of_machines, *others]

urlpatterns = [
    re_path(r"^\Z", root, name="root"),
    route("v1", V1ViewSet, get="retrieve"),
    re_path(r"^(?:v1/)?", include(resources)),
    # Last: whatever nobody knows.
    re_path("", UnknownPath.as_view({"get": "not_found"})),
]
