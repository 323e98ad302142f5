"""Nodes: made, changed, deleted. Every change is judged and made under the lock of the node's row."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from claimsite.foundation.errors import DomainError
from claimsite.foundation.origin import Origin
from claimsite.foundation.transactions import needs_transaction, write_transaction
from claimsite.foundation.uuids import new_uuid
from ironic_app import attributes, errors, locks, patching, states
from ironic_app.attributes import ATTRIBUTES
from ironic_app.locks import FULL, Access
from ironic_app.models import Chassis, Node
from ironic_app.patching import Op, Operation, Patch
from ironic_app.services import association, conductors, drivers, edit_rules, node_rows, ownership_log
from ironic_app.services.conflict_log import records_refusals


def get(*, ident: str, access: Access = FULL) -> Node:
    """The node of this uuid or name, as it is now. Raises NodeNotFound, Forbidden."""
    node = Node.objects.filter(locks.identified(ident), access.visible).first()
    if node is None:
        raise errors.NodeNotFound(node=ident)
    access.permit(node.owner, node.lessee)
    return node


@records_refusals("nodes.create")
@write_transaction
def create(*, values: Mapping[str, Any], origin: Origin, provision_state: str = states.ENROLL) -> Node:
    """A new node. ``values``: attribute → value, judged here.

    Raises Invalid, NodeAlreadyExists, DuplicateName, InstanceAssociated.
    """
    fitting = {name: _checked_new(name, value) for name, value in values.items()}
    node = Node(
        **{ATTRIBUTES[name].column: value for name, value in fitting.items() if value is not None}
        | {"uuid": fitting.get("uuid") or new_uuid(), "provision_state": provision_state}
    )
    if node.provision_state == states.AVAILABLE:
        # Nobody will verify it any more, and with an unknown power it would never be given to anybody.
        node.power_state = states.POWER_OFF
    equip(node)
    ensure_neighbours(node, {"chassis_id": node.chassis_id, "parent_id": node.parent_id})
    try:
        node_rows.insert(node=node, origin=origin)
    except DomainError as error:
        if node.instance_uuid is not None:
            error.facts["attempt"] = ownership_log.attempt(node, node.instance_uuid) | {"holder": None}
        raise
    return node


def equip(node: Node) -> None:
    """Give a node that is to be stored what the service chooses. Raises Invalid for hardware that nobody has."""
    if not node.driver:
        raise errors.Invalid(text="Schema error for node: 'driver' is a required property")
    for name, value in _hardware(vars(node)).items():
        setattr(node, name, value)
    node.conductor = conductors.in_charge(driver=node.driver, conductor_group=node.conductor_group)


@records_refusals("nodes.edit")
@locks.waits_for_node
@write_transaction
def edit(
    *,
    ident: str,
    patch: Patch,
    origin: Origin,
    access: Access = FULL,
    may_reassign_active: bool = True,
    reset_interfaces: bool = False,
    inspecting_is_busy: bool = True,
) -> Node:
    """The node after ``patch``, all of it or nothing.

    Raises NodeNotFound; NodeChanged and TestFailed when the node is not what the caller believes; NodeAssociated and
    InstanceAssociated, which are final; NodeLocked and NodeInTransition, which pass; Invalid and InvalidState.
    """
    attempt: dict[str, Any] = {}
    try:
        node = locks.node(ident, access=access)
        attempt = ownership_log.attempt(node, _wanted(patch))
        changes = _changes(node, patch, reset_interfaces=reset_interfaces)
        if not changes:
            return node
        _ensure_unowned(node, changes)
        if not (node.maintenance and _only_releases(patch)):
            edit_rules.ensure_settled(node, inspecting_is_busy=inspecting_is_busy)
        locks.ensure_free(node)
        edit_rules.check(node, changes, may_reassign_active=may_reassign_active)
        ensure_neighbours(node, changes)
        _write(node, changes | _hardware(changes) | edit_rules.consequences(node, changes), origin)
    except DomainError as error:
        if "instance_uuid" in patching.roots(patch):
            # A refusal before the node was to be had brings what it knows of it along.
            error.facts["attempt"] = attempt or error.facts | {"wanted": _wanted(patch)}
        raise
    return node


@records_refusals("nodes.delete")
@locks.waits_for_node
@write_transaction
def delete(*, ident: str, origin: Origin, access: Access = FULL) -> None:
    """Delete the node and all that hangs on it. In maintenance it may be in any state and anybody's.

    Raises NodeNotFound, NodeChanged, NodeProtected, NodeAssociated, NodeLocked, NodeUndeletable.
    """
    node = locks.node(ident, access=access)
    if node.protected:
        raise errors.NodeProtected(node=node.uuid)
    if node.instance_uuid is not None and not node.maintenance:
        raise errors.NodeAssociated(node=node.uuid, instance=node.instance_uuid)
    locks.ensure_free(node)
    if node.provision_state not in states.DELETABLE and not node.maintenance:
        valid = ", ".join(sorted(states.DELETABLE))
        raise errors.NodeUndeletable(node=node.uuid, state=node.provision_state, valid=valid)
    if node.children.exists():
        raise errors.InvalidState(text=f"Can not delete node {node.uuid}: other nodes have it as their parent.")
    if node.instance_uuid is not None or node.allocation_id is not None:
        association.clear(node=node, origin=origin, reason="deleted")
    node_rows.delete(node=node, origin=origin)


@records_refusals("nodes.set_maintenance")
@locks.waits_for_node
@write_transaction
def set_maintenance(*, ident: str, on: bool, origin: Origin, reason: str | None = None, access: Access = FULL) -> Node:
    """Put the node into maintenance, or take it out, which also clears its fault. Raises NodeNotFound, NodeLocked."""
    node = locks.node(ident, access=access)
    locks.ensure_free(node)
    wanted = {"maintenance": on, "maintenance_reason": reason if on else None}
    if not on:
        wanted["fault"] = None
    changes = {name: value for name, value in wanted.items() if getattr(node, name) != value}
    if changes:
        node_rows.write(node=node, changes=changes, origin=origin)
    return node


# --- what a patch comes to ------------------------------------------------------------------------------------------
def _changes(node: Node, patch: Patch, *, reset_interfaces: bool) -> dict[str, Any]:
    """The model's attributes that the patch changes, with their new values. Raises Invalid, TestFailed."""
    document = {name: getattr(node, ATTRIBUTES[name].column) for name in patching.roots(patch)}
    try:
        result = patching.apply(document, [_canonical(operation) for operation in patch])
    except patching.Inapplicable as error:
        raise errors.Invalid(text=f"Couldn't apply patch. Reason: {error}") from None
    except patching.Untrue as error:
        raise errors.TestFailed(
            node=node.uuid, path=str(error), actual=error.found, expected=error.operation.value
        ) from None
    written = dict.fromkeys(operation.root for operation in patch if operation.op is not Op.TEST)
    changes = {}
    for name in written:
        value, column = _checked(node, name, result[name]), ATTRIBUTES[name].column
        if value != getattr(node, column):
            changes[column] = value
    if reset_interfaces:
        if "driver" not in written:
            raise errors.Invalid(
                text="The reset_interfaces parameter can only be used when changing the node's driver."
            )
        kept = {name for name in attributes.INTERFACES if name in written or getattr(node, name) is None}
        changes |= {name: None for name in attributes.INTERFACES if name not in kept}
    return changes


