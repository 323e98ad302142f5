"""Ironic's rules of who may call what, under the names that operators know from their ``policy.yaml``.

Administrators and services may do nearly everything. A project may do some things to the nodes that it owns
(``%(node.owner)s``) and fewer to those that it has on lease (``%(node.lessee)s``). Tokens of the whole system are
good everywhere. The defaults are Ironic's. Where it asks for the administrator of a project, a project's manager will
do: an administrator is one everywhere here. And a lessee changes less of a node, not its resource class for one, by
which it is counted.
"""

from __future__ import annotations

from claimsite.foundation.openstack.policy import Enforcer, Rule
from ironic_app.attributes import FALSE
from ironic_app.patching import Op, Operation, Patch

ADMIN = "rule:admin_api"
ADMIN_OR_SERVICE = "rule:admin_api or role:service"
SYSTEM_MEMBER = "rule:system_member"
SYSTEM_READER = "rule:system_reader"
OWNER_READER = "rule:system_reader or rule:owner_reader"
PROJECT_READER = "rule:system_reader or rule:owner_reader or rule:lessee_reader"
OWNER_MEMBER = "rule:system_member or rule:owner_member"
OWNER_MANAGER = "rule:system_member or rule:owner_manager"
ADMIN_OR_OWNER_MANAGER = "rule:admin_api or role:service or rule:owner_manager"
PROJECT_MANAGER = "rule:system_member or rule:owner_manager or rule:lessee_manager"
OWNER_MEMBER_OR_LESSEE_MANAGER = "rule:system_member or rule:owner_member or rule:lessee_manager"
PROJECT_MEMBER = "rule:system_member or rule:owner_member or rule:lessee_member"
ANY_READER = "rule:system_reader or rule:any_reader"

_SCOPES = ("system", "project")
_READS = "(role:reader or role:member or role:manager)"
_WRITES = "(role:member or role:manager)"


def _named(name: str, check: str, description: str) -> Rule:
    return Rule(name, check, description, scopes=_SCOPES)


BASE_RULES = [
    _named("admin_api", "role:admin", "Administrators."),
    _named(
        "system_member",
        f"role:admin or role:service or ({_WRITES} and system_scope:all)",
        "Operators, and services such as Nova.",
    ),
    _named("system_reader", f"rule:system_member or ({_READS} and system_scope:all)", "Auditors."),
    _named("any_reader", _READS, "Whoever may read in some project."),
    _named("any_member", _WRITES, "Whoever may write in some project."),
    _named("any_manager", "role:manager", "Whoever manages some project."),
    _named("owner_reader", f"{_READS} and project_id:%(node.owner)s", "Readers of the project that owns the node."),
    _named("owner_member", f"{_WRITES} and project_id:%(node.owner)s", "Members of the project that owns the node."),
    _named("owner_manager", "role:manager and project_id:%(node.owner)s", "Managers of the node's owner."),
    _named("lessee_reader", f"{_READS} and project_id:%(node.lessee)s", "Readers of the project that leases it."),
    _named("lessee_member", f"{_WRITES} and project_id:%(node.lessee)s", "Members of the project that leases it."),
    _named("lessee_manager", "role:manager and project_id:%(node.lessee)s", "Managers of the node's lessee."),
    _named(
        "allocation_reader",
        f"{_READS} and project_id:%(allocation.owner)s",
        "Readers of the project that owns the allocation.",
    ),
    _named(
        "allocation_member",
        f"{_WRITES} and project_id:%(allocation.owner)s",
        "Members of the project that owns the allocation.",
    ),
]


def _rule(name: str, check: str, description: str, *operations: str) -> Rule:
    return Rule(f"baremetal:{name}", check, description, operations, scopes=_SCOPES)


_NODE = "/nodes/{node}"

