"""What puts right where the two services differ. Every verb acts on what was reported, or not at all.

Locks are taken in the order nodes, consumers, providers, as everywhere in ``claimsite.operations``.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable

from django.conf import settings

from claimsite.foundation.errors import DomainError, Kind
from claimsite.foundation.findings import ChangedMeanwhile, Finding
from claimsite.foundation.origin import Origin
from claimsite.foundation.transactions import needs_transaction, write_transaction
from claimsite.operations import mirror
from claimsite.operations.findings import RELEASABLE, kind
from claimsite.operations.ownership import NodeInUse
from ironic_app import errors as node_errors
from ironic_app import locks as node_locks
from ironic_app.models import Allocation as NodeAllocation
from ironic_app.models import Node
from ironic_app.services import association, conductors, reservations
from placement_app import errors, locks
from placement_app.claims import Claim, Owner
from placement_app.models import Allocation, Consumer, ResourceProvider
from placement_app.services import allocations, generations, inventories, ledger, providers

STALE: tuple[type[DomainError], ...] = (
    errors.AllocationsNotFound,
    errors.ConsumerGenerationConflict,
    errors.ProviderGenerationConflict,
    errors.ProviderNotFound,
    node_errors.NodeNotFound,
    node_errors.AllocationNotFound,
)
"""Refusals which mean that the thing is not what was reported."""


class NotByCommand(DomainError):
    kind = Kind.CONFLICT
    message = "{code} of {name} is for people: {fix}"


class StillAnInstance(DomainError):
    """Two witnesses disagree whether it lives: whoever frees on the word of one frees under a living workload."""

    kind = Kind.CONFLICT
    message = "Node {node} has consumer {consumer} as its instance: release the node first (stale_nodes)."


def put_right(*, finding: Finding, origin: Origin) -> str:
    """Do what the finding says would be done, and say in a few words what was.

    Raises ChangedMeanwhile, one of STALE, NotByCommand, or what the services refuse with.
    """
    act = _ACTS.get(kind(finding))
    if act is None:
        raise NotByCommand(code=finding.code, name=finding.name, fix=finding.fix)
    return act(finding, origin)


# --- claims ---------------------------------------------------------------------------------------------------------
@write_transaction
def adopt(*, node_uuid: str, instance_uuid: str, origin: Origin) -> None:
    """Claim the node in Placement for the instance that has it; what else the instance holds stays.

    A consumer that Placement does not know gets the node's lessee or owner as its project.

    Raises NodeNotFound, ChangedMeanwhile, ProviderNotFound, InventoryMissing, CapacityExceeded.
    """
    node = node_locks.node(node_uuid)
    if node.instance_uuid != instance_uuid:
        raise ChangedMeanwhile(how=f"its instance is {node.instance_uuid or 'nobody'}")
    consumer = Consumer.objects.filter(uuid=instance_uuid).first()
    held = ledger.holdings([instance_uuid]).get(instance_uuid, {}) if consumer else {}
    if node_uuid in held:
        raise ChangedMeanwhile(how="it is claimed by now")
    provider = ResourceProvider.objects.filter(uuid=node_uuid).first()
    if provider is None:
        raise errors.ProviderNotFound(provider=node_uuid)
    wanted = {row.resource_class_id: 1 for row in provider.inventories.all() if row.total > row.reserved}
    if not wanted:
        raise ChangedMeanwhile(how="nothing of it is offered any more")
    claim = Claim(
        consumer_uuid=instance_uuid,
        resources={uuid: dict(amounts) for uuid, amounts in held.items()} | {node_uuid: wanted},
        owner=_owner(node, consumer),
        expected=consumer.generation if consumer else None,
        consumer_type=consumer.consumer_type if consumer else "INSTANCE",
    )
    allocations.write(allocations.lock([claim]), [claim], origin=origin)


def _owner(node: Node, consumer: Consumer | None) -> Owner:
    if consumer is not None:
        return Owner(consumer.project_id, consumer.user_id)
    project = node.lessee or node.owner or settings.INCOMPLETE_CONSUMER_PROJECT_ID
    return Owner(project, settings.INCOMPLETE_CONSUMER_USER_ID)


@write_transaction
def release_orphan(*, node_uuid: str, consumer_uuid: str, generation: int, origin: Origin) -> None:
    """Give back what a consumer holds of a machine that no instance has.

    Raises NodeNotFound, NodeLocked, NodeInUse, ChangedMeanwhile, StillAnInstance, AllocationsNotFound,
    ConsumerGenerationConflict.
    """
    node = node_locks.node(node_uuid)
    if node.instance_uuid is not None:
        raise ChangedMeanwhile(how=f"the node has instance {node.instance_uuid} now")
    node_locks.ensure_free(node)
    if node.provision_state not in RELEASABLE:
        raise NodeInUse(node=node.uuid, state=node.provision_state)
    _ensure_no_instance(consumer_uuid)
    others = Allocation.objects.filter(consumer=consumer_uuid).exclude(provider__uuid=node_uuid)
    if others.exists():
        raise ChangedMeanwhile(how="the consumer holds something else as well")
    allocations.give_up(consumer_uuid=consumer_uuid, expected=generation, origin=origin)


@write_transaction
def release_dead(*, consumer_uuid: str, generation: int, origin: Origin) -> None:
    """Give back all that a consumer holds that is said to be dead, unless a node says the contrary.

    Raises StillAnInstance, AllocationsNotFound, ConsumerGenerationConflict.
    """
    # A node is given to an instance under the node's lock: so the nodes of what it holds are locked first.
    held = Allocation.objects.filter(consumer=consumer_uuid).values("provider__uuid")
    list(Node.objects.select_for_update().filter(uuid__in=held).order_by("pk").values_list("pk"))
    _ensure_no_instance(consumer_uuid)
    allocations.give_up(consumer_uuid=consumer_uuid, expected=generation, origin=origin)


@needs_transaction
def _ensure_no_instance(consumer_uuid: str) -> None:
    node = Node.objects.filter(instance_uuid=consumer_uuid).first()
    if node is not None:
        raise StillAnInstance(node=node.uuid, consumer=consumer_uuid)


# --- nodes ----------------------------------------------------------------------------------------------------------
@write_transaction
def free_node(*, node_uuid: str, held_by: str, even_in_use: bool = False, origin: Origin) -> None:
    """Take the node, and all claims in Placement, from an instance that is dead.

    ``even_in_use``: also where a machine may still run. Raises NodeNotFound, ChangedMeanwhile, NodeLocked, NodeInUse.
    """
    node = node_locks.node(node_uuid)
    if node.instance_uuid != held_by:
        raise ChangedMeanwhile(how=f"its instance is {node.instance_uuid or 'nobody'}")
    node_locks.ensure_free(node)
    if node.provision_state not in RELEASABLE and not even_in_use:
        raise NodeInUse(node=node.uuid, state=node.provision_state)
    with contextlib.suppress(errors.AllocationsNotFound):
        allocations.give_up(consumer_uuid=held_by, origin=origin)
    association.clear(node=node, origin=origin, reason=origin.reason[:64] or "its instance is dead")


def break_lock(*, node_uuid: str, held_by: str, origin: Origin) -> None:
    """Take off a lock whose holder is gone. Raises NodeNotFound, ChangedMeanwhile, NodeLocked."""
    if held_by.lower() in conductors.alive():
        raise ChangedMeanwhile(how=f"{held_by} is alive again")
    if not reservations.release(ident=node_uuid, held_by=held_by, origin=origin):
        raise ChangedMeanwhile(how="somebody else has the lock, or nobody")


@write_transaction
def delete_lost_allocation(*, allocation_uuid: str) -> None:
    """Delete an active allocation of Ironic's that no node belongs to. Raises AllocationNotFound, ChangedMeanwhile."""
    row = NodeAllocation.objects.select_for_update().filter(uuid=allocation_uuid).first()
    if row is None:
        raise node_errors.AllocationNotFound(allocation=allocation_uuid)
    if row.state != NodeAllocation.State.ACTIVE or Node.objects.filter(allocation=row).exists():
        raise ChangedMeanwhile(how="it has a node, or looks for one")
    row.delete()