def _canonical(operation: Operation) -> Operation:
    """A ``test`` compares with what is stored, so its value takes the stored form if it has one."""
    check = ATTRIBUTES[operation.root].check
    if operation.op is not Op.TEST or len(operation.path) > 1 or check is None:
        return operation
    try:
        return dataclasses.replace(operation, value=check(operation.root, operation.value))
    except attributes.Unfit:
        return operation


def _checked(node: Node, name: str, value: Any) -> Any:
    check = ATTRIBUTES[name].check
    assert check is not None, f"{name} is not for writing"
    try:
        return check(name, value)
    except attributes.Misshapen as error:
        raise errors.Invalid(text=f"Schema error for patch: {error}") from None
    except attributes.Unfit as error:
        text = f"Node {node}: Cannot change name to {error}" if name == "name" else str(error)
        raise errors.Invalid(text=text) from None


def _checked_new(name: str, value: Any) -> Any:
    try:
        return attributes.CREATABLE[name](name, value)
    except attributes.Misshapen as error:
        raise errors.Invalid(text=f"Schema error for node: {error}") from None
    except attributes.Unfit as error:
        raise errors.Invalid(text=f"Cannot create node with {error}" if name == "name" else str(error)) from None


def _wanted(patch: Patch) -> str | None:
    """Whom the patch would give the node to, as far as it can be told without applying it."""
    values = [
        operation.value for operation in patch if operation.root == "instance_uuid" and operation.op is not Op.TEST
    ]
    return str(values[-1])[:255] if values and values[-1] is not None else None


