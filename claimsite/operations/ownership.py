"""Whole claims of bare-metal nodes: allocated in Placement and associated in Ironic in one transaction, or not at all.

Clients of the two services do this in two calls to two databases, and most of what operators clean up by hand are the
halves that are left when something dies between them.

Locks are taken in the order nodes, consumers, providers: the same as where a change of a node is mirrored.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections import Counter
from collections.abc import Collection

from django.db.models import Q, QuerySet

from claimsite.foundation.errors import DomainError, Kind
from claimsite.foundation.origin import Origin
from claimsite.foundation.transactions import write_transaction
from claimsite.foundation.uuids import canonical_uuid
from claimsite.machines.names import placement_class
from ironic_app import locks, states
from ironic_app.models import Node
from ironic_app.services import association
from placement_app import errors as placement_errors
from placement_app.claims import Claim, Owner
from placement_app.services import allocations, conflict_log


class NoNodeFree(DomainError):
    """Nothing that was asked for is free. ``reasons`` says what kept the nodes that suit otherwise."""

    kind = Kind.CONFLICT
    message = "No node for {consumer}: {reasons}."


class NodeNotHeld(DomainError):
    kind = Kind.NOT_FOUND
    message = "Instance {instance} has no node."


class NodeInUse(DomainError):
    """Freed in the books before it is free in fact, it would be given out again and fail its next
    user (LP #1974070)."""

    kind = Kind.CONFLICT
    message = "Node {node} is {state}: undeploy it first, which gives it back."


class _Unavailable(Exception):
    """This node is not to be had; the text says why, and the next one is tried."""


@dataclasses.dataclass(frozen=True, slots=True)
class Wish:
    """Which node an instance would take."""

    instance_uuid: str
    """Also the consumer of the allocation."""
    tenant: Owner
    resource_class: str
    """As Ironic spells it; Placement's class follows from it (``baremetal`` → ``CUSTOM_BAREMETAL``)."""
    traits: frozenset[str] = frozenset()
    node_owner: str | None = None
    """A project that must own or lease the node."""
    candidates: tuple[str, ...] = ()
    """Uuids or names; none means any."""
    consumer_type: str | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class Holding:
    """The node that an instance has, and what it holds of it in Placement."""

    instance_uuid: str
    node_uuid: str
    node_name: str | None
    resources: dict[str, int]


def claim(*, wish: Wish, origin: Origin) -> Holding:
    """Take one free node that suits, for the instance: both halves, or nothing.

    Every node that suits is tried once, in random order; one that somebody else has locked at this moment is passed
    over first and waited for in the end, so the last free node is found. A refusal tells what that last look found:
    what was in the way of the first is over by then.

    Raises NoNodeFree; ConsumerGenerationConflict if the instance holds something already; InstanceAssociated.
    """
    reasons: Counter[str] = Counter()
    try:
        for waits in (False, True):
            reasons.clear()
            for node_uuid in _suitable(wish).order_by("?").values_list("uuid", flat=True):
                try:
                    return _take(node_uuid=node_uuid, wish=wish, waits=waits, origin=origin)
                except _Unavailable as why:
                    reasons[str(why)] += 1
                except (placement_errors.CapacityExceeded, placement_errors.InventoryMissing) as error:
                    reasons[f"{error.facts['resource_class']} is not to be had of its provider"] += 1
                except placement_errors.UnknownProviderInBody:
                    reasons["it is no provider in Placement"] += 1
        if not reasons:
            reasons["no free node suits"] += 1
        raise NoNodeFree(consumer=wish.instance_uuid, reasons=", ".join(map(_told, reasons.items())))
    except DomainError as error:
        if error.kind is Kind.CONFLICT:
            conflict_log.record("ownership.claim", error, origin)
        raise


def release(*, instance_uuid: str, origin: Origin) -> None:
    """Give back the instance's node and all that it holds in Placement. Never touches anybody else's.

    Raises NodeNotHeld, NodeInUse; NodeLocked while a conductor works on the node.
    """
    _release(instance_uuid=instance_uuid, origin=origin)


def get(*, instance_uuid: str) -> Holding:
    """Raises NodeNotHeld."""
    node = Node.objects.filter(instance_uuid=instance_uuid).first()
    if node is None:
        raise NodeNotHeld(instance=instance_uuid)
    _, held = allocations.of_consumer(consumer_uuid=instance_uuid)
    return _holding(node, {each.resource_class_id: each.used for each in held if each.provider_uuid == node.uuid})


@write_transaction
def _take(*, node_uuid: str, wish: Wish, waits: bool, origin: Origin) -> Holding:
    node = _suitable(wish).select_for_update(skip_locked=not waits).filter(uuid=node_uuid).first()
    if node is None:
        raise _Unavailable("somebody else took it" if waits else "somebody is at it")
    if node.reservation is not None:
        raise _Unavailable(f"it is locked by {node.reservation} for now")
    if not wish.traits <= set(node.traits):
        raise _Unavailable("it lacks a trait")
    resources = {placement_class(wish.resource_class): 1}
    claims = [
        Claim(
            consumer_uuid=wish.instance_uuid,
            resources={node.uuid: resources},
            owner=wish.tenant,
            expected=None,
            consumer_type=wish.consumer_type,
        )
    ]
    allocations.write(allocations.lock(claims), claims, origin=origin)
    association.give(node=node, instance_uuid=wish.instance_uuid, origin=origin)
    return _holding(node, resources)


@locks.waits_for_node
@write_transaction
def _release(*, instance_uuid: str, origin: Origin) -> None:
    node = Node.objects.select_for_update().filter(instance_uuid=instance_uuid).first()
    if node is None:
        raise NodeNotHeld(instance=instance_uuid)
    locks.ensure_free(node)
    if node.provision_state not in states.RECONFIGURABLE and not node.maintenance:
        raise NodeInUse(node=node.uuid, state=node.provision_state)
    # A half claim is given back too: that is what cleaning up after others means.
    with contextlib.suppress(placement_errors.AllocationsNotFound):
        allocations.give_up(consumer_uuid=instance_uuid, origin=origin)
    association.clear(node=node, origin=origin, reason="released")


def _suitable(wish: Wish) -> QuerySet[Node]:
    nodes = Node.objects.filter(
        resource_class=wish.resource_class,
        provision_state=states.AVAILABLE,
        instance_uuid=None,
        allocation=None,
        maintenance=False,
        power_state__isnull=False,
    )
    if wish.candidates:
        nodes = nodes.filter(_named(wish.candidates))
    if wish.node_owner is not None:
        nodes = nodes.filter(Q(owner=wish.node_owner) | Q(lessee=wish.node_owner))
    return nodes


def _told(reason: tuple[str, int]) -> str:
    why, count = reason
    return why if count == 1 else f"{why} ({count} nodes)"


def _named(candidates: Collection[str]) -> Q:
    uuids = [uuid for uuid in map(canonical_uuid, candidates) if uuid is not None]
    return Q(uuid__in=uuids) | Q(name__in=candidates)


def _holding(node: Node, resources: dict[str, int]) -> Holding:
    assert node.instance_uuid is not None
    return Holding(instance_uuid=node.instance_uuid, node_uuid=node.uuid, node_name=node.name, resources=resources)