NODE_RULES = [
    _rule("node:create", ADMIN_OR_SERVICE, "Enrol nodes.", "POST /nodes"),
    _rule("node:create:self_owned_node", "rule:any_manager", "Enrol nodes of one's own project.", "POST /nodes"),
    _rule("node:list", ANY_READER, "List the nodes of one's own project.", "GET /nodes"),
    _rule("node:list_all", SYSTEM_READER, "List all nodes.", "GET /nodes", "GET /nodes/detail"),
    _rule("node:get", PROJECT_READER, "Show a node.", f"GET {_NODE}"),
    _rule("node:get:last_error", OWNER_READER, "See a node's last error.", f"GET {_NODE}"),
    _rule("node:get:reservation", OWNER_READER, "See who works on a node.", f"GET {_NODE}"),
    _rule("node:get:driver_info", OWNER_READER, "See how a node is reached.", f"GET {_NODE}"),
    _rule("node:get:driver_internal_info", OWNER_READER, "See what a driver keeps of a node.", f"GET {_NODE}"),
    _rule("node:update", OWNER_MEMBER, "Change a node.", f"PATCH {_NODE}"),
    _rule("node:update_extra", PROJECT_MEMBER, "Change what is noted of a node.", f"PATCH {_NODE}"),
    _rule(
        "node:update_instance_info",
        OWNER_MEMBER_OR_LESSEE_MANAGER,
        "Change what is to be deployed on a node.",
        f"PATCH {_NODE}",
    ),
    _rule("node:update:instance_uuid", OWNER_MEMBER, "Claim and release a node.", f"PATCH {_NODE}"),
    _rule("node:update:owner", SYSTEM_MEMBER, "Give a node to another owner.", f"PATCH {_NODE}"),
    _rule("node:update_owner_provisioned", ADMIN, "Do so while the node is in use.", f"PATCH {_NODE}"),
    _rule("node:update:lessee", OWNER_MEMBER, "Lease a node to a project.", f"PATCH {_NODE}"),
    _rule("node:update:driver_info", OWNER_MEMBER, "Change how a node is reached.", f"PATCH {_NODE}"),
    _rule("node:update:driver_interfaces", OWNER_MANAGER, "Change a driver and its interfaces.", f"PATCH {_NODE}"),
    _rule("node:update:properties", OWNER_MEMBER, "Change what a node is said to have.", f"PATCH {_NODE}"),
    _rule("node:update:chassis_uuid", ADMIN_OR_SERVICE, "Move a node to another chassis.", f"PATCH {_NODE}"),
    _rule("node:update:disable_power_off", ADMIN_OR_SERVICE, "Keep a node switched on.", f"PATCH {_NODE}"),
    _rule("node:disable_cleaning", ADMIN_OR_SERVICE, "Have a node not cleaned.", f"PATCH {_NODE}"),
    _rule("node:update:network_data", OWNER_MEMBER, "Change a node's network data.", f"PATCH {_NODE}"),
    _rule("node:update:conductor_group", SYSTEM_MEMBER, "Move a node to other conductors.", f"PATCH {_NODE}"),
    _rule("node:update:name", OWNER_MEMBER, "Rename a node.", f"PATCH {_NODE}"),
    _rule("node:update:retired", OWNER_MEMBER, "Retire a node.", f"PATCH {_NODE}"),
    _rule("node:update:shard", ADMIN_OR_SERVICE, "Move a node to another shard.", f"PATCH {_NODE}"),
    _rule("node:update:parent_node", SYSTEM_MEMBER, "Give a node a parent.", f"PATCH {_NODE}"),
    _rule("node:delete", ADMIN, "Delete a node.", f"DELETE {_NODE}"),
    _rule("node:delete:self_owned_node", "rule:owner_manager", "Delete a node of one's own.", f"DELETE {_NODE}"),
    _rule("node:validate", OWNER_MEMBER_OR_LESSEE_MANAGER, "Validate a node.", f"GET {_NODE}/validate"),
    _rule("node:set_maintenance", OWNER_MEMBER_OR_LESSEE_MANAGER, "Begin maintenance.", f"PUT {_NODE}/maintenance"),
    _rule("node:clear_maintenance", OWNER_MEMBER_OR_LESSEE_MANAGER, "End it.", f"DELETE {_NODE}/maintenance"),
    _rule("node:get_states", PROJECT_READER, "Show a node's states.", f"GET {_NODE}/states"),
    _rule("node:set_power_state", PROJECT_MEMBER, "Switch a node on and off.", f"PUT {_NODE}/states/power"),
    _rule("node:set_boot_mode", PROJECT_MEMBER, "Choose BIOS or UEFI.", f"PUT {_NODE}/states/boot_mode"),
    _rule("node:set_secure_boot", PROJECT_MEMBER, "Switch secure boot.", f"PUT {_NODE}/states/secure_boot"),
    _rule("node:set_raid_state", OWNER_MEMBER, "Choose a RAID configuration.", f"PUT {_NODE}/states/raid"),
    _rule("node:get_console", OWNER_MEMBER, "Show a console.", f"GET {_NODE}/states/console"),
    _rule("node:set_console_state", OWNER_MEMBER, "Open and close a console.", f"PUT {_NODE}/states/console"),
    _rule("node:get_boot_device", OWNER_MANAGER, "Show the boot device.", f"GET {_NODE}/management/boot_device"),
    _rule("node:set_boot_device", OWNER_MANAGER, "Choose the boot device.", f"PUT {_NODE}/management/boot_device"),
    _rule("node:inject_nmi", OWNER_MANAGER, "Interrupt a node.", f"PUT {_NODE}/management/inject_nmi"),
    _rule("node:get_indicator_state", PROJECT_READER, "Show indicators.", f"GET {_NODE}/management/indicators"),
    _rule(
        "node:set_provision_state",
        OWNER_MEMBER_OR_LESSEE_MANAGER,
        "Deploy, clean, inspect … a node.",
        f"PUT {_NODE}/states/provision",
    ),
    *(
        _rule(
            f"node:set_provision_state:{steps}",
            OWNER_MEMBER_OR_LESSEE_MANAGER,
            "Say step by step how.",
            f"PUT {_NODE}/states/provision",
        )
        for steps in ("clean_steps", "service_steps")
    ),
    _rule("node:traits:list", PROJECT_READER, "Show a node's traits.", f"GET {_NODE}/traits"),
    _rule("node:traits:set", OWNER_MANAGER, "Give a node traits.", f"PUT {_NODE}/traits", f"PUT {_NODE}/traits/{{t}}"),
    _rule("node:traits:delete", OWNER_MANAGER, "Take traits from a node.", f"DELETE {_NODE}/traits"),
    _rule("node:vif:list", PROJECT_READER, "List virtual interfaces.", f"GET {_NODE}/vifs"),
    _rule("node:vif:attach", OWNER_MEMBER_OR_LESSEE_MANAGER, "Attach one.", f"POST {_NODE}/vifs"),
    _rule("node:vif:detach", OWNER_MEMBER_OR_LESSEE_MANAGER, "Detach one.", f"DELETE {_NODE}/vifs/{{vif}}"),
    _rule("node:bios:get", PROJECT_READER, "Show BIOS settings.", f"GET {_NODE}/bios"),
    _rule("node:firmware:get", PROJECT_READER, "Show firmware.", f"GET {_NODE}/firmware"),
    _rule("node:vmedia:get", PROJECT_READER, "Show virtual media.", f"GET {_NODE}/vmedia"),
    _rule("node:vmedia:attach", PROJECT_MEMBER, "Attach virtual media.", f"POST {_NODE}/vmedia"),
    _rule("node:vmedia:detach", PROJECT_MEMBER, "Detach virtual media.", f"DELETE {_NODE}/vmedia"),
    _rule("node:vendor_passthru", ADMIN, "Call a vendor's methods.", f"GET {_NODE}/vendor_passthru/methods"),
    _rule("node:history:get", OWNER_READER, "Show a node's history.", f"GET {_NODE}/history"),
    _rule("node:inventory:get", OWNER_READER, "Show a node's inventory.", f"GET {_NODE}/inventory"),
    _rule("shards:get", SYSTEM_READER, "List shards.", "GET /shards"),
]

