"""Network ports of nodes, and groups of them: what may be done to them, when."""

from __future__ import annotations

import re
from typing import Any

from ironic_app import attributes, errors, states
from ironic_app.attributes import Attribute, Misshapen, Unfit
from ironic_app.models import Node, Port, PortGroup
from ironic_app.services.parts import Changes, Kind

_MAC = re.compile(r"[0-9a-f]{2}(:[0-9a-f]{2}){5}").fullmatch
_DATAPATH = re.compile(r"[0-9a-f]{16}").fullmatch
_CONNECTIVITY = frozenset({"portgroup_id", "pxe_enabled", "local_link_connection", "physical_network"})
_LINK_KEYS = frozenset({"switch_id", "port_id", "switch_info", "hostname", "network_type", "vtep-logical-switch",
                        "vtep-physical-switch"})  # fmt: skip
_LINKS = (
    {"switch_id", "port_id"},
    {"port_id", "hostname"},
    {"port_id", "vtep-logical-switch", "vtep-physical-switch"},
)
"""What a link must say, one of these sets; or nothing; or that the network is unmanaged."""


# --- values -----------------------------------------------------------------------------------------------------------
def mac(name: str, value: Any) -> str | None:
    """A MAC address in lower case."""
    if value is None:
        return None
    if not isinstance(value, str) or not _MAC(value.lower()):
        raise Unfit(f"Expected valid MAC address for {name}: {value}")
    return value.lower()


def _non_empty(longest: int) -> attributes.Check:
    text = attributes.text(longest)

    def check(name: str, value: Any) -> Any:
        if value == "":
            raise Unfit(f"A non-empty value is required when setting {name}")
        return text(name, value)

    return check


def _link(name: str, value: Any) -> dict[str, Any]:
    link = attributes.document(name, value)
    if unknown := sorted(link.keys() - _LINK_KEYS):
        raise Misshapen(f"Additional properties are not allowed ({', '.join(map(repr, unknown))}) in {name}")
    if link and link.get("network_type") != "unmanaged" and not any(needed <= link.keys() for needed in _LINKS):
        raise Misshapen(f"'switch_id' and 'port_id' are required properties of {name}")
    for value in link.values():
        if not isinstance(value, str):
            raise Misshapen(f"{value!r:.100} is not of type 'string'")
    if link.get("network_type", "managed") not in {"managed", "unmanaged"}:
        raise Misshapen(f"{link['network_type']!r:.100} is not one of ['managed', 'unmanaged']")
    if "switch_id" not in link:
        return link
    switch = link["switch_id"].lower()
    if not (_MAC(switch) or _DATAPATH(switch)):
        raise Unfit(f"Expected a MAC address or OpenFlow datapath ID but received {link['switch_id']:.100}.")
    return link | {"switch_id": switch}


def _true_unless_set(name: str, value: Any) -> bool:
    return True if value is None else attributes.flag(name, value)


def _mode(name: str, value: Any) -> str:
    if not isinstance(value, str) or not 0 < len(value) <= 255:
        raise Unfit(f"'{name}' is a mandatory attribute and can not be removed")
    return value


# --- ports ------------------------------------------------------------------------------------------------------------
def _check_port(node: Node, port: Port, changes: Changes) -> None:
    is_new = port._state.adding
    _ensure_same_node(node, changes)
    if {"portgroup_id", "physical_network"} & changes.keys():
        _ensure_same_network(
            port, changes.get("portgroup_id", port.portgroup_id), changes.get("physical_network", port.physical_network)
        )
    if not is_new and not node.maintenance:
        if "address" in changes and (node.provision_state == states.ACTIVE or node.instance_uuid is not None):
            raise errors.InvalidState(
                text=f"Cannot update hardware address for port {port.uuid} as node {node.uuid} is active or has "
                "instance UUID assigned"
            )
        if _CONNECTIVITY & changes.keys() and node.provision_state not in states.PORTS_RECONFIGURABLE:
            raise errors.InvalidState(
                text=f"Port {port.uuid} can not have any connectivity attributes (local_link_connection, "
                f"physical_network, pxe_enabled, portgroup_id) updated unless node {node.uuid} is in a enroll, "
                "inspecting, inspect wait, manageable state or in maintenance mode. Current state is "
                f"'{node.provision_state}'."
            )


