"""Locks of nodes that outlived whoever took them: seen, and broken by hand."""

from __future__ import annotations

import datetime

from django.db.models import QuerySet

from claimsite.foundation.origin import Origin
from claimsite.foundation.transactions import write_transaction
from ironic_app import errors, locks
from ironic_app.models import Node, Transition
from ironic_app.services import history, node_rows
from ironic_app.services.conflict_log import records_refusals


def find(*, before: datetime.datetime | None = None) -> QuerySet[Node]:
    """The locked nodes, the longest locked first; with ``before`` those whose lock is older. A lock without a time is
    as old as can be."""
    locked = Node.objects.exclude(reservation=None).order_by("reserved_at", "pk")
    return locked if before is None else locked.exclude(reserved_at__gte=before)


@records_refusals("reservations.release")
@write_transaction
def release(*, ident: str, held_by: str, origin: Origin) -> bool:
    """Take the lock from ``held_by`` (a host name in any case), and whether that host still had it.

    Raises NodeNotFound; NodeLocked while there is work on the node that a conductor may go on with.
    """
    node = locks.node(ident)
    holder = node.reservation
    if holder is None or holder.lower() != held_by.lower():
        return False
    if Transition.objects.filter(node=node).exists():
        raise errors.NodeLocked(node=node.uuid, host=holder)
    node_rows.unreserve(node=node)
    text = f"{origin.actor or origin.door} took off the lock of {holder}."
    history.record(node=node, event_type="lock_removed", event=text, user=origin.actor)
    return True
