"""Allocations: requests for some node of a class. Finding the node is for ``services.matching``."""

from __future__ import annotations

import dataclasses
import datetime
import logging
from collections.abc import Mapping, Sequence
from typing import Any

from django.db import IntegrityError
from django.db.models import Q, QuerySet
from django.utils import timezone

from claimsite.foundation.errors import DomainError
from claimsite.foundation.origin import Origin
from claimsite.foundation.transactions import write_transaction
from claimsite.foundation.uuids import canonical_uuid, new_uuid
from ironic_app import attributes, editing, errors, locks, states
from ironic_app.attributes import Attribute
from ironic_app.locks import FULL, Access
from ironic_app.models import Allocation, Node
from ironic_app.models.constraints import violated
from ironic_app.patching import Patch
from ironic_app.services import association, conductors, matching, node_traits
from ironic_app.services.conflict_log import records_refusals

logger = logging.getLogger(__name__)

ATTRIBUTES = {"name": Attribute("name", attributes.logical_name), "extra": Attribute("extra", attributes.document)}
"""What may be changed of an allocation."""
_OWN_SECONDS = 5
"""So long the request that made an allocation has time to find its node; then conductors take the allocation up."""


@dataclasses.dataclass(frozen=True, slots=True)
class Wanted:
    """What somebody asks for. With ``node`` (uuid or name) it is that node, which must be in use already."""

    resource_class: str | None = None
    uuid: str | None = None
    name: str | None = None
    traits: Sequence[str] = ()
    candidate_nodes: Sequence[str] = ()
    """Uuids or names."""
    owner: str | None = None
    extra: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    node: str | None = None


# --- reading --------------------------------------------------------------------------------------------------------
def find(*, access: Access = FULL) -> QuerySet[Allocation]:
    """Allocations with the node that each has."""
    return Allocation.objects.filter(access.visible).select_related("node")


def get(*, ident: str, access: Access = FULL) -> Allocation:
    """The allocation of this uuid or name. ``access`` is judged by the allocation's owner.

    Raises AllocationNotFound, Forbidden.
    """
    allocation = find(access=access).filter(_identified(ident)).first()
    if allocation is None:
        raise errors.AllocationNotFound(allocation=ident)
    access.permit(allocation.owner, None)
    return allocation


def of_node(*, node: Node, access: Access = FULL) -> Allocation:
    """The allocation that gave the node to its instance. Raises NodeHasNoAllocation, Forbidden."""
    allocation = find(access=access).filter(node=node).first()
    if allocation is None:
        raise errors.NodeHasNoAllocation(node=node.uuid)
    access.permit(allocation.owner, None)
    return allocation


def node_uuid(allocation: Allocation) -> str | None:
    """The node that the allocation has."""
    node: Node | None = getattr(allocation, "node", None)
    return None if node is None else node.uuid


def _identified(ident: str) -> Q:
    uuid = canonical_uuid(ident)
    return Q(name=ident) if uuid is None else Q(uuid=uuid)


# --- making ---------------------------------------------------------------------------------------------------------
def create(*, wanted: Wanted, origin: Origin, access: Access = FULL) -> Allocation:
    """The allocation as it was stored. A node is looked for before this returns, but only a second look shows which.

    ``access`` is judged for a node that is named.

    Raises ResourceClassMissing, UnknownCandidates, UnknownNodeInBody, AllocationNameTaken, AllocationExists, and for a
    node that is named BackfillRefused, NodeAssociated, InstanceAssociated, NodeLocked.
    """
    if wanted.node is not None:
        return _backfill(wanted=wanted, origin=origin, access=access)
    allocation = _create(wanted=wanted, origin=origin)
    _find_node(allocation)
    return allocation


def _find_node(allocation: Allocation) -> None:
    """Look for a node at once, so that nobody has to wait for a conductor. What goes wrong is left to conductors."""
    try:
        for _ in range(matching.ROUNDS):
            # Without conductors nobody would come back to it later.
            if matching.match(uuid=allocation.uuid) or conductors.alive():
                return
    except DomainError as error:
        logger.warning("Allocation %s waits for a conductor: %s", allocation.uuid, error)


@records_refusals("allocations.create")
@write_transaction
def _create(*, wanted: Wanted, origin: Origin) -> Allocation:
    if not wanted.resource_class:
        raise errors.ResourceClassMissing
    node_traits.ensure_valid(wanted.traits)
    allocation = _row(wanted, origin)
    allocation.due_at = timezone.now() + datetime.timedelta(seconds=_OWN_SECONDS)
    try:
        allocation.save(force_insert=True)
    except IntegrityError as error:
        raise duplicate(error, allocation) from error
    return allocation