def _ensure_same_node(node: Node, changes: Changes) -> None:
    uuid = changes.get("portgroup_id")
    if uuid is None:
        return
    portgroup = PortGroup.objects.filter(uuid=uuid).first()
    if portgroup is None:
        raise errors.UnknownPortgroupInBody(portgroup=uuid)
    if portgroup.node_id != node.uuid:
        raise errors.Invalid(text="Port can not be added to a portgroup belonging to a different node.")


def _ensure_same_network(port: Port, portgroup_uuid: str | None, physical_network: str | None) -> None:
    """All ports of a group are on one physical network, known or not; without ports it is the group's own, if any."""
    if portgroup_uuid is None:
        return
    networks = Port.objects.filter(portgroup_id=portgroup_uuid).exclude(uuid=port.uuid)
    found = networks.values_list("physical_network", flat=True).first()
    if found is None and not networks.exists():
        found = PortGroup.objects.values_list("physical_network", flat=True).get(uuid=portgroup_uuid)
        if found is None:
            return
    if found != physical_network:
        raise errors.InvalidState(
            text=f"Port with physical network {physical_network} cannot become a member of port group {portgroup_uuid} "
            f"which has ports in physical network {found}."
        )


def _ensure_unbound(row: Port | PortGroup) -> None:
    vif = getattr(row, "vif", None)
    if vif is not None:
        raise errors.InvalidState(
            text=f"Cannot delete {type(row).__name__.lower()} {row.uuid}: VIF {vif.vif_id} is attached to it."
        )


def _duplicate_port(fields: tuple[str, ...], port: Port) -> str:
    match fields:
        case ("address",):
            return f"port with MAC address {port.address}"
        case ("name",):
            return f"port with name {port.name}"
    return f"port with UUID {port.uuid}"


_ALIKE = (
    Attribute("uuid", attributes.uuid),
    Attribute("name", attributes.logical_name),
    Attribute("address", mac),
    Attribute("node_uuid", attributes.uuid, "node_id"),
    Attribute("extra", attributes.document),
    Attribute("physical_network", _non_empty(64)),
    Attribute("category", attributes.text(80)),
)
_OF_PORTS = (
    Attribute("portgroup_uuid", attributes.uuid, "portgroup_id"),
    Attribute("local_link_connection", _link),
    Attribute("pxe_enabled", _true_unless_set),
    Attribute("is_smartnic", attributes.flag),
    Attribute("description", attributes.text(255)),
    Attribute("vendor", attributes.text(32)),
)
PORTS = Kind(
    model=Port,
    noun="Port",
    attributes={attribute.name: attribute for attribute in (*_ALIKE, *_OF_PORTS)},
    required=("address",),
    check=_check_port,
    ensure_removable=_ensure_unbound,
    duplicate=_duplicate_port,
    has_names=True,
)


# --- port groups ------------------------------------------------------------------------------------------------------
def _check_portgroup(node: Node, portgroup: PortGroup, changes: Changes) -> None:
    if portgroup._state.adding or node.maintenance or "address" not in changes:
        return
    if node.provision_state == states.ACTIVE or node.instance_uuid is not None:
        raise errors.InvalidState(
            text=f"Cannot update hardware address for portgroup {portgroup.uuid} as node {node.uuid} is active or has "
            "instance UUID assigned"
        )


def _ensure_removable(portgroup: PortGroup) -> None:
    if portgroup.ports.exists():
        raise errors.Invalid(
            text=f"Cannot complete the requested action because portgroup {portgroup.uuid} contains ports."
        )
    _ensure_unbound(portgroup)


def _duplicate_portgroup(fields: tuple[str, ...], portgroup: PortGroup) -> str:
    match fields:
        case ("address",):
            return f"portgroup with MAC address {portgroup.address}"
        case ("name",):
            return f"portgroup with name {portgroup.name}"
    return f"portgroup with UUID {portgroup.uuid}"


PORTGROUPS = Kind(
    model=PortGroup,
    noun="Portgroup",
    attributes={
        attribute.name: attribute
        for attribute in (
            *_ALIKE,
            Attribute("mode", _mode),
            Attribute("properties", attributes.document),
            Attribute("standalone_ports_supported", _true_unless_set),
        )
    },
    required=(),
    check=_check_portgroup,
    ensure_removable=_ensure_removable,
    duplicate=_duplicate_portgroup,
    has_names=True,
)
