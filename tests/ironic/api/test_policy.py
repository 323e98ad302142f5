"""Who may call what: every rule × every sort of caller, by the answer over HTTP.

Project p1 owns the node and what hangs on it, p2 has it on lease, p3 has nothing to do with it.
"""

import dataclasses
from typing import Any

import pytest
from django.db import transaction

from ironic_app.api.policies import NODE_RULES, OTHER_RULES
from ironic_app.models import Chassis, Node, PortGroup, VolumeConnector
from tests.ironic.builders import add, make_allocation, make_node, make_port, project

A = "aaaaaaaa-0000-4000-8000-00000000000a"
NODE, PORT, GROUP, VOLUME, CHASSIS, ALLOCATION = (
    f"{path}/{A}" for path in ("nodes", "ports", "portgroups", "volume/connectors", "chassis", "allocations")
)
STEPS = [{"interface": "deploy", "step": "x"}]


def of_system(role: str) -> dict[str, Any]:
    return {"token": "somebody", "headers": {"X-Roles": role, "OpenStack-System-Scope": "all"}}


CALLERS = {
    "admin": project("p9", "admin"),
    "service": project("p9", "service"),
    "system's member": of_system("member,reader"),
    "system's reader": of_system("reader"),
    **{
        f"{who}'s {role}": project(name, roles)
        for who, name in (("owner", "p1"), ("lessee", "p2"), ("stranger", "p3"))
        for role, roles in (("manager", "manager,member"), ("member", "member"), ("reader", "reader"))
    },
}


def some(*names: str) -> frozenset[str]:
    return frozenset(names)


# --- levels, each from the widest down --------------------------------------------------------------------------------
ADMIN = some("admin")
ADMIN_OR_SERVICE = ADMIN | some("service")
SYSTEM_MEMBER = ADMIN_OR_SERVICE | some("system's member")
SYSTEM_READER = SYSTEM_MEMBER | some("system's reader")
ADMIN_OR_OWNERS_MANAGER = ADMIN_OR_SERVICE | some("owner's manager")
OWNERS_MANAGER = SYSTEM_MEMBER | some("owner's manager")
MANAGERS = OWNERS_MANAGER | some("lessee's manager")
OWNERS_MEMBER = OWNERS_MANAGER | some("owner's member")
OWNERS_MEMBER_OR_LESSEES_MANAGER = OWNERS_MEMBER | MANAGERS
MEMBERS = OWNERS_MEMBER_OR_LESSEES_MANAGER | some("lessee's member")
OWNERS_READER = OWNERS_MEMBER | SYSTEM_READER | some("owner's reader")
READERS = OWNERS_READER | MEMBERS | some("lessee's reader")
EVERYBODY = frozenset(CALLERS)


@dataclasses.dataclass(frozen=True)
class Row:
    allowed: frozenset[str]
    request: str
    body: Any = None
    status: int = 200
    """What those get who may."""
    hidden: int = 404
    """What strangers get: for them there is no such node."""
    version: str = "newest"


def patch(field: str, value: Any, allowed: frozenset[str]) -> Row:
    return Row(allowed, f"PATCH {NODE}", [add(f"/{field}", value)])