# --- providers ------------------------------------------------------------------------------------------------------
@write_transaction
def reserve(*, node_uuid: str, generation: int, reserved: bool, origin: Origin) -> None:
    """Reserve all of a machine that is out of use, or (``reserved`` False) offer a free one again.

    Raises NodeNotFound, ProviderNotFound, ProviderGenerationConflict, ChangedMeanwhile.
    """
    node = node_locks.node(node_uuid)
    is_right = node.instance_uuid is None and mirror.is_claimable(node) is not reserved
    if not is_right:
        raise ChangedMeanwhile(how=f"the node is {node.provision_state}")
    provider = locks.provider(node_uuid)
    generations.check(provider, generation)
    records = {
        row.resource_class_id: dataclasses.replace(inventories.record_of(row), reserved=row.total if reserved else 0)
        for row in provider.inventories.all()
    }
    written = inventories.write(provider, records)
    generations.advance(provider)
    inventories.tell(provider, written.before, inventories.facts_of(written.inventories), origin)


def retire(*, provider_uuid: str, generation: int, origin: Origin) -> None:
    """Delete a provider whose node is gone.

    Raises ChangedMeanwhile, ProviderNotFound, ProviderGenerationConflict, ProviderHasChildren, ProviderInUse.
    """
    if Node.objects.filter(uuid=provider_uuid).exists():
        raise ChangedMeanwhile(how="its node is back")
    providers.delete(uuid=provider_uuid, expected=generation, origin=origin)


