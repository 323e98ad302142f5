"""Volume records of nodes: by what name a node speaks to storage, and which volumes it is to see."""

from __future__ import annotations

from typing import Any

from ironic_app import attributes, errors, states
from ironic_app.attributes import Attribute, Misshapen
from ironic_app.models import Node, VolumeConnector, VolumeTarget
from ironic_app.services.parts import Changes, Kind


def _integer(name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**31:
        raise Misshapen(f"{value!r:.100} is not of type 'integer'")
    return value


def _required(longest: int) -> attributes.Check:
    def check(name: str, value: Any) -> str:
        if not isinstance(value, str) or not 0 < len(value) <= longest:
            raise Misshapen(f"{value!r:.100} is not a string of 1 to {longest} characters ({name})")
        return value

    return check


def _check(node: Node, row: Any, changes: Changes) -> None:
    if not row._state.adding:
        _ensure_off(node, row, "update")


def _ensure_removable(row: Any) -> None:
    _ensure_off(row.node, row, "deletion")


def _ensure_off(node: Node, row: Any, act: str) -> None:
    """A machine that runs may be using the volume."""
    if node.power_state == states.POWER_ON:
        raise errors.ActionNotPossible(action=f"{row._meta.verbose_name} {act}", node=node.uuid, state=node.power_state)


_ALIKE = (
    Attribute("uuid", attributes.uuid),
    Attribute("node_uuid", attributes.uuid, "node_id"),
    Attribute("extra", attributes.document),
)
CONNECTORS = Kind(
    model=VolumeConnector,
    noun="Volume connector",
    attributes={
        attribute.name: attribute
        for attribute in (*_ALIKE, Attribute("type", _required(32)), Attribute("connector_id", _required(255)))
    },
    required=("type", "connector_id"),
    check=_check,
    ensure_removable=_ensure_removable,
    duplicate=lambda fields, row: (
        f"volume connector with UUID {row.uuid}"
        if fields == ("uuid",)
        else f"volume connector with type {row.type} and connector ID {row.connector_id}"
    ),
)
TARGETS = Kind(
    model=VolumeTarget,
    noun="Volume target",
    attributes={
        attribute.name: attribute
        for attribute in (
            *_ALIKE,
            Attribute("volume_type", _required(64)),
            Attribute("volume_id", _required(36)),
            Attribute("boot_index", _integer),
            Attribute("properties", attributes.document),
        )
    },
    required=("volume_type", "volume_id", "boot_index"),
    check=_check,
    ensure_removable=_ensure_removable,
    duplicate=lambda fields, row: (
        f"volume target with UUID {row.uuid}"
        if fields == ("uuid",)
        else f"volume target with boot index '{row.boot_index}' for the same node"
    ),
)
