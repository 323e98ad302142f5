"""Nodes on their way from state to state: how a way begins, goes on and ends.

Every node that has work before it has one Transition. The node's row lock guards both: whoever changes one of them
holds it. A transition belongs to the conductor named in ``taken_by`` for as long as that conductor lives; then any
other may take it over. The work itself is done in one transaction: a conductor that is killed leaves nothing half done.
"""

from __future__ import annotations

import dataclasses
import datetime
import enum
import functools
import socket
from collections.abc import Callable, Mapping
from typing import Any, ParamSpec, TypeVar

from django.conf import settings
from django.db.models import Q
from django.utils import timezone

from claimsite.foundation.origin import Door, Origin
from claimsite.foundation.transactions import needs_transaction, write_transaction
from ironic_app import errors, hardware, states
from ironic_app.hardware import FakeHardware
from ironic_app.models import Node, Transition
from ironic_app.services import association, conductors, history, node_rows, vifs

P = ParamSpec("P")
R = TypeVar("R")

Kind = Transition.Kind
UNLOCKED: dict[str, Any] = {"reservation": None, "reserved_at": None}
CLEAN_FAILURE = "clean failure"


class Orphans(enum.StrEnum):
    """What becomes of work whose conductor died: another carries it on, or it ends as failed."""

    RESUME = "resume"
    FAIL = "fail"


@dataclasses.dataclass(frozen=True, slots=True)
class Worker:
    """Who carries transitions on, with which machines. Its host name is in lower case."""

    hostname: str
    machines: FakeHardware = dataclasses.field(default_factory=FakeHardware)
    orphans: Orphans = Orphans.RESUME
    conductor_group: str = ""


# --- beginning ------------------------------------------------------------------------------------------------------
@needs_transaction
def begin(*, node: Node, kind: Transition.Kind, verb: str, changes: Mapping[str, Any], origin: Origin) -> None:
    """Queue the work that ``changes`` (the locked node's new state) ask for, and reserve the node for it."""
    Transition.objects.filter(node=node).delete()
    Transition.objects.create(
        node=node,
        kind=kind,
        verb=verb,
        due_at=timezone.now(),
        door=origin.door,
        actor=origin.actor,
        project=origin.project,
        request_id=origin.request_id,
    )
    holder = min(conductors.alive(conductor_group=node.conductor_group), default=here())
    node_rows.write(node=node, changes={**changes, **_reserved(holder)}, origin=origin)


def settle(*, node: Node) -> bool:
    """When no conductor works for the node's group, do here and now what a conductor would do, without delays.

    So every request that was accepted comes to its end, on a laptop without any conductor as well. Whether there was
    anything to do.
    """
    if conductors.alive(conductor_group=node.conductor_group):
        return False
    worker = Worker(hostname=here(), conductor_group=node.conductor_group)
    steps = 0
    while advance(node_uuid=node.uuid, worker=worker):
        steps += 1
    return steps > 0


def settles_what_the_dead_left(verb: Callable[P, R]) -> Callable[P, R]:
    """Run ``verb`` again if the node that it found locked was held by a conductor that died as the last of its group:
    nobody else would ever end that work."""

    @functools.wraps(verb)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return verb(*args, **kwargs)
        except errors.NodeLocked as refusal:
            if not settle(node=Node.objects.get(uuid=refusal.facts["node"])):
                raise
            return verb(*args, **kwargs)

    return run


def here() -> str:
    """The name under which this process reserves nodes when there is no conductor."""
    return socket.gethostname().lower()


@write_transaction
def let_go(*, worker: Worker) -> int:
    """The worker stops: whatever it has not done is anybody's."""
    return Transition.objects.filter(taken_by=worker.hostname).update(taken_by=None)


# --- going on -------------------------------------------------------------------------------------------------------
def due(*, worker: Worker, limit: int) -> list[str]:
    """The uuids of nodes that ``worker`` can carry on now: new work, its own, and that of the dead; oldest first."""
    waiting = Transition.objects.filter(node__conductor_group=worker.conductor_group)
    ready = Q(due_at__lte=timezone.now()) & (Q(taken_by=None) | Q(taken_by=worker.hostname))
    orphaned = Q(taken_by__isnull=False) & ~Q(taken_by__in=conductors.alive() | {worker.hostname})
    found = waiting.filter(ready | orphaned).order_by("due_at", "pk")[:limit]
    return [transition.node_id for transition in found]


@write_transaction
def advance(*, node_uuid: str, worker: Worker) -> bool:
    """Carry the node on by one step: take its work, or do it if it is due. False when there is nothing to do now.

    A node that somebody else has locked at this moment is left alone.
    """
    node = Node.objects.select_for_update(skip_locked=True).filter(uuid=node_uuid).first()
    transition = Transition.objects.filter(node=node).first() if node else None
    if node is None or transition is None:
        return False
    former = transition.taken_by
    if former == worker.hostname:
        if transition.due_at > timezone.now():
            return False
    elif former is not None and former in conductors.alive():
        return False
    elif not _take(node, transition, worker):
        return True
    if transition.kind == Kind.POWER:
        _do_power(node, transition, worker)
    else:
        _do_work(node, transition, worker)
    return True