ROWS = {
    "node:create": Row(ADMIN_OR_SERVICE, "POST nodes", {"driver": "fake-hardware", "owner": "p9"}, 201, 403),
    "node:create:self_owned_node": Row(
        ADMIN_OR_SERVICE | {"owner's manager", "lessee's manager", "stranger's manager"},
        "POST nodes",
        {"driver": "fake-hardware"},
        201,
        403,
    ),
    "node:list": Row(EVERYBODY, "GET nodes"),
    "node:get": Row(READERS, f"GET {NODE}"),
    "node:update": patch("description", "d", OWNERS_MEMBER),
    "node:update_extra": patch("extra", {"a": 1}, MEMBERS),
    "node:update_instance_info": patch("instance_info", {"a": 1}, OWNERS_MEMBER_OR_LESSEES_MANAGER),
    "node:update:instance_uuid": patch("instance_uuid", A, OWNERS_MEMBER),
    "node:update:owner": patch("owner", "p9", SYSTEM_MEMBER),
    "node:update:lessee": patch("lessee", "p9", OWNERS_MEMBER),
    "node:update:driver_info": patch("driver_info", {"a": 1}, OWNERS_MEMBER),
    "node:update:driver_interfaces": patch("boot_interface", "fake", OWNERS_MANAGER),
    "node:update:properties": patch("properties", {"cpus": 4}, OWNERS_MEMBER),
    "node:update:chassis_uuid": patch("chassis_uuid", A, ADMIN_OR_SERVICE),
    "node:update:disable_power_off": patch("disable_power_off", True, ADMIN_OR_SERVICE),
    "node:disable_cleaning": patch("automated_clean", "off", ADMIN_OR_SERVICE),
    "node:update:network_data": patch("network_data", {}, OWNERS_MEMBER),
    "node:update:conductor_group": patch("conductor_group", "g", SYSTEM_MEMBER),
    "node:update:name": patch("name", "node-2", OWNERS_MEMBER),
    "node:update:retired": patch("retired", True, OWNERS_MEMBER),
    "node:update:shard": patch("shard", "s", ADMIN_OR_SERVICE),
    "node:update:parent_node": patch("parent_node", None, SYSTEM_MEMBER),
    "node:delete": Row(ADMIN, f"DELETE {NODE}", status=204, version="1.79"),
    "node:delete:self_owned_node": Row(ADMIN | {"owner's manager"}, f"DELETE {NODE}", status=204),
    "node:validate": Row(OWNERS_MEMBER_OR_LESSEES_MANAGER, f"GET {NODE}/validate"),
    "node:set_maintenance": Row(OWNERS_MEMBER_OR_LESSEES_MANAGER, f"PUT {NODE}/maintenance", {}, 202),
    "node:clear_maintenance": Row(OWNERS_MEMBER_OR_LESSEES_MANAGER, f"DELETE {NODE}/maintenance", status=202),
    "node:get_states": Row(READERS, f"GET {NODE}/states"),
    "node:set_power_state": Row(MEMBERS, f"PUT {NODE}/states/power", {"target": "power on"}, 202),
    "node:set_boot_mode": Row(MEMBERS, f"PUT {NODE}/states/boot_mode", {"target": "uefi"}, 202),
    "node:set_secure_boot": Row(MEMBERS, f"PUT {NODE}/states/secure_boot", {"target": True}, 202),
    "node:set_raid_state": Row(OWNERS_MEMBER, f"PUT {NODE}/states/raid", {}, 204),
    "node:get_console": Row(OWNERS_MEMBER, f"GET {NODE}/states/console"),
    "node:set_console_state": Row(OWNERS_MEMBER, f"PUT {NODE}/states/console", {"enabled": True}, 202),
    "node:get_boot_device": Row(OWNERS_MANAGER, f"GET {NODE}/management/boot_device"),
    "node:set_boot_device": Row(OWNERS_MANAGER, f"PUT {NODE}/management/boot_device", {"boot_device": "pxe"}, 204),
    "node:inject_nmi": Row(OWNERS_MANAGER, f"PUT {NODE}/management/inject_nmi", {}, 400),
    "node:get_indicator_state": Row(READERS, f"GET {NODE}/management/indicators"),
    "node:set_provision_state": Row(
        OWNERS_MEMBER_OR_LESSEES_MANAGER, f"PUT {NODE}/states/provision", {"target": "provide"}, 202
    ),
    "node:set_provision_state:clean_steps": Row(
        OWNERS_MEMBER_OR_LESSEES_MANAGER, f"PUT {NODE}/states/provision", {"target": "clean", "clean_steps": STEPS}, 202
    ),
    "node:set_provision_state:service_steps": Row(
        OWNERS_MEMBER_OR_LESSEES_MANAGER,
        f"PUT {NODE}/states/provision",
        {"target": "service", "service_steps": STEPS},
        400,
    ),
    "node:traits:list": Row(READERS, f"GET {NODE}/traits"),
    "node:traits:set": Row(OWNERS_MANAGER, f"PUT {NODE}/traits", {"traits": ["CUSTOM_A"]}, 204),
    "node:traits:delete": Row(OWNERS_MANAGER, f"DELETE {NODE}/traits", status=204),
    "node:vif:list": Row(READERS, f"GET {NODE}/vifs"),
    "node:vif:attach": Row(OWNERS_MEMBER_OR_LESSEES_MANAGER, f"POST {NODE}/vifs", {"id": "vif-1"}, 204),
    "node:vif:detach": Row(OWNERS_MEMBER_OR_LESSEES_MANAGER, f"DELETE {NODE}/vifs/vif-1", status=400),
    "node:bios:get": Row(READERS, f"GET {NODE}/bios"),
    "node:firmware:get": Row(READERS, f"GET {NODE}/firmware"),
    "node:vmedia:get": Row(READERS, f"GET {NODE}/vmedia", status=400),
    "node:vmedia:attach": Row(MEMBERS, f"POST {NODE}/vmedia", {}, 400),
    "node:vmedia:detach": Row(MEMBERS, f"DELETE {NODE}/vmedia", status=400),
    "node:vendor_passthru": Row(ADMIN, f"GET {NODE}/vendor_passthru/methods"),
    "node:history:get": Row(OWNERS_READER, f"GET {NODE}/history"),
    "node:inventory:get": Row(OWNERS_READER, f"GET {NODE}/inventory", status=404),
    "shards:get": Row(SYSTEM_READER, "GET shards", hidden=403),
    "port:list": Row(EVERYBODY, "GET ports"),
    "port:get": Row(READERS, f"GET {PORT}"),
    "port:create": Row(
        ADMIN_OR_OWNERS_MANAGER, "POST ports", {"node_uuid": A, "address": "52:54:00:00:00:02"}, 201, 400
    ),
    "port:update": Row(OWNERS_MANAGER, f"PATCH {PORT}", [add("/extra", {})]),
    "port:delete": Row(ADMIN_OR_OWNERS_MANAGER, f"DELETE {PORT}", status=204),
    "portgroup:list": Row(EVERYBODY, "GET portgroups"),
    "portgroup:get": Row(READERS, f"GET {GROUP}"),
    "portgroup:create": Row(ADMIN_OR_OWNERS_MANAGER, "POST portgroups", {"node_uuid": A}, 201, 400),
    "portgroup:update": Row(OWNERS_MANAGER, f"PATCH {GROUP}", [add("/extra", {})]),
    "portgroup:delete": Row(ADMIN_OR_OWNERS_MANAGER, f"DELETE {GROUP}", status=204),
    "chassis:get": Row(SYSTEM_READER, f"GET {CHASSIS}", hidden=403),
    "chassis:create": Row(ADMIN, "POST chassis", {}, 201, 403),
    "chassis:update": Row(SYSTEM_MEMBER, f"PATCH {CHASSIS}", [add("/extra", {})], hidden=403),
    "chassis:delete": Row(ADMIN, f"DELETE {CHASSIS}", status=204, hidden=403),
    "driver:get": Row(SYSTEM_READER, "GET drivers/fake-hardware", hidden=403),
    "driver:get_properties": Row(SYSTEM_READER, "GET drivers/fake-hardware/properties", hidden=403),
    "driver:get_raid_logical_disk_properties": Row(
        SYSTEM_READER, "GET drivers/fake-hardware/raid/logical_disk_properties", hidden=403
    ),
    "driver:vendor_passthru": Row(ADMIN, "GET drivers/fake-hardware/vendor_passthru/methods", hidden=403),
    "conductor:get": Row(SYSTEM_READER, "GET conductors", hidden=403),
    "events:post": Row(ADMIN_OR_SERVICE, "POST events", {"events": [{"event": "network.bind_port"}]}, 204, 403),
    "deploy_template:get": Row(SYSTEM_READER, "GET deploy_templates", hidden=403),
    "inspection_rule:get": Row(SYSTEM_READER, "GET inspection_rules", hidden=403),
    "runbook:list": Row(EVERYBODY, "GET runbooks"),
    "volume:list": Row(EVERYBODY, "GET volume/connectors"),
    "volume:get": Row(READERS, f"GET {VOLUME}"),
    "volume:create": Row(
        MANAGERS, "POST volume/connectors", {"node_uuid": A, "type": "ip", "connector_id": "y"}, 201, 400
    ),
    "volume:update": Row(OWNERS_MEMBER_OR_LESSEES_MANAGER, f"PATCH {VOLUME}", [add("/extra", {})]),
    "volume:delete": Row(MANAGERS, f"DELETE {VOLUME}", status=204),
    "allocation:get": Row(OWNERS_READER, f"GET {ALLOCATION}"),
    "allocation:list": Row(EVERYBODY, "GET allocations"),
    "allocation:create": Row(
        EVERYBODY - {name for name in CALLERS if "reader" in name},
        "POST allocations",
        {"resource_class": "x"},
        201,
        403,
    ),
    "allocation:create_restricted": Row(
        SYSTEM_MEMBER, "POST allocations", {"resource_class": "x", "owner": "p9"}, 201, 403
    ),
    "allocation:update": Row(OWNERS_MEMBER, f"PATCH {ALLOCATION}", [add("/extra", {})]),
    "allocation:delete": Row(OWNERS_MEMBER, f"DELETE {ALLOCATION}", status=204),
}
OF_WHAT_IS_SEEN = {
    "node:list_all", "node:get:last_error", "node:get:reservation", "node:get:driver_info",
    "node:get:driver_internal_info", "node:update_owner_provisioned", "port:list_all", "portgroup:list_all",
    "volume:list_all", "volume:view_target_properties", "allocation:list_all",
}  # fmt: skip
"""Rules that don't decide whether an answer is given, but what is in it; tested with what they show."""


