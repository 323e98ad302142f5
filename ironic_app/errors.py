"""Every way Ironic can say no: kind, text, facts. Clients match on the texts, so they are those of the real service.

The role decides the kind, not the noun: a node that is missing from a path is NOT_FOUND, one that is missing from a
body is INVALID. The class name of a refusal is its wire code.
"""

from __future__ import annotations

from typing import ClassVar

from claimsite.foundation.errors import DomainError, Kind, LostRace


class Invalid(DomainError):
    """What was asked for can never be, whatever others do."""

    kind = Kind.INVALID
    message = "{text}"


class Forbidden(DomainError):
    kind = Kind.FORBIDDEN
    message = "{text}"


class NotFound(DomainError):
    kind = Kind.NOT_FOUND
    message = "{text}"


class Conflict(DomainError):
    """What was asked for is well-formed, but the present state forbids it. Final, unless it says when to retry."""

    kind = Kind.CONFLICT
    message = "{text}"


class Retriable(Conflict):
    """A conflict that ends by itself: the same request may succeed a moment later. Answers carry Retry-After."""

    retry_after_seconds: ClassVar[int] = 1


class Stale(DomainError):
    kind = Kind.STALE
    message = "{text}"


# --- nodes ----------------------------------------------------------------------------------------------------------
class NodeNotFound(NotFound):
    message = "Node {node} could not be found."


class UnknownNodeInBody(Invalid):
    message = "Node {node} could not be found."


class NodesCreatedMeanwhile(LostRace):
    """Some of the nodes or ports that a load was to make are there since it looked: look again."""

    message = "Some of the machines were enrolled by another request at the same time."


class NodeAssociated(Conflict):
    """Somebody else has the node. Waiting does not help."""

    message = "Node {node} is associated with instance {instance}."


class InstanceAssociated(Conflict):
    message = (
        "Instance {instance} is already associated with a node, it cannot be associated with this other node {node}"
    )


class NodeLocked(Retriable):
    """A conductor works on the node. ``seconds`` is how long it has had the lock, None if nobody knows."""

    message = "Node {node} is locked by host {host}, please retry after the current operation is completed."

    def __init__(self, *, node: str, host: str, seconds: int | None = None) -> None:
        super().__init__(node=node, host=host, seconds=seconds)


class NodeChanged(Stale):
    """The caller named the version of the node that it had read, and the node has moved on."""

    message = (
        "Node {node} has changed since it was read: the request expects {expected}, the node is at {actual}. "
        "Read it again."
    )


class TestFailed(Stale):
    """A ``test`` operation of a patch found another value."""

    message = "Node {node} was not changed: {path} is {actual}, not {expected}."


class NodeInTransition(Conflict):
    message = "Node {node} can not be updated while a state transition is in progress."


class InvalidState(Conflict):
    """The node's (or the allocation's) state forbids it."""


class NodeUndeletable(Conflict):
    message = "Can not delete node {node} while it is in provision state {state}. Valid provision states are {valid}."


class NodeProtected(Forbidden):
    message = "Node {node} is protected and cannot be undeployed, rebuilt or deleted"


class DuplicateName(Conflict):
    message = "A node with name {name} already exists."


class NodeAlreadyExists(Conflict):
    message = "A node with UUID {uuid} already exists."


class NodeTraitNotFound(NotFound):
    message = "Node {node} doesn't have a trait '{trait}'"


# --- chassis --------------------------------------------------------------------------------------------------------
class ChassisNotFound(NotFound):
    message = "Chassis {chassis} could not be found."


class UnknownChassisInBody(Invalid):
    message = "Chassis {chassis} could not be found."


class ChassisNotEmpty(Invalid):
    message = "Cannot complete the requested action because chassis {chassis} contains nodes."


# --- what hangs on a node -------------------------------------------------------------------------------------------
class PartNotFound(NotFound):
    message = "{noun} {ident} could not be found."


class PartExists(Conflict):
    message = "A {what} already exists."


class UnknownPortgroupInBody(Invalid):
    message = "Portgroup {portgroup} could not be found."


# --- allocations ----------------------------------------------------------------------------------------------------
class AllocationNotFound(NotFound):
    message = "Allocation {allocation} could not be found."


class NodeHasNoAllocation(NotFound):
    message = "Allocation for node {node} was not found"


class ResourceClassMissing(Invalid):
    message = "The resource_class field is mandatory when not backfilling"


class UnknownCandidates(Invalid):
    message = "Nodes cannot be found: {nodes}"


class AllocationNameTaken(Conflict):
    message = "An allocation with name {name} already exists."


class AllocationExists(Conflict):
    message = "An allocation with UUID {uuid} already exists."


class BackfillRefused(Conflict):
    """The node that was named is in use, but not in the way that the allocation says."""

    message = "Failed to process allocation {allocation}: Cannot backfill an allocation for node {node}: {text}"


class AllocationInUse(Conflict):
    message = (
        "Cannot remove allocation {allocation} for node {node}, because the node is {state} "
        "(and maintenance mode is off)"
    )


class AllocationMoved(LostRace):
    """The allocation got or lost its node while it was looked at: look again."""

    message = "Allocation {allocation} was changed by another request at the same time."


# --- states ---------------------------------------------------------------------------------------------------------
class ActionNotPossible(Invalid):
    """The verb exists or not, but leads nowhere from the state that the node is in."""

    message = 'The requested action "{action}" can not be performed on node "{node}" while it is in state "{state}".'


class InvalidOrder(Invalid):
    """What came along with a verb does not belong to it, or what it needs is missing."""


class NodeInMaintenance(Invalid):
    message = "The {operation} operation can't be performed on node {node} because it's in maintenance mode."


class NodeIsRetired(Invalid):
    message = "The {operation} operation can't be performed on node {node} because it is retired."


class PowerOffDisabled(Conflict):
    message = "Failed to set node power state to {target}."


# --- network interfaces ---------------------------------------------------------------------------------------------
class VifAlreadyAttached(Conflict):
    message = "Unable to attach VIF because VIF {vif} is already attached to Ironic {kind} {uuid}"


class VifNotAttached(Invalid):
    message = "Unable to detach VIF {vif} from node {node} because it is not attached to it."


class NoFreePort(Invalid):
    message = "Unable to attach VIF {vif}, not enough free physical ports."


# --- conductors, drivers, history -----------------------------------------------------------------------------------
class ConductorNotFound(NotFound):
    message = "Conductor {conductor} could not be found."


class DriverNotFound(NotFound):
    message = "Could not find the following driver(s) or hardware type(s): {driver}."


class UnknownDriverInBody(Invalid):
    message = "Could not find the following driver(s) or hardware type(s): {driver}."


class HistoryEntryNotFound(NotFound):
    message = "Node history record {entry} could not be found."


class MarkerNotFound(NotFound):
    """A page was asked for that begins behind a row which is not there (any more)."""

    message = "{noun} {marker} could not be found."
