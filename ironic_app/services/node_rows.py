"""The one place that writes node rows: the generation moves, and no change of ownership goes untold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from django.db import IntegrityError
from django.utils import timezone

from claimsite.foundation import statements
from claimsite.foundation.origin import Origin
from claimsite.foundation.transactions import needs_transaction
from ironic_app import errors
from ironic_app.models import Node, OwnershipEvent
from ironic_app.models.constraints import violated
from ironic_app.services import observers, ownership_log


@needs_transaction
def write(*, node: Node, changes: Mapping[str, Any], origin: Origin, reason: str = "") -> None:
    """Store ``changes`` (attribute of the model → value) of a node whose row is locked.

    ``reason`` says in the node's story what the change was part of, e.g. ``undeployed``.

    Raises InstanceAssociated, DuplicateName; the transaction is lost then.
    """
    before = {name: getattr(node, name) for name in ownership_log.SUBJECTS}
    allocation_uuid = node.allocation_id
    for name, value in changes.items():
        setattr(node, name, value)
    node.generation += 1
    node.updated_at = timezone.now()
    try:
        statements.update(node, [*changes, "generation", "updated_at"])
    except IntegrityError as error:
        _refuse(error, node)
    events = ownership_log.changes(
        node=node,
        before=before,
        allocation_uuid=allocation_uuid or node.allocation_id,
        origin=origin,
        reason=reason,
    )
    for event in events:
        statements.insert(event)
    observers.tell(node=node, changed=changes.keys(), origin=origin)


@needs_transaction
def insert(*, node: Node, origin: Origin, reason: str = "created") -> None:
    """Store a new node. Raises NodeAlreadyExists, InstanceAssociated, DuplicateName; the transaction is lost then."""
    try:
        node.save(force_insert=True)
    except IntegrityError as error:
        _refuse(error, node)
    events = ownership_log.changes(
        node=node,
        before=dict.fromkeys(ownership_log.SUBJECTS),
        allocation_uuid=node.allocation_id,
        origin=origin,
        reason=reason,
    )
    if events:
        OwnershipEvent.objects.bulk_create(events)
    observers.tell(node=node, changed=None, origin=origin)


@needs_transaction
def insert_all(*, nodes: Sequence[Node], origin: Origin) -> None:
    """Store new nodes that are nobody's, in one go. Raises NodesCreatedMeanwhile; the transaction is lost then."""
    try:
        Node.objects.bulk_create(nodes)
    except IntegrityError as error:
        raise errors.NodesCreatedMeanwhile() from error
    for node in nodes:
        observers.tell(node=node, changed=None, origin=origin)


@needs_transaction
def delete(*, node: Node, origin: Origin) -> None:
    """Delete a node whose row is locked, with all that hangs on it."""
    node.delete()
    observers.tell(node=node, changed=None, origin=origin, is_gone=True)


@needs_transaction
def reserve(*, node: Node, holder: str) -> None:
    """Lock a free node for ``holder`` (a host name). Its generation stays: a lock changes nothing of what it is."""
    node.reservation = holder
    node.reserved_at = timezone.now()
    Node.objects.filter(pk=node.pk).update(reservation=holder, reserved_at=node.reserved_at)


@needs_transaction
def unreserve(*, node: Node) -> None:
    node.reservation = node.reserved_at = None
    Node.objects.filter(pk=node.pk).update(reservation=None, reserved_at=None)


def _refuse(error: IntegrityError, node: Node) -> NoReturn:
    match violated(error, Node):
        case ("instance_uuid",):
            raise errors.InstanceAssociated(instance=node.instance_uuid, node=node.uuid) from error
        case ("name",):
            raise errors.DuplicateName(name=node.name) from error
        case ("uuid",):
            raise errors.NodeAlreadyExists(uuid=node.uuid) from error
    raise error
