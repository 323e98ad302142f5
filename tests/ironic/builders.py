"""Nodes for tests, with sensible defaults."""

from typing import Any

from claimsite.foundation.origin import Door, Origin
from claimsite.foundation.uuids import new_uuid
from ironic_app.models import Allocation, Node

ORIGIN = Origin(door=Door.COMMAND, actor="tests")


def make_node(**attributes: Any) -> Node:
    """A node that nobody has, stored as it is told: no service has a say in it."""
    return Node.objects.create(
        **{"uuid": new_uuid(), "driver": "fake-hardware", "provision_state": "available"} | attributes
    )


def make_allocation(**attributes: Any) -> Allocation:
    """An allocation without a node, stored as it is told."""
    return Allocation.objects.create(**{"uuid": new_uuid(), "resource_class": "baremetal"} | attributes)
