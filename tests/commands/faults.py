"""Faults between nodes and claims, one of each kind, as they are left when something dies halfway."""

from __future__ import annotations

from django.utils import timezone

from claimsite.foundation.uuids import new_uuid
from ironic_app.models import Allocation as NodeAllocation
from ironic_app.models import Node
from placement_app.models import Inventory
from tests.commands import running
from tests.ironic.builders import make_allocation, make_node


def held(**attributes):
    """A machine in order: its instance has it in both services. Node, provider, instance."""
    node, provider = running.machine(**attributes)
    consumer = running.hold(provider, custom_baremetal=1)
    Node.objects.filter(pk=node.pk).update(instance_uuid=consumer, provision_state="active")
    return node, provider, consumer


def plant(code):
    """A fault of this kind; the uuid of what the finding is about."""
    return _FAULTS[code]()


def _no_allocation():
    return running.machine(instance_uuid=new_uuid(), provision_state="active", owner="team-a")[0].uuid


def _no_node():
    return running.machine(has_node=False)[1].uuid


def _no_provider():
    held()
    node = make_node(resource_class="baremetal", power_state="power off")
    running.age(Node, uuid=node.uuid)
    return node.uuid


def _not_reserved():
    return running.machine(maintenance=True)[0].uuid


def _reserved_but_free():
    return running.machine(reserved=1)[0].uuid


def _stale_reservation():
    return running.machine(reservation="gone", reserved_at=timezone.now() - running.DAYS)[0].uuid


def _allocation_without_node():
    allocation = make_allocation(state="active")
    running.age(NodeAllocation, uuid=allocation.uuid)
    return allocation.uuid


def _orphan_allocation():
    node, provider = running.machine()
    running.hold(provider, custom_baremetal=1)
    return node.uuid


def _different_consumer():
    node, _, _ = held()
    Node.objects.filter(pk=node.pk).update(instance_uuid=new_uuid())
    return node.uuid


def _double_claim():
    node, provider, _ = held()
    Inventory.objects.filter(provider=provider).update(total=2)
    running.hold(provider, custom_baremetal=1)
    Inventory.objects.filter(provider=provider).update(total=1)
    return node.uuid


def _two_stories():
    node, _, _ = held()
    Node.objects.filter(pk=node.pk).update(allocation=make_allocation(state="active").uuid)
    return node.uuid


_FAULTS = {
    "no_allocation": _no_allocation,
    "no_node": _no_node,
    "no_provider": _no_provider,
    "not_reserved": _not_reserved,
    "reserved_but_free": _reserved_but_free,
    "stale_reservation": _stale_reservation,
    "allocation_without_node": _allocation_without_node,
    "orphan_allocation": _orphan_allocation,
    "different_consumer": _different_consumer,
    "double_claim": _double_claim,
    "two_stories": _two_stories,
}