OTHER_RULES = [
    _rule("port:list", ANY_READER, "List ports of one's own nodes.", "GET /ports"),
    _rule("port:list_all", SYSTEM_READER, "List all ports.", "GET /ports"),
    _rule("port:get", PROJECT_READER, "Show a port.", "GET /ports/{port}"),
    _rule("port:create", ADMIN_OR_OWNER_MANAGER, "Create ports.", "POST /ports"),
    _rule("port:update", OWNER_MANAGER, "Change ports.", "PATCH /ports/{port}"),
    _rule("port:delete", ADMIN_OR_OWNER_MANAGER, "Delete ports.", "DELETE /ports/{port}"),
    _rule("portgroup:list", ANY_READER, "List port groups of one's own nodes.", "GET /portgroups"),
    _rule("portgroup:list_all", SYSTEM_READER, "List all port groups.", "GET /portgroups"),
    _rule("portgroup:get", PROJECT_READER, "Show a port group.", "GET /portgroups/{portgroup}"),
    _rule("portgroup:create", ADMIN_OR_OWNER_MANAGER, "Create port groups.", "POST /portgroups"),
    _rule("portgroup:update", OWNER_MANAGER, "Change port groups.", "PATCH /portgroups/{portgroup}"),
    _rule("portgroup:delete", ADMIN_OR_OWNER_MANAGER, "Delete port groups.", "DELETE /portgroups/{portgroup}"),
    _rule("chassis:get", SYSTEM_READER, "List and show chassis.", "GET /chassis", "GET /chassis/{chassis}"),
    _rule("chassis:create", ADMIN, "Create chassis.", "POST /chassis"),
    _rule("chassis:update", SYSTEM_MEMBER, "Change chassis.", "PATCH /chassis/{chassis}"),
    _rule("chassis:delete", ADMIN, "Delete chassis.", "DELETE /chassis/{chassis}"),
    _rule("driver:get", SYSTEM_READER, "List and show drivers.", "GET /drivers", "GET /drivers/{driver}"),
    _rule("driver:get_properties", SYSTEM_READER, "Show a driver's properties.", "GET /drivers/{driver}/properties"),
    _rule(
        "driver:get_raid_logical_disk_properties",
        SYSTEM_READER,
        "Show what can be said of a RAID.",
        "GET /drivers/{driver}/raid/logical_disk_properties",
    ),
    _rule("driver:vendor_passthru", ADMIN, "Call a vendor's methods.", "GET /drivers/{driver}/vendor_passthru/methods"),
    _rule("events:post", ADMIN_OR_SERVICE, "Tell what happened to a part of a node.", "POST /events"),
    _rule("deploy_template:get", SYSTEM_READER, "List and show deploy templates.", "GET /deploy_templates"),
    _rule("inspection_rule:get", SYSTEM_READER, "List and show inspection rules.", "GET /inspection_rules"),
    _rule("runbook:list", ANY_READER, "List runbooks.", "GET /runbooks"),
    _rule("conductor:get", SYSTEM_READER, "List and show conductors.", "GET /conductors", "GET /conductors/{host}"),
    _rule("volume:list", ANY_READER, "List volume records of one's own nodes.", "GET /volume/targets"),
    _rule("volume:list_all", SYSTEM_READER, "List all volume records.", "GET /volume/targets"),
    _rule("volume:get", PROJECT_READER, "Show a volume record.", "GET /volume/targets/{target}"),
    _rule(
        "volume:view_target_properties",
        SYSTEM_READER,
        "See how a volume target is reached.",
        "GET /volume/targets",
        "GET /volume/targets/{target}",
    ),
    _rule("volume:create", PROJECT_MANAGER, "Create volume records.", "POST /volume/targets"),
    _rule("volume:update", OWNER_MEMBER_OR_LESSEE_MANAGER, "Change volume records.", "PATCH /volume/targets/{target}"),
    _rule("volume:delete", PROJECT_MANAGER, "Delete volume records.", "DELETE /volume/targets/{target}"),
    _rule(
        "allocation:get",
        "rule:system_reader or rule:allocation_reader",
        "Show an allocation.",
        "GET /allocations/{allocation}",
    ),
    _rule("allocation:list", ANY_READER, "List allocations of one's own project.", "GET /allocations"),
    _rule("allocation:list_all", SYSTEM_READER, "List all allocations.", "GET /allocations"),
    _rule("allocation:create", "rule:system_member or rule:any_member", "Create allocations.", "POST /allocations"),
    _rule("allocation:create_restricted", SYSTEM_MEMBER, "Create allocations for other owners.", "POST /allocations"),
    _rule(
        "allocation:update",
        "rule:system_member or rule:allocation_member",
        "Rename and annotate allocations.",
        "PATCH /allocations/{allocation}",
    ),
    _rule(
        "allocation:delete",
        "rule:system_member or rule:allocation_member",
        "Release what an allocation holds.",
        "DELETE /allocations/{allocation}",
        f"DELETE {_NODE}/allocation",
    ),
]

