"""What conductors put right of what others left: locks without work, work without anybody, power nobody knows."""

from __future__ import annotations

import datetime

from django.conf import settings
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from claimsite.foundation.origin import Door, Origin
from claimsite.foundation.transactions import write_transaction
from ironic_app import states
from ironic_app.models import Node, Transition
from ironic_app.services import conductors, history, node_rows, transitions
from ironic_app.services.transitions import Worker


def put_right(*, worker: Worker) -> int:
    """Look through the nodes on which nobody has work; how many of them were put right.

    Locks of hosts that never were conductors are left alone: somebody may have set them on purpose. They end by
    operators' hands (and are listed by ``manage.py`` and on the pages as what they are).
    """
    nobodys = Node.objects.exclude(Exists(Transition.objects.filter(node=OuterRef("uuid"))))
    suspicious = nobodys.exclude(reservation=None) | nobodys.filter(provision_state__in=states.TRANSITIONAL)
    suspicious |= nobodys.filter(_power_is_unknown())
    known = conductors.known() | {transitions.here()}
    ours = known - (conductors.alive() - {worker.hostname})
    return sum(_put_right(pk=pk, ours=ours, worker=worker) for pk in suspicious.values_list("pk", flat=True))


@write_transaction
def _put_right(*, pk: int, ours: set[str], worker: Worker) -> bool:
    """``ours``: the hosts for which the worker may speak: itself and those of the dead."""
    node = Node.objects.select_for_update(skip_locked=True).filter(pk=pk).first()
    if node is None or Transition.objects.filter(node=node).exists():
        return False
    holder = node.reservation
    if holder is not None and holder.lower() not in ours:
        return False
    if node.provision_state in states.TRANSITIONAL:
        return _end(node, worker)
    if holder is not None:
        node_rows.unreserve(node=node)
        text = f"{worker.hostname} took off the lock of {holder}, who was not working on the node."
        history.record(node=node, event_type="lock_removed", event=text, conductor=worker.hostname)
        return True
    if not Node.objects.filter(_power_is_unknown(), pk=pk).exists():
        return False
    node_rows.write(node=node, changes={"power_state": states.POWER_OFF}, origin=_origin(worker))
    return True


def _end(node: Node, worker: Worker) -> bool:
    """End a state in which nobody works, unless it was entered just now."""
    patience = datetime.timedelta(seconds=settings.CONDUCTOR_TIMEOUT_SECONDS)
    if node.provision_updated_at is not None and node.provision_updated_at > timezone.now() - patience:
        return False
    text = f"Nobody was working on the node while it was {node.provision_state}."
    changes = transitions.moved(states.failed(state=node.provision_state, target=node.target_provision_state))
    changes |= transitions.UNLOCKED | {"last_error": text}
    node_rows.write(node=node, changes=changes, origin=_origin(worker))
    history.record(node=node, event_type="abandoned", event=text, severity=history.ERROR, conductor=worker.hostname)
    return True


def _power_is_unknown() -> Q:
    """Machines that are looked after have a known power; those that don't exist are off."""
    return Q(power_state=None, maintenance=False, reservation=None) & ~Q(
        provision_state__in=[states.ENROLL, *states.TRANSITIONAL]
    )


def _origin(worker: Worker) -> Origin:
    return Origin(door=Door.COMMAND, actor=worker.hostname, reason="put right by a conductor")
