"""What the state of a node lets one change. Pure: a node as it is, and the changes that are wanted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ironic_app import attributes, errors, states
from ironic_app.models import Node

Changes = Mapping[str, Any]
"""The model's attribute → its new value, only those that differ."""

_RECONFIGURATION = frozenset({*attributes.INTERFACES, "driver"})


def ensure_settled(node: Node, *, inspecting_is_busy: bool) -> None:
    """Raises NodeInTransition while the node is on its way from one state to another."""
    on_the_way = node.target_provision_state is not None and node.provision_state not in states.EDITABLE_ON_THE_WAY
    if on_the_way or (inspecting_is_busy and node.provision_state == states.INSPECTING):
        raise errors.NodeInTransition(node=node.uuid)


def check(node: Node, changes: Changes, *, may_reassign_active: bool) -> None:
    """Raises Invalid and Conflict refusals: of everything that changes, whether it may now."""
    for names, rule in _RULES:
        if names & changes.keys():
            rule(node, changes)
    if "owner" in changes:
        _owner(node, may_reassign_active)


def consequences(node: Node, changes: Changes) -> dict[str, Any]:
    """What else changes because of ``changes``."""
    also: dict[str, Any] = {}
    if changes.get("maintenance") is False:
        also |= {"maintenance_reason": None, "fault": None}
    for name in ("protected", "retired"):
        if changes.get(name) is False:
            also[f"{name}_reason"] = None
    display_name = changes.get("instance_info", {}).get("display_name")
    if isinstance(display_name, str) and not changes.get("instance_name", node.instance_name):
        also["instance_name"] = display_name[:255]
    return {name: value for name, value in also.items() if getattr(node, name) != value}


def _reconfiguration(node: Node, changes: Changes) -> None:
    if node.provision_state not in states.RECONFIGURABLE and not node.maintenance:
        fields = ", ".join(sorted(_RECONFIGURATION & changes.keys()))
        raise errors.InvalidState(
            text=f"Node {node.uuid} can not have {fields} changed in state {node.provision_state!r}: only in "
            f"{_list(states.RECONFIGURABLE)}, or in maintenance."
        )
    if "driver" in changes and node.console_enabled:
        raise errors.InvalidState(text=f"Node {node.uuid} can not have its driver changed while its console is on.")


def _resource_class(node: Node, changes: Changes) -> None:
    if node.resource_class and node.provision_state not in states.RECONFIGURABLE:
        raise errors.InvalidState(
            text=f"Node {node.uuid} can not have its resource class changed in state {node.provision_state!r}: only in "
            f"{_list(states.RECONFIGURABLE)}."
        )


def _protected(node: Node, changes: Changes) -> None:
    if changes.get("protected") and node.provision_state not in states.PROTECTABLE:
        raise errors.InvalidState(
            text=f"Node {node.uuid} can not be protected in state {node.provision_state!r}: only in "
            f"{_list(states.PROTECTABLE)}."
        )
    if changes.get("protected_reason") and not changes.get("protected", node.protected):
        raise errors.Invalid(text="protected_reason can only be set on a protected node.")


def _retired(node: Node, changes: Changes) -> None:
    if changes.get("retired") and node.provision_state == states.AVAILABLE:
        raise errors.InvalidState(text=f"Node {node.uuid} can not be retired in state 'available'.")
    if changes.get("retired_reason") and not changes.get("retired", node.retired):
        raise errors.Invalid(text="retired_reason can only be set on a retired node.")


def _release(node: Node, changes: Changes) -> None:
    if changes["instance_uuid"] is not None or node.allocation_id is None or node.maintenance:
        return
    if node.provision_state not in states.RECONFIGURABLE:
        raise errors.InvalidState(
            text=f"Cannot remove instance_uuid of node {node.uuid} in state {node.provision_state!r}: "
            f"allocation {node.allocation_id} holds it."
        )


def _owner(node: Node, may_reassign_active: bool) -> None:
    if node.provision_state == states.ACTIVE and not may_reassign_active:
        raise errors.InvalidState(text=f"Cannot change the owner of node {node.uuid} in state 'active'.")
    if node.allocation is not None and node.allocation.owner is not None:
        raise errors.InvalidState(
            text=f"Cannot change the owner of node {node.uuid}: allocation {node.allocation_id}, which has an owner of "
            "its own, holds it."
        )


_RULES = (
    (_RECONFIGURATION, _reconfiguration),
    (frozenset({"resource_class"}), _resource_class),
    (frozenset({"protected", "protected_reason"}), _protected),
    (frozenset({"retired", "retired_reason"}), _retired),
    (frozenset({"instance_uuid"}), _release),
)


def _list(allowed: frozenset[str]) -> str:
    return ", ".join(sorted(allowed))