@pytest.fixture(autouse=True)
def something(db):
    Chassis.objects.create(uuid=A)
    node = make_node(
        uuid=A, name="node-1", provision_state="manageable", power_state="power off", boot_interface="ipxe"
    )
    Node.objects.update(owner="p1", lessee="p2")
    make_port(node, uuid=A, address="52:54:00:00:00:01")
    PortGroup.objects.create(uuid=A, node=node)
    VolumeConnector.objects.create(uuid=A, node=node, type="ip", connector_id="x")
    make_allocation(uuid=A, owner="p1", state="error")


def test_every_rule_is_in_the_table():
    rules = {rule.name.removeprefix("baremetal:") for rule in (*NODE_RULES, *OTHER_RULES)}

    assert rules == ROWS.keys() | OF_WHAT_IS_SEEN


@pytest.mark.parametrize("rule", ROWS)
def test_answers_each_caller_as_the_rule_says(baremetal, rule):
    row = ROWS[rule]
    answers = {}

    for name, caller in CALLERS.items():
        before = transaction.savepoint()
        answers[name] = answer(baremetal, row, caller)
        transaction.savepoint_rollback(before)

    assert answers == {name: expected(row, name) for name in CALLERS}


@pytest.mark.parametrize("rule", ROWS)
def test_leaves_no_trace_of_whoever_is_refused(baremetal, rule):
    row = ROWS[rule]
    before = Node.objects.order_by("pk").values_list("uuid", "generation", "owner")
    seen = list(before)

    for name, caller in CALLERS.items():
        if name not in row.allowed:
            answer(baremetal, row, caller)

    assert list(before.all()) == seen


def answer(client: Any, row: Row, caller: dict[str, Any]) -> int:
    method, path = row.request.split()
    response = client.send(method, f"/v1/{path}", row.body, version=row.version, **caller)
    status: int = response.status_code
    return status


def expected(row: Row, name: str) -> int:
    if name in row.allowed:
        return row.status
    # The lessee of a node has nothing to do with the allocations of its owner.
    strangers = ("stranger", "lessee") if f" {ALLOCATION}" in row.request else ("stranger",)
    return row.hidden if name.startswith(strangers) else 403
