"""Finding a node for an allocation, and giving it.

Any number of these run at once. Each takes the lock of one free node that nobody else has locked at this moment; only
when there is none it waits, for one node at a time. What the node must be is part of the query that locks it, and the
database looks at it again once it has the lock. So no node is given twice, and the last free one is found.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator

from django.db.models import Q, QuerySet
from django.utils import timezone

from claimsite.foundation.origin import Door, Origin
from claimsite.foundation.transactions import needs_transaction, write_transaction
from ironic_app import errors, states
from ironic_app.models import Allocation, Node
from ironic_app.services import association

ROUNDS = 3
"""So often nodes are tried that suit but are reserved, a second apart."""
_SECONDS_BETWEEN_ROUNDS = 1


def due(*, limit: int) -> list[str]:
    """The uuids of allocations that wait for a node and may be tried now, oldest first.

    Those that a request handles itself are not due until that request must have died.
    """
    waiting = Allocation.objects.filter(state=Allocation.State.ALLOCATING)
    ready = waiting.filter(Q(due_at=None) | Q(due_at__lte=timezone.now()))
    return list(ready.order_by("pk").values_list("uuid", flat=True)[:limit])


def match(*, uuid: str) -> bool:
    """Bring the allocation to its end, and whether that was done.

    It is not when all nodes that suit are reserved (then it is put off), when somebody else is at it, or when it has
    ended before.
    """
    try:
        return _match(uuid=uuid)
    except (errors.InstanceAssociated, errors.NodeAssociated) as error:
        # Somebody has given its uuid to a node by hand: there is no node that it could have now.
        return _give_up(uuid=uuid, text=str(error))


@write_transaction
def _match(*, uuid: str) -> bool:
    allocation = _locked(uuid)
    if allocation is None:
        return False
    for _ in range(ROUNDS):
        free = free_nodes(allocation)
        if not free.exists():
            _end(allocation, problem=_nothing_free(allocation))
            return True
        suitable = _with_traits(allocation, free)
        if suitable is None:
            _end(allocation, problem=f"no suitable nodes have the requested traits {', '.join(allocation.traits)}.")
            return True
        node = _lock_one(allocation, suitable.filter(reservation=None))
        if node is not None:
            _give(allocation, node)
            return True
        if suitable.exclude(reservation=None).exists():
            return _put_off(allocation, suitable.count())
    _end(allocation, problem="all nodes were filtered out during reservation.")
    return True


@write_transaction
def _give_up(*, uuid: str, text: str) -> bool:
    allocation = _locked(uuid)
    if allocation is not None:
        _end(allocation, problem=text)
    return allocation is not None


@needs_transaction
def backfill(*, allocation: Allocation, node: Node, origin: Origin) -> None:
    """Give the allocation the (locked) node that is in use already. Stores the allocation.

    Raises BackfillRefused, NodeAssociated, InstanceAssociated.
    """
    for is_right, text in _backfill_rules(allocation, node):
        if not is_right:
            raise errors.BackfillRefused(allocation=allocation.uuid, node=node.uuid, text=text)
    allocation.resource_class = node.resource_class
    allocation.state = Allocation.State.ACTIVE
    allocation.due_at = None
    allocation.save(force_insert=True)
    association.give(node=node, instance_uuid=allocation.uuid, allocation=allocation, origin=origin)


def _backfill_rules(allocation: Allocation, node: Node) -> Iterator[tuple[bool, str]]:
    yield (
        node.provision_state == states.ACTIVE,
        f'Node must be in the "active" state, but the current state is "{node.provision_state}".',
    )
    yield (
        allocation.resource_class in {None, "", node.resource_class},
        f"Resource class {node.resource_class} does not match the requested resource class "
        f"{allocation.resource_class}.",
    )
    yield (
        set(allocation.traits) <= set(node.traits),
        f"List of traits {node.traits} does not match the requested traits {allocation.traits}.",
    )
    yield (
        not allocation.candidate_nodes or node.uuid in allocation.candidate_nodes,
        f"Candidate nodes must be empty or contain the target node, but got {allocation.candidate_nodes}.",
    )


# --- which nodes ----------------------------------------------------------------------------------------------------
def free_nodes(allocation: Allocation) -> QuerySet[Node]:
    """The nodes that the allocation might have, as far as a query can tell (traits are left aside)."""
    nodes = Node.objects.filter(
        resource_class=allocation.resource_class,
        provision_state=states.AVAILABLE,
        instance_uuid=None,
        allocation=None,
        maintenance=False,
        power_state__isnull=False,
    )
    if allocation.candidate_nodes:
        nodes = nodes.filter(uuid__in=allocation.candidate_nodes)
    if allocation.owner is not None:
        nodes = nodes.filter(Q(owner=allocation.owner) | Q(lessee=allocation.owner))
    return nodes


def _with_traits(allocation: Allocation, free: QuerySet[Node]) -> QuerySet[Node] | None:
    """Those of the free nodes that have all traits; None if there are none."""
    if not allocation.traits:
        return free
    wanted = set(allocation.traits)
    fitting = [pk for pk, traits in free.values_list("pk", "traits") if wanted <= set(traits)]
    return free.filter(pk__in=fitting) if fitting else None


def _lock_one(allocation: Allocation, nodes: QuerySet[Node]) -> Node | None:
    """One of the nodes, locked: the one of the allocation's name if there is one, else any.

    Without chance all would go for the same node first.
    """
    node = nodes.select_for_update().filter(name=allocation.name).first() if allocation.name else None
    if node is None:
        anywhere = nodes.order_by("?")
        node = anywhere.select_for_update(skip_locked=True).first() or anywhere.select_for_update().first()
    # The query does not know traits: they may have changed before the lock was there.
    return node if node is not None and set(allocation.traits) <= set(node.traits) else None


def _nothing_free(allocation: Allocation) -> str:
    if allocation.candidate_nodes:
        return f"none of the requested nodes are available and match the resource class {allocation.resource_class}."
    return f"no available nodes match the resource class {allocation.resource_class}."


# --- how it ends ----------------------------------------------------------------------------------------------------
def _locked(uuid: str) -> Allocation | None:
    waiting = Allocation.objects.select_for_update(skip_locked=True)
    return waiting.filter(uuid=uuid, state=Allocation.State.ALLOCATING).first()


def _give(allocation: Allocation, node: Node) -> None:
    association.give(
        node=node,
        instance_uuid=allocation.uuid,
        allocation=allocation,
        changes={"instance_info": {**node.instance_info, "traits": allocation.traits}},
        origin=_origin(allocation),
    )
    _end(allocation)


def _end(allocation: Allocation, *, problem: str | None = None) -> None:
    allocation.state = Allocation.State.ACTIVE if problem is None else Allocation.State.ERROR
    if problem is not None:
        allocation.last_error = f"Failed to process allocation {allocation.uuid}: {problem}"
    allocation.due_at = None
    allocation.updated_at = timezone.now()
    allocation.save(update_fields=["state", "last_error", "attempts", "due_at", "updated_at"])


def _put_off(allocation: Allocation, suitable: int) -> bool:
    """Whether it has come to an end by that."""
    allocation.attempts += 1
    if allocation.attempts >= ROUNDS:
        _end(allocation, problem=f"could not reserve any of {suitable} suitable nodes.")
        return True
    allocation.due_at = timezone.now() + datetime.timedelta(seconds=_SECONDS_BETWEEN_ROUNDS)
    allocation.save(update_fields=["attempts", "due_at"])
    return False


def _origin(allocation: Allocation) -> Origin:
    return Origin(
        door=Door(allocation.door or Door.BAREMETAL),
        actor=allocation.actor,
        project=allocation.project,
        request_id=allocation.request_id,
    )
