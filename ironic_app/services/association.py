"""Who has a node. Verbs for whoever wants to take or release one without the API's patches, and what lies beneath."""

from __future__ import annotations

from claimsite.foundation.origin import Origin
from claimsite.foundation.transactions import needs_transaction, write_transaction
from ironic_app import errors, locks
from ironic_app.models import Allocation, Node
from ironic_app.services import node_rows, ownership_log
from ironic_app.services.conflict_log import records_refusals


@records_refusals("association.release")
@locks.waits_for_node
@write_transaction
def release(*, ident: str, held_by: str, origin: Origin, reason: str = "released") -> bool:
    """Take the node from the instance ``held_by``, and whether it still had it: nobody else's claim is ever touched.

    Raises NodeNotFound, NodeLocked.
    """
    node = locks.node(ident)
    if node.instance_uuid != held_by:
        return False
    try:
        locks.ensure_free(node)
    except errors.NodeLocked as error:
        error.facts["attempt"] = ownership_log.attempt(node, None)
        raise
    clear(node=node, origin=origin, reason=reason)
    return True


@needs_transaction
def give(
    *,
    node: Node,
    instance_uuid: str,
    origin: Origin,
    allocation: Allocation | None = None,
    changes: dict[str, object] | None = None,
) -> None:
    """Give the locked node to an instance, together with ``changes``. What the instance has already stays as it is.

    Raises NodeAssociated, InstanceAssociated.
    """
    ensure_unowned(node=node, instance_uuid=instance_uuid)
    changes = dict(changes or {})
    if node.instance_uuid != instance_uuid:
        changes["instance_uuid"] = instance_uuid
    if allocation is not None and node.allocation_id != allocation.uuid:
        changes["allocation_id"] = allocation.uuid
    if changes:
        node_rows.write(node=node, changes=changes, origin=origin, reason="allocated" if allocation else "")


@needs_transaction
def clear(*, node: Node, origin: Origin, reason: str = "", changes: dict[str, object] | None = None) -> None:
    """Take the locked node from whoever has it, and delete the allocation that gave it, together with ``changes``."""
    allocation_uuid = node.allocation_id
    gone: dict[str, object] = {"instance_uuid": None, "allocation_id": None}
    node_rows.write(node=node, changes=gone | (changes or {}), origin=origin, reason=reason)
    if allocation_uuid is not None:
        Allocation.objects.filter(uuid=allocation_uuid).delete()


def ensure_unowned(*, node: Node, instance_uuid: str) -> None:
    """Raises NodeAssociated if somebody else has the node."""
    if node.instance_uuid is not None and node.instance_uuid != instance_uuid:
        raise errors.NodeAssociated(node=node.uuid, instance=node.instance_uuid)
