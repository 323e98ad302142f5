"""Ironic's rules of who may call what, under the names that operators know from their ``policy.yaml``.

Administrators and services may do everything. A project may do some things to the nodes that it owns
(``%(node.owner)s``) and fewer to those that it has on lease (``%(node.lessee)s``). Tokens of the whole system are
good everywhere.
"""

from __future__ import annotations

from claimsite.foundation.openstack.policy import Enforcer, Rule

ADMIN = "rule:admin_api"
SYSTEM_MEMBER = "rule:system_member"
SYSTEM_READER = "rule:system_reader"
OWNER_READER = "rule:system_reader or rule:owner_reader"
PROJECT_READER = "rule:system_reader or rule:owner_reader or rule:lessee_reader"
OWNER_MEMBER = "rule:system_member or rule:owner_member"
OWNER_MANAGER = "rule:system_member or rule:owner_manager"
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
    _rule("node:create", SYSTEM_MEMBER, "Enrol nodes.", "POST /nodes"),
    _rule("node:create:self_owned_node", "rule:any_member", "Enrol nodes of one's own project.", "POST /nodes"),
    _rule("node:list", ANY_READER, "List the nodes of one's own project.", "GET /nodes"),
    _rule("node:list_all", SYSTEM_READER, "List all nodes.", "GET /nodes", "GET /nodes/detail"),
    _rule("node:get", PROJECT_READER, "Show a node.", f"GET {_NODE}"),
    _rule("node:get:last_error", OWNER_READER, "See a node's last error.", f"GET {_NODE}"),
    _rule("node:get:reservation", OWNER_READER, "See who works on a node.", f"GET {_NODE}"),
    _rule("node:get:driver_info", OWNER_READER, "See how a node is reached.", f"GET {_NODE}"),
    _rule("node:get:driver_internal_info", OWNER_READER, "See what a driver keeps of a node.", f"GET {_NODE}"),
    _rule("node:update", OWNER_MEMBER, "Change a node.", f"PATCH {_NODE}"),
    _rule("node:update_extra", OWNER_MEMBER, "Change what is noted of a node.", f"PATCH {_NODE}"),
    _rule(
        "node:update_instance_info",
        OWNER_MEMBER_OR_LESSEE_MANAGER,
        "Change what is to be deployed on a node.",
        f"PATCH {_NODE}",
    ),
    _rule("node:update:instance_uuid", OWNER_MEMBER, "Claim and release a node.", f"PATCH {_NODE}"),
    _rule("node:update:owner", SYSTEM_MEMBER, "Give a node to another owner.", f"PATCH {_NODE}"),
    _rule("node:update_owner_provisioned", SYSTEM_MEMBER, "Do so while the node is in use.", f"PATCH {_NODE}"),
    _rule("node:update:lessee", OWNER_MANAGER, "Lease a node to a project.", f"PATCH {_NODE}"),
    _rule("node:update:driver", OWNER_MEMBER, "Change a node's driver.", f"PATCH {_NODE}"),
    _rule("node:update:driver_interfaces", OWNER_MEMBER, "Change a driver's interfaces.", f"PATCH {_NODE}"),
    _rule("node:update:network_data", OWNER_MEMBER, "Change a node's network data.", f"PATCH {_NODE}"),
    _rule("node:update:conductor_group", SYSTEM_MEMBER, "Move a node to other conductors.", f"PATCH {_NODE}"),
    _rule("node:update:name", OWNER_MEMBER, "Rename a node.", f"PATCH {_NODE}"),
    _rule("node:update:retired", OWNER_MEMBER, "Retire a node.", f"PATCH {_NODE}"),
    _rule("node:update:shard", SYSTEM_MEMBER, "Move a node to another shard.", f"PATCH {_NODE}"),
    _rule("node:update:parent_node", SYSTEM_MEMBER, "Give a node a parent.", f"PATCH {_NODE}"),
    _rule("node:delete", ADMIN, "Delete a node.", f"DELETE {_NODE}"),
    _rule("node:delete:self_owned_node", "rule:owner_manager", "Delete a node of one's own.", f"DELETE {_NODE}"),
    _rule("node:validate", OWNER_MEMBER_OR_LESSEE_MANAGER, "Validate a node.", f"GET {_NODE}/validate"),
    _rule("node:set_maintenance", OWNER_MEMBER_OR_LESSEE_MANAGER, "Begin maintenance.", f"PUT {_NODE}/maintenance"),
    _rule("node:clear_maintenance", OWNER_MEMBER_OR_LESSEE_MANAGER, "End it.", f"DELETE {_NODE}/maintenance"),
    _rule("node:get_states", PROJECT_READER, "Show a node's states.", f"GET {_NODE}/states"),
    _rule(
        "node:set_power_state", OWNER_MEMBER_OR_LESSEE_MANAGER, "Switch a node on and off.", f"PUT {_NODE}/states/power"
    ),
    _rule(
        "node:set_provision_state",
        OWNER_MEMBER_OR_LESSEE_MANAGER,
        "Deploy, clean, inspect … a node.",
        f"PUT {_NODE}/states/provision",
    ),
    _rule("node:traits:list", PROJECT_READER, "Show a node's traits.", f"GET {_NODE}/traits"),
    _rule("node:traits:set", OWNER_MEMBER, "Give a node traits.", f"PUT {_NODE}/traits", f"PUT {_NODE}/traits/{{t}}"),
    _rule("node:traits:delete", OWNER_MEMBER, "Take traits from a node.", f"DELETE {_NODE}/traits"),
    _rule("node:vif:list", PROJECT_READER, "List virtual interfaces.", f"GET {_NODE}/vifs"),
    _rule("node:vif:attach", PROJECT_MEMBER, "Attach one.", f"POST {_NODE}/vifs"),
    _rule("node:vif:detach", PROJECT_MEMBER, "Detach one.", f"DELETE {_NODE}/vifs/{{vif}}"),
    _rule("node:history:get", OWNER_READER, "Show a node's history.", f"GET {_NODE}/history"),
    _rule("node:inventory:get", OWNER_READER, "Show a node's inventory.", f"GET {_NODE}/inventory"),
    _rule("shards:get", SYSTEM_READER, "List shards.", "GET /shards"),
]

