"""Asking a node to change its provision state or its power. What follows is for ``services.transitions``."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from django.utils import timezone

from claimsite.foundation.origin import Origin
from claimsite.foundation.transactions import write_transaction
from ironic_app import errors, locks, states
from ironic_app.locks import FULL, Access
from ironic_app.models import Node, Transition
from ironic_app.services import history, node_rows, transitions
from ironic_app.services.conflict_log import records_refusals


@dataclasses.dataclass(frozen=True, slots=True)
class Order:
    """What a node is asked to do. ``target`` is the word the caller used: a verb, or the state to be reached."""

    target: str | None
    configdrive: str | dict[str, Any] | None = None
    clean_steps: list[dict[str, Any]] | None = None
    deploy_steps: list[dict[str, Any]] | None = None
    service_steps: list[dict[str, Any]] | None = None
    rescue_password: str | None = None
    disable_ramdisk: bool | None = None
    runbook: str | None = None

    @property
    def verb(self) -> str:
        return states.verb(str(self.target))


def provision(*, ident: str, order: Order, origin: Origin, access: Access = FULL) -> Node:
    """The node is on its way when this returns; it may have arrived.

    Raises NodeNotFound, NodeLocked, NodeInMaintenance, ActionNotPossible, InvalidOrder, NodeProtected, NodeIsRetired.
    """
    node = _start(ident=ident, order=order, origin=origin, access=access)
    transitions.settle(node=node)
    return node


@records_refusals("states.provision")
@transitions.settles_what_the_dead_left
@locks.waits_for_node
@write_transaction
def _start(*, ident: str, order: Order, origin: Origin, access: Access) -> Node:
    node = locks.node(ident, access=access)
    locks.ensure_free(node)
    verb = order.verb
    if node.maintenance and verb in {states.DEPLOY, states.REBUILD}:
        raise errors.NodeInMaintenance(operation="provisioning", node=node.uuid)
    move = states.move(verb=verb, state=node.provision_state, target=node.target_provision_state)
    if move is None:
        raise errors.ActionNotPossible(action=order.target, node=node.uuid, state=node.provision_state)
    _check(order)
    if node.protected and verb in {states.UNDEPLOY, states.REBUILD}:
        raise errors.NodeProtected(node=node.uuid)
    if node.retired and verb == states.PROVIDE:
        raise errors.NodeIsRetired(operation="providing", node=node.uuid)
    changes = _brought_along(node, order) | transitions.moved(move) | {"last_error": None}
    if move.state in states.TRANSITIONAL:
        transitions.begin(node=node, kind=Transition.Kind.PROVISION, verb=verb, changes=changes, origin=origin)
        return node
    Transition.objects.filter(node=node).delete()
    if verb == states.ABORT:
        changes["last_error"] = f"{node.provision_state.capitalize()} was aborted by request."
    event = f"{verb}: the node went from {node.provision_state} to {move.state}."
    node_rows.write(node=node, changes=changes, origin=origin)
    history.record(node=node, event_type=f"{verb}_end", event=event, user=origin.actor)
    return node


def _check(order: Order) -> None:
    """Whether what was brought along belongs to the verb, and what the verb needs is there. Raises InvalidOrder."""
    verb = order.verb
    if order.configdrive is not None and verb not in {states.DEPLOY, states.REBUILD}:
        raise errors.InvalidOrder(
            text="Adding a config drive is only supported when setting provision state to active, rebuild"
        )
    for name, steps, needed_by, verbs in (
        ("clean_steps", order.clean_steps, states.CLEAN, "clean"),
        ("service_steps", order.service_steps, states.SERVICE, "service"),
        ("deploy_steps", order.deploy_steps, None, "active or rebuild"),
    ):
        allowed = {needed_by} if needed_by else {states.DEPLOY, states.REBUILD}
        if steps and verb not in allowed:
            raise errors.InvalidOrder(text=f'"{name}" is only valid when setting target provision state to {verbs}')
        if verb == needed_by and not steps and order.runbook is None:
            raise errors.InvalidOrder(text=f'"{name}" is required when setting target provision state to {verbs}')
    if order.rescue_password is not None and verb != states.RESCUE_VERB:
        raise errors.InvalidOrder(text='"rescue_password" is only valid when setting target provision state to rescue')
    if verb == states.RESCUE_VERB and not (order.rescue_password or "").strip():
        raise errors.InvalidOrder(
            text='A non-empty "rescue_password" is required when setting target provision state to rescue'
        )
    if order.disable_ramdisk and verb not in {states.CLEAN, states.SERVICE}:
        raise errors.InvalidOrder(text="disable_ramdisk is supported only with manual cleaning or servicing")


def _brought_along(node: Node, order: Order) -> dict[str, Any]:
    """What the order leaves at the node. Passwords are not kept: nothing here would use them."""
    changes: dict[str, Any] = {}
    if order.verb == states.INSPECT:
        changes |= {"inspection_started_at": timezone.now(), "inspection_finished_at": None}
    if order.verb in {states.DEPLOY, states.REBUILD} and order.configdrive is not None:
        changes["instance_info"] = {**node.instance_info, "configdrive": order.configdrive}
    steps = {
        "user_deploy_steps": order.deploy_steps,
        "clean_steps": order.clean_steps,
        "service_steps": order.service_steps,
    }
    given = {name: value for name, value in steps.items() if value is not None}
    if given:
        changes["driver_internal_info"] = {**node.driver_internal_info, **given}
    return changes


# --- power ----------------------------------------------------------------------------------------------------------
def power(*, ident: str, target: str | None, origin: Origin, access: Access = FULL) -> Node:
    """The power change is under way when this returns; it may be done.

    Raises NodeNotFound, ActionNotPossible, NodeLocked, NodeInTransition, PowerOffDisabled.
    """
    node = _start_power(ident=ident, target=target, origin=origin, access=access)
    transitions.settle(node=node)
    return node


@records_refusals("states.power")
@transitions.settles_what_the_dead_left
@locks.waits_for_node
@write_transaction
def _start_power(*, ident: str, target: str | None, origin: Origin, access: Access) -> Node:
    node = locks.node(ident, access=access)
    end = None if target is None else states.power_end(target)
    if target is None or end is None:
        raise errors.ActionNotPossible(action=target, node=node.uuid, state=node.power_state)
    if node.provision_state in states.NO_POWER_CHANGE:
        raise errors.ActionNotPossible(action=target, node=node.uuid, state=node.provision_state)
    locks.ensure_free(node)
    if node.disable_power_off and end == states.POWER_OFF:
        raise errors.PowerOffDisabled(target=target)
    if Transition.objects.filter(node=node).exists():
        # The machine is being waited for (say, to call back): whoever waits has work to do with it.
        raise errors.NodeInTransition(node=node.uuid)
    changes = {"target_power_state": end, "last_error": None}
    transitions.begin(node=node, kind=Transition.Kind.POWER, verb=target, changes=changes, origin=origin)
    return node


# --- switches of the machine ------------------------------------------------------------------------------------------
@records_refusals("states.switch")
@locks.waits_for_node
@write_transaction
def switch(*, ident: str, changes: Mapping[str, Any], origin: Origin, access: Access = FULL) -> Node:
    """Set what a machine would be told and would show from then on: console, boot mode, RAID configuration.

    Raises NodeNotFound, Forbidden, NodeLocked.
    """
    node = locks.node(ident, access=access)
    locks.ensure_free(node)
    node_rows.write(node=node, changes=changes, origin=origin)
    return node