@records_refusals("allocations.backfill")
@locks.waits_for_node
@write_transaction
def _backfill(*, wanted: Wanted, origin: Origin, access: Access) -> Allocation:
    try:
        node = locks.node(wanted.node or "", access=access)
    except errors.NodeNotFound:
        raise errors.UnknownNodeInBody(node=wanted.node) from None
    node_traits.ensure_valid(wanted.traits)
    locks.ensure_free(node)
    allocation = _row(wanted, origin)
    if wanted.uuid is None and node.instance_uuid is not None:
        allocation.uuid = node.instance_uuid
    try:
        matching.backfill(allocation=allocation, node=node, origin=origin)
    except IntegrityError as error:
        raise duplicate(error, allocation) from error
    return allocation


def _row(wanted: Wanted, origin: Origin) -> Allocation:
    return Allocation(
        uuid=wanted.uuid or new_uuid(),
        name=wanted.name,
        owner=wanted.owner,
        resource_class=wanted.resource_class,
        traits=list(wanted.traits),
        candidate_nodes=_uuids(wanted.candidate_nodes),
        extra=dict(wanted.extra),
        door=origin.door,
        actor=origin.actor,
        project=origin.project,
        request_id=origin.request_id,
    )


def _uuids(idents: Sequence[str]) -> list[str]:
    if not idents:
        return []
    spelled = {ident: canonical_uuid(ident) for ident in idents}
    named = Q(name__in=[ident for ident, uuid in spelled.items() if uuid is None])
    by_uuid = Q(uuid__in=[uuid for uuid in spelled.values() if uuid is not None])
    found: dict[str | None, str] = {}
    for uuid, name in Node.objects.filter(named | by_uuid).values_list("uuid", "name"):
        found[uuid] = found[name] = uuid
    missing = [ident for ident, uuid in spelled.items() if (uuid or ident) not in found]
    if missing:
        raise errors.UnknownCandidates(nodes=", ".join(missing))
    return list(dict.fromkeys(found[uuid or ident] for ident, uuid in spelled.items()))


def duplicate(error: IntegrityError, allocation: Allocation) -> Exception:
    """The refusal that ``error`` means for a new row or a renamed one; itself if it means none."""
    match violated(error, Allocation):
        case ("name",):
            return errors.AllocationNameTaken(name=allocation.name)
        case ("uuid",):
            return errors.AllocationExists(uuid=allocation.uuid)
    return error


# --- changing ---------------------------------------------------------------------------------------------------------
@records_refusals("allocations.edit")
@write_transaction
def edit(*, ident: str, patch: Patch, origin: Origin, access: Access = FULL) -> Allocation:
    """The allocation after ``patch``, all of it or nothing.

    Raises AllocationNotFound, Forbidden, AllocationNameTaken, Invalid.
    """
    allocation = Allocation.objects.select_for_update().filter(_identified(ident), access.visible).first()
    if allocation is None:
        raise errors.AllocationNotFound(allocation=ident)
    access.permit(allocation.owner, None)
    changes = editing.changes(allocation, patch, ATTRIBUTES, noun="allocation")
    if changes:
        for column, value in changes.items():
            setattr(allocation, column, value)
        allocation.updated_at = timezone.now()
        try:
            allocation.save(update_fields=[*changes, "updated_at"])
        except IntegrityError as error:
            raise duplicate(error, allocation) from error
    return allocation


# --- ending ---------------------------------------------------------------------------------------------------------
@records_refusals("allocations.delete")
@locks.waits_for_node
@write_transaction
def delete(*, ident: str, origin: Origin, access: Access = FULL) -> None:
    """The allocation is gone and its node free, both at once.

    Raises AllocationNotFound, AllocationInUse, NodeLocked.
    """
    # Its node is locked first, as everywhere; so which one it is has to be looked at again under the lock.
    seen = get(ident=ident, access=access)
    holder = node_uuid(seen)
    node = None if holder is None else locks.node(holder)
    allocation = Allocation.objects.select_for_update().filter(uuid=seen.uuid).first()
    if allocation is None:
        raise errors.AllocationNotFound(allocation=ident)
    if Node.objects.filter(allocation=allocation).values_list("uuid", flat=True).first() != holder:
        raise errors.AllocationMoved(allocation=allocation.uuid)
    if node is None:
        allocation.delete()
        return
    ensure_removable(node=node)
    association.clear(node=node, origin=origin, reason="deallocated")


def ensure_removable(*, node: Node) -> None:
    """Whether the (locked) node's allocation may be taken off. Raises AllocationInUse, NodeLocked."""
    on_the_way = node.target_provision_state is not None and node.provision_state not in states.EDITABLE_ON_THE_WAY
    if not node.maintenance and (node.provision_state == states.ACTIVE or on_the_way):
        raise errors.AllocationInUse(allocation=node.allocation_id, node=node.uuid, state=node.provision_state)
    locks.ensure_free(node)
