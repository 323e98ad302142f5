"""The provision state machine and the rules of power, as tables. Pure: no database, no HTTP, no versions.

A verb moves a node to a state at once (``abort``) or to a state in which somebody has work to do (``deploying``). What
follows when that work ends, well or badly, is the second table. A node whose work is not done has a target.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

# --- the states, by the words of the protocol -----------------------------------------------------------------------
ENROLL = "enroll"
VERIFYING = "verifying"
MANAGEABLE = "manageable"
AVAILABLE = "available"
ACTIVE = "active"
ERROR = "error"
DELETED = "deleted"

DEPLOYING = "deploying"
DEPLOY_WAIT = "wait call-back"
DEPLOY_HOLD = "deploy hold"
DEPLOY_FAILED = "deploy failed"
DELETING = "deleting"
CLEANING = "cleaning"
CLEAN_WAIT = "clean wait"
CLEAN_HOLD = "clean hold"
CLEAN_FAILED = "clean failed"
INSPECTING = "inspecting"
INSPECT_WAIT = "inspect wait"
INSPECT_FAILED = "inspect failed"
ADOPTING = "adopting"
ADOPT_FAILED = "adopt failed"
RESCUE = "rescue"
RESCUING = "rescuing"
RESCUE_WAIT = "rescue wait"
RESCUE_FAILED = "rescue failed"
UNRESCUING = "unrescuing"
UNRESCUE_FAILED = "unrescue failed"
SERVICING = "servicing"
SERVICE_WAIT = "service wait"
SERVICE_HOLD = "service hold"
SERVICE_FAILED = "service failed"

STABLE = frozenset({ENROLL, MANAGEABLE, AVAILABLE, ACTIVE, ERROR, RESCUE})
"""Here a node has no target."""
FAILED = frozenset(
    {
        DEPLOY_FAILED,
        CLEAN_FAILED,
        INSPECT_FAILED,
        ADOPT_FAILED,
        RESCUE_FAILED,
        UNRESCUE_FAILED,
        SERVICE_FAILED,
        ERROR,
    }
)
WAITING = frozenset({DEPLOY_WAIT, CLEAN_WAIT, INSPECT_WAIT, RESCUE_WAIT, SERVICE_WAIT})
"""Waiting for the machine to call back: nobody works on the node, so it is not locked and the wait can be aborted."""
HELD = frozenset({DEPLOY_HOLD, CLEAN_HOLD, SERVICE_HOLD})
"""Stopped by a step that says so, until ``unhold``."""

# --- verbs ----------------------------------------------------------------------------------------------------------
MANAGE = "manage"
PROVIDE = "provide"
INSPECT = "inspect"
CLEAN = "clean"
ADOPT = "adopt"
DEPLOY = "deploy"
REBUILD = "rebuild"
UNDEPLOY = "undeploy"
RESCUE_VERB = "rescue"
UNRESCUE = "unrescue"
ABORT = "abort"
UNHOLD = "unhold"
SERVICE = "service"

# Some targets are named after the state to be reached; they mean the same as the verb.
_ALIASES = {ACTIVE: DEPLOY, DELETED: UNDEPLOY}


@dataclasses.dataclass(frozen=True, slots=True)
class Move:
    """What a verb does at once: the state that is shown next, and the target if the state has one."""

    state: str
    target: str | None = None


_MOVES: Mapping[str, Mapping[str, Move]] = {
    MANAGE: {
        ENROLL: Move(VERIFYING, MANAGEABLE),
        **dict.fromkeys([AVAILABLE, CLEAN_FAILED, INSPECT_FAILED, ADOPT_FAILED], Move(MANAGEABLE)),
    },
    PROVIDE: {MANAGEABLE: Move(CLEANING, AVAILABLE)},
    INSPECT: dict.fromkeys([MANAGEABLE, INSPECT_FAILED], Move(INSPECTING, MANAGEABLE)),
    CLEAN: {MANAGEABLE: Move(CLEANING, MANAGEABLE)},
    ADOPT: dict.fromkeys([MANAGEABLE, ADOPT_FAILED], Move(ADOPTING, ACTIVE)),
    DEPLOY: dict.fromkeys([AVAILABLE, DEPLOY_FAILED], Move(DEPLOYING, ACTIVE)),
    REBUILD: dict.fromkeys([ACTIVE, DEPLOY_FAILED, ERROR], Move(DEPLOYING, ACTIVE)),
    UNDEPLOY: dict.fromkeys(
        [
            ACTIVE,
            DEPLOY_FAILED,
            DEPLOY_WAIT,
            ERROR,
            RESCUE,
            RESCUE_FAILED,
            RESCUE_WAIT,
            UNRESCUE_FAILED,
            SERVICE_FAILED,
            SERVICE_WAIT,
        ],
        Move(DELETING, AVAILABLE),
    ),
    RESCUE_VERB: dict.fromkeys(
        [ACTIVE, RESCUE, RESCUE_FAILED, UNRESCUE_FAILED, SERVICE_FAILED],
        Move(RESCUING, RESCUE),
    ),
    UNRESCUE: dict.fromkeys([RESCUE, RESCUE_FAILED, UNRESCUE_FAILED], Move(UNRESCUING, ACTIVE)),
    ABORT: {
        **dict.fromkeys([CLEAN_WAIT, CLEAN_HOLD], Move(CLEAN_FAILED)),
        INSPECT_WAIT: Move(INSPECT_FAILED),
        RESCUE_WAIT: Move(RESCUE_FAILED),
        **dict.fromkeys([DEPLOY_WAIT, DEPLOY_HOLD], Move(DEPLOY_FAILED)),
        **dict.fromkeys([SERVICE_WAIT, SERVICE_HOLD], Move(SERVICE_FAILED)),
        SERVICE_FAILED: Move(ACTIVE),
    },
    UNHOLD: {
        CLEAN_HOLD: Move(CLEAN_WAIT),
        DEPLOY_HOLD: Move(DEPLOY_WAIT),
        SERVICE_HOLD: Move(SERVICE_WAIT),
    },
    SERVICE: dict.fromkeys([ACTIVE, SERVICE_FAILED, SERVICE_HOLD], Move(SERVICING, ACTIVE)),
}


def verb(target: str) -> str:
    """The verb that a requested target means; an unknown target is its own, which no state allows."""
    return _ALIASES.get(target, target)


def move(*, verb: str, state: str, target: str | None) -> Move | None:
    """What ``verb`` does to a node in ``state`` with ``target``; None when it can't be done from there.

    A failure keeps the target that was not reached, so that it can be seen what the node was meant for.
    """
    found = _MOVES.get(verb, {}).get(state)
    if found is None or found.target is not None or found.state in STABLE:
        return found
    return Move(found.state, target)


def verbs(state: str) -> list[str]:
    """What can be asked of a node in ``state``."""
    return [verb for verb, moves in _MOVES.items() if state in moves]


# --- work -----------------------------------------------------------------------------------------------------------
@dataclasses.dataclass(frozen=True, slots=True)
class Work:
    """A state in which something is being done: where it leads, and in which state the machine is waited for."""

    failure: str
    waits_in: str | None = None


WORK: Mapping[str, Work] = {
    VERIFYING: Work(failure=ENROLL),
    INSPECTING: Work(failure=INSPECT_FAILED, waits_in=INSPECT_WAIT),
    CLEANING: Work(failure=CLEAN_FAILED, waits_in=CLEAN_WAIT),
    ADOPTING: Work(failure=ADOPT_FAILED),
    DEPLOYING: Work(failure=DEPLOY_FAILED, waits_in=DEPLOY_WAIT),
    DELETING: Work(failure=ERROR),
    RESCUING: Work(failure=RESCUE_FAILED, waits_in=RESCUE_WAIT),
    UNRESCUING: Work(failure=UNRESCUE_FAILED),
    SERVICING: Work(failure=SERVICE_FAILED, waits_in=SERVICE_WAIT),
}
_WORK_BEHIND_WAIT = {work.waits_in: state for state, work in WORK.items() if work.waits_in}
TRANSITIONAL = frozenset(WORK) | WAITING
"""States that end by themselves."""
PROVISION_STATES = STABLE | FAILED | HELD | TRANSITIONAL | {DELETED}
"""Every word that a list may be filtered by; nodes never stay in ``deleted``, but clients ask for it."""


def done(*, state: str, target: str | None, retired: bool = False) -> Move:
    """Where a node goes whose work in ``state`` ended well.

    Tearing down is followed by cleaning. A retired node does not become available again: it ends as manageable.
    """
    state = _WORK_BEHIND_WAIT.get(state, state)
    if state == DELETING:
        return Move(CLEANING, target)
    if state == CLEANING and target == AVAILABLE and retired:
        return Move(MANAGEABLE)
    if target is None:
        raise ValueError(f"Work in state {state!r} has no target.")
    return Move(target)


def failed(*, state: str, target: str | None) -> Move:
    """Where a node goes whose work in ``state`` ended badly. It keeps its target unless the state is a stable one."""
    failure = WORK[_WORK_BEHIND_WAIT.get(state, state)].failure
    return Move(failure, None if failure in STABLE else target)


# --- who may change what, when --------------------------------------------------------------------------------------
EDITABLE_ON_THE_WAY = FAILED | {INSPECTING, INSPECT_WAIT, VERIFYING, SERVICE_HOLD}
"""A node with a target can be edited in these states only."""
RECONFIGURABLE = frozenset({ENROLL, INSPECTING, INSPECT_WAIT, MANAGEABLE, AVAILABLE})
"""Where driver, interfaces and resource class may change, and an allocation can be taken off."""
PORTS_RECONFIGURABLE = RECONFIGURABLE - {AVAILABLE}
"""Where it may change how ports are wired."""
DELETABLE = frozenset({ENROLL, MANAGEABLE, ADOPT_FAILED, AVAILABLE})
PROTECTABLE = frozenset({ACTIVE, RESCUE})


# --- power ----------------------------------------------------------------------------------------------------------
POWER_ON = "power on"
POWER_OFF = "power off"
REBOOT = "rebooting"
SOFT_REBOOT = "soft rebooting"
SOFT_POWER_OFF = "soft power off"

_POWER_ENDS = {
    POWER_ON: POWER_ON,
    POWER_OFF: POWER_OFF,
    REBOOT: POWER_ON,
    SOFT_REBOOT: POWER_ON,
    SOFT_POWER_OFF: POWER_OFF,
}
NO_POWER_CHANGE = frozenset({CLEANING, CLEAN_WAIT})


def power_end(target: str) -> str | None:
    """The power state that a power target leads to; None for a target that doesn't exist."""
    return _POWER_ENDS.get(target)


def power_after(state: str) -> str | None:
    """The power that a machine has when the work of ``state`` ended well; None where the work doesn't touch it."""
    if state in {DEPLOYING, RESCUING, UNRESCUING, ADOPTING}:
        return POWER_ON
    if state in {DELETING, CLEANING}:
        return POWER_OFF
    return None