OTHER_RULES = [
    _rule("port:list", ANY_READER, "List ports of one's own nodes.", "GET /ports"),
    _rule("port:list_all", SYSTEM_READER, "List all ports.", "GET /ports"),
    _rule("port:get", PROJECT_READER, "Show a port.", "GET /ports/{port}"),
    _rule("port:create", OWNER_MEMBER, "Create ports.", "POST /ports"),
    _rule("port:update", OWNER_MEMBER, "Change ports.", "PATCH /ports/{port}"),
    _rule("port:delete", OWNER_MEMBER, "Delete ports.", "DELETE /ports/{port}"),
    _rule("portgroup:list", ANY_READER, "List port groups of one's own nodes.", "GET /portgroups"),
    _rule("portgroup:list_all", SYSTEM_READER, "List all port groups.", "GET /portgroups"),
    _rule("portgroup:get", PROJECT_READER, "Show a port group.", "GET /portgroups/{portgroup}"),
    _rule("portgroup:create", OWNER_MEMBER, "Create port groups.", "POST /portgroups"),
    _rule("portgroup:update", OWNER_MEMBER, "Change port groups.", "PATCH /portgroups/{portgroup}"),
    _rule("portgroup:delete", OWNER_MEMBER, "Delete port groups.", "DELETE /portgroups/{portgroup}"),
    _rule("chassis:get", SYSTEM_READER, "List and show chassis.", "GET /chassis", "GET /chassis/{chassis}"),
    _rule("chassis:create", ADMIN, "Create chassis.", "POST /chassis"),
    _rule("chassis:update", SYSTEM_MEMBER, "Change chassis.", "PATCH /chassis/{chassis}"),
    _rule("chassis:delete", ADMIN, "Delete chassis.", "DELETE /chassis/{chassis}"),
    _rule("driver:get", SYSTEM_READER, "List and show drivers.", "GET /drivers", "GET /drivers/{driver}"),
    _rule("driver:get_properties", SYSTEM_READER, "Show a driver's properties.", "GET /drivers/{driver}/properties"),
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
    _rule("volume:create", PROJECT_MEMBER, "Create volume records.", "POST /volume/targets"),
    _rule("volume:update", PROJECT_MEMBER, "Change volume records.", "PATCH /volume/targets/{target}"),
    _rule("volume:delete", PROJECT_MEMBER, "Delete volume records.", "DELETE /volume/targets/{target}"),
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
    "extra": "node:update_extra",
    "instance_info": "node:update_instance_info",
    **{
        name: f"node:update:{name}"
        for name in (
            "conductor_group", "driver", "instance_uuid", "lessee", "name", "network_data", "owner", "parent_node",
            "retired", "shard",
        )
    },
}  # fmt: skip
"""Attribute of a node → the rule for changing it; all others go by ``baremetal:node:update``."""
REDACTED = ("last_error", "reservation", "driver_info", "driver_internal_info")
"""Fields that are shown only to those whom ``baremetal:node:get:<field>`` allows to see them."""


def rules_for(attributes: set[str]) -> list[str]:
    """The rules that a change of these attributes of a node has to pass."""
    return sorted({_rule_for(name) for name in attributes})


def _rule_for(name: str) -> str:
    if name.endswith("_interface"):
        return "node:update:driver_interfaces"
    return FIELD_RULES.get(name, "node:update")
