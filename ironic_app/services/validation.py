"""Whether a node is fit for its tasks, interface by interface."""

from __future__ import annotations

from typing import Any

from ironic_app.models import Node

INTERFACES = (
    "bios", "boot", "console", "deploy", "firmware", "inspect", "management", "network", "power", "raid", "rescue",
    "storage",
)  # fmt: skip


def validate(node: Node) -> dict[str, dict[str, Any]]:
    """Interface → ``result`` and, where it is False, ``reason``. Machines that don't exist are fit for everything that
    is not switched off by choosing ``no-<interface>``."""
    return {name: _result(getattr(node, f"{name}_interface"), name) for name in INTERFACES}


def _result(chosen: str | None, name: str) -> dict[str, Any]:
    if chosen == f"no-{name}":
        return {"result": None, "reason": "not supported"}
    return {"result": True}
