"""Nodes for tests, with sensible defaults, and the words that a client needs to speak of them."""

import json
from typing import Any

from claimsite.foundation.origin import Door, Origin
from claimsite.foundation.uuids import new_uuid
from ironic_app.models import Allocation, Node, Port

ORIGIN = Origin(door=Door.COMMAND, actor="tests")


def make_node(**attributes: Any) -> Node:
    """A node that nobody has, stored as it is told: no service has a say in it."""
    return Node.objects.create(
        **{"uuid": new_uuid(), "driver": "fake-hardware", "provision_state": "available"} | attributes
    )


def make_allocation(**attributes: Any) -> Allocation:
    """An allocation without a node, stored as it is told."""
    return Allocation.objects.create(**{"uuid": new_uuid(), "resource_class": "baremetal"} | attributes)


def make_port(node: Node, **attributes: Any) -> Port:
    return Port.objects.create(**{"uuid": new_uuid(), "node": node} | attributes)


def add(path: str, value: Any) -> dict[str, Any]:
    return {"op": "add", "path": path, "value": value}


def replace(path: str, value: Any) -> dict[str, Any]:
    return {"op": "replace", "path": path, "value": value}


def remove(path: str) -> dict[str, Any]:
    return {"op": "remove", "path": path}


def test(path: str, value: Any) -> dict[str, Any]:
    return {"op": "test", "path": path, "value": value}


test.__test__ = False  # type: ignore[attr-defined]


def fault(response: Any) -> dict[str, Any]:
    """What is inside of an error document."""
    inner: dict[str, Any] = json.loads(response.json()["error_message"])
    return inner


def project(name: str, role: str = "member") -> dict[str, Any]:
    """Options of a request by somebody of this project."""
    return {"token": f"somebody:{name}", "headers": {"X-Roles": f"{role},reader"}}