def _take(node: Node, transition: Transition, worker: Worker) -> bool:
    """The work is the worker's now. Whether it is to be done at once."""
    former = transition.taken_by
    transition.taken_by = worker.hostname
    transition.attempts += 1
    if former is not None:
        text = f"Conductor {former} died while {_what(node, transition)}"
        if worker.orphans is Orphans.FAIL:
            _fail(node, transition, worker, f"{text}; {worker.hostname} gave the work up.")
            return False
        _tell(node, transition, worker, "take_over", f"{text}; {worker.hostname} carries on.")
    seconds = worker.machines.seconds(_what(node, transition)) if _takes_time(node, transition) else 0.0
    _put_off(transition, seconds)
    if seconds:
        changes = {} if node.provision_state in states.WAITING else _reserved(worker.hostname)
        node_rows.write(node=node, changes=changes, origin=_origin(transition))
    return not seconds


def _put_off(transition: Transition, seconds: float) -> None:
    transition.due_at = timezone.now() + datetime.timedelta(seconds=seconds)
    transition.save()


def _what(node: Node, transition: Transition) -> str:
    """What is being done, by the name under which the machines know it."""
    return hardware.POWER if transition.kind == Kind.POWER else node.provision_state


def _takes_time(node: Node, transition: Transition) -> bool:
    """All work does, but cleaning on the way to ``available`` where it is switched off."""
    if _what(node, transition) != states.CLEANING or node.target_provision_state != states.AVAILABLE:
        return True
    return settings.AUTOMATED_CLEAN if node.automated_clean is None else node.automated_clean


# --- ending ---------------------------------------------------------------------------------------------------------
def _do_power(node: Node, transition: Transition, worker: Worker) -> None:
    problem = worker.machines.failure(hardware.POWER)
    if problem is not None:
        _fail(node, transition, worker, problem)
        return
    changes = {"power_state": states.power_end(transition.verb), "target_power_state": None}
    node_rows.write(node=node, changes=changes | UNLOCKED, origin=_origin(transition))
    transition.delete()


def _do_work(node: Node, transition: Transition, worker: Worker) -> None:
    state, target = node.provision_state, node.target_provision_state
    takes_time = _takes_time(node, transition)
    problem = worker.machines.failure(state) if takes_time else None
    if problem is not None:
        _fail(node, transition, worker, problem)
        return
    wait = states.WORK[state].waits_in if state in states.WORK and takes_time else None
    if wait is not None and worker.machines.seconds(wait):
        _put_off(transition, worker.machines.seconds(wait))
        node_rows.write(node=node, changes=moved(states.Move(wait, target)) | UNLOCKED, origin=_origin(transition))
        return
    move = states.done(state=state, target=target, retired=node.retired)
    goes_on = move.state in states.WORK
    changes = _left_behind(node, state) | moved(move) | (_reserved(worker.hostname) if goes_on else UNLOCKED)
    if state == states.DELETING:
        vifs.detach_all(node=node)
        changes |= {"instance_info": {}, "instance_name": None, "last_error": None}
        association.clear(node=node, origin=_origin(transition), reason="undeployed", changes=changes)
    else:
        node_rows.write(node=node, changes=changes, origin=_origin(transition))
    if goes_on:
        _put_off(transition, worker.machines.seconds(move.state) if _takes_time(node, transition) else 0.0)
    else:
        _tell(node, transition, worker, f"{transition.verb}_end", f"{transition.verb}: the node is {move.state}.")
        transition.delete()


def _left_behind(node: Node, state: str) -> dict[str, Any]:
    """What the work of ``state`` changes in the node besides its state."""
    changes: dict[str, Any] = {}
    power = states.power_after(state)
    if power is not None and not (power == states.POWER_OFF and node.disable_power_off):
        changes["power_state"] = power
    if state == states.VERIFYING and node.power_state is None:
        changes["power_state"] = states.POWER_OFF
    if state in {states.INSPECTING, states.INSPECT_WAIT}:
        changes["inspection_finished_at"] = timezone.now()
    return changes


def _fail(node: Node, transition: Transition, worker: Worker, problem: str) -> None:
    changes: dict[str, Any] = {"last_error": problem}
    if transition.kind == Kind.POWER:
        changes["target_power_state"] = None
    else:
        changes |= moved(states.failed(state=node.provision_state, target=node.target_provision_state))
        if node.provision_state in {states.CLEANING, states.CLEAN_WAIT}:
            changes |= {"maintenance": True, "maintenance_reason": problem, "fault": CLEAN_FAILURE}
    node_rows.write(node=node, changes=changes | UNLOCKED, origin=_origin(transition))
    _tell(node, transition, worker, f"{transition.verb}_failed", problem, severity=history.ERROR)
    transition.delete()


def _tell(
    node: Node, transition: Transition, worker: Worker, event_type: str, text: str, *, severity: str = history.INFO
) -> None:
    history.record(
        node=node,
        event_type=event_type,
        event=text,
        severity=severity,
        conductor=worker.hostname,
        user=transition.actor,
    )


def moved(move: states.Move) -> dict[str, Any]:
    """The changes in a node that makes this move."""
    return {
        "provision_state": move.state,
        "target_provision_state": move.target,
        "provision_updated_at": timezone.now(),
    }


def _reserved(hostname: str) -> dict[str, Any]:
    return {"reservation": hostname, "reserved_at": timezone.now(), "conductor": hostname}


def _origin(transition: Transition) -> Origin:
    """Whoever asked for the work is told to have done what it does."""
    return Origin(
        door=Door(transition.door),
        actor=transition.actor,
        project=transition.project,
        request_id=transition.request_id,
    )