# --- which verb a finding wants -------------------------------------------------------------------------------------
def _no_allocation(finding: Finding, origin: Origin) -> str:
    adopt(node_uuid=finding.subject, instance_uuid=finding.facts["instance"], origin=origin)
    return f"claimed for {finding.facts['instance']}"


def _orphan_allocation(finding: Finding, origin: Origin) -> str:
    consumer = finding.facts["consumer"]
    release_orphan(
        node_uuid=finding.subject,
        consumer_uuid=consumer,
        generation=finding.facts["consumer_generation"],
        origin=origin,
    )
    return f"released from {consumer}"


def _stock(reserved: bool) -> Callable[[Finding, Origin], str]:
    def act(finding: Finding, origin: Origin) -> str:
        generation = finding.facts["provider_generation"]
        reserve(node_uuid=finding.subject, generation=generation, reserved=reserved, origin=origin)
        return "reserved" if reserved else "offered again"

    return act


def _no_provider(finding: Finding, origin: Origin) -> str:
    mirror.mirror(node_uuid=finding.subject, origin=origin)
    return "provider created"


def _no_node(finding: Finding, origin: Origin) -> str:
    retire(provider_uuid=finding.subject, generation=finding.facts["provider_generation"], origin=origin)
    return "provider deleted"


def _no_host(finding: Finding, origin: Origin) -> str:
    generation = finding.facts["provider_generation"]
    providers.delete(uuid=finding.subject, expected=generation, origin=origin)
    return "provider deleted"


def _dead_consumer(finding: Finding, origin: Origin) -> str:
    release_dead(consumer_uuid=finding.subject, generation=finding.facts["generation"], origin=origin)
    return "released"


def _stale_reservation(finding: Finding, origin: Origin) -> str:
    break_lock(node_uuid=finding.subject, held_by=finding.facts["holder"], origin=origin)
    return f"lock of {finding.facts['holder']} taken off"


def _allocation_without_node(finding: Finding, origin: Origin) -> str:
    delete_lost_allocation(allocation_uuid=finding.subject)
    return "deleted"


_ACTS: dict[str, Callable[[Finding, Origin], str]] = {
    "no_allocation": _no_allocation,
    "orphan_allocation": _orphan_allocation,
    "not_reserved": _stock(reserved=True),
    "reserved_but_free": _stock(reserved=False),
    "no_provider": _no_provider,
    "no_node": _no_node,
    "stale_reservation": _stale_reservation,
    "no_host": _no_host,
    "dead_consumer": _dead_consumer,
    "allocation_without_node": _allocation_without_node,
}