enforcer = Enforcer("baremetal", [*BASE_RULES, *NODE_RULES, *OTHER_RULES])

FIELD_RULES = {
    "driver": "node:update:driver_interfaces",
    "extra": "node:update_extra",
    "instance_info": "node:update_instance_info",
    "instance_name": "node:update_instance_info",
    "retired_reason": "node:update:retired",
    **{
        name: f"node:update:{name}"
        for name in (
            "chassis_uuid", "conductor_group", "disable_power_off", "driver_info", "instance_uuid", "lessee", "name",
            "network_data", "owner", "parent_node", "properties", "retired", "shard",
        )
    },
}  # fmt: skip
"""Attribute of a node → the rule for changing it; all others go by ``baremetal:node:update``."""
REDACTED = ("last_error", "reservation", "driver_info", "driver_internal_info")
"""Fields that are shown only to those whom ``baremetal:node:get:<field>`` allows to see them."""


def rules_for(patch: Patch) -> list[str]:
    """The rules that a patch of a node has to pass.

    What does not hold is told, so a ``test`` needs the rights of whoever reads the field; and the answer shows all.
    """
    return sorted({"node:get"} | {rule for operation in patch if (rule := _rule_for(operation))})


def _rule_for(operation: Operation) -> str | None:
    name = operation.root
    if operation.op is Op.TEST:
        return f"node:get:{name}" if name in REDACTED else None
    if name.endswith("_interface"):
        return "node:update:driver_interfaces"
    if name == "automated_clean" and operation.op is not Op.REMOVE and str(operation.value).lower() in FALSE:
        return "node:disable_cleaning"
    return FIELD_RULES.get(name, "node:update")