def _only_releases(patch: Patch) -> bool:
    written = [operation for operation in patch if operation.op is not Op.TEST]
    return len(written) == 1 and (written[0].op, written[0].path) == (Op.REMOVE, ("instance_uuid",))


# --- conditions -----------------------------------------------------------------------------------------------------
def _ensure_unowned(node: Node, changes: Mapping[str, Any]) -> None:
    """Raises NodeAssociated and InstanceAssociated as early as they are certain: waiting for a lock changes neither."""
    wanted = changes.get("instance_uuid")
    if wanted is None:
        return
    association.ensure_unowned(node=node, instance_uuid=wanted)
    if node.reservation is not None and Node.objects.filter(instance_uuid=wanted).exists():
        raise errors.InstanceAssociated(instance=wanted, node=node.uuid)


def _hardware(values: Mapping[str, Any]) -> dict[str, str]:
    """The interfaces that ``values`` leave to the service to choose. Raises Invalid for hardware nobody has."""
    if "driver" in values and values["driver"] not in drivers.names():
        raise errors.UnknownDriverInBody(driver=values["driver"])
    chosen = {}
    for kind, known in drivers.INTERFACES.items():
        name = f"{kind}_interface"
        if name in values and values[name] is None:
            chosen[name] = known[0]
        elif name in values and values[name] not in known:
            raise errors.Invalid(
                text=f"Could not find the following interface in the {kind} interfaces: {values[name]}."
            )
    return chosen


@needs_transaction
def ensure_neighbours(node: Node, changes: Mapping[str, Any]) -> None:
    """Raises Invalid for a chassis or a parent that is not there, and for a parent that descends from the node."""
    chassis_uuid = changes.get("chassis_id")
    # Locked, so that it can't be deleted before this is stored.
    if chassis_uuid is not None and Chassis.objects.select_for_update().filter(uuid=chassis_uuid).first() is None:
        raise errors.UnknownChassisInBody(chassis=chassis_uuid)
    ancestor_uuid = changes.get("parent_id")
    while ancestor_uuid is not None:
        if ancestor_uuid == node.uuid:
            raise errors.Invalid(text=f"Node {node.uuid} can not be its own parent, nor its children's child.")
        # Locked, so that two requests can't close a loop from both ends.
        ancestor = Node.objects.select_for_update().filter(uuid=ancestor_uuid).only("parent_id").first()
        if ancestor is None:
            raise errors.UnknownNodeInBody(node=ancestor_uuid)
        ancestor_uuid = ancestor.parent_id


@needs_transaction
def _write(node: Node, changes: dict[str, Any], origin: Origin) -> None:
    if "instance_uuid" in changes and changes["instance_uuid"] is None:
        association.clear(node=node, origin=origin, changes=changes)
    else:
        node_rows.write(node=node, changes=changes, origin=origin)
