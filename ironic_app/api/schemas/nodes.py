"""The fields of a node: since which version there are, how they are shown. One table, for reading and for writing."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from claimsite.foundation.openstack.microversion import Microversion
from ironic_app import secrets, states
from ironic_app.api import features
from ironic_app.attributes import ATTRIBUTES

SINCE: dict[str, Microversion] = {
    **dict.fromkeys(
        [
            "uuid", "created_at", "updated_at", "chassis_uuid", "console_enabled", "driver", "driver_info", "extra",
            "instance_info", "instance_uuid", "last_error", "maintenance", "maintenance_reason", "power_state",
            "properties", "provision_state", "provision_updated_at", "reservation", "target_power_state",
            "target_provision_state",
        ],
        features.BASE,
    ),
    "driver_internal_info": features.DRIVER_INTERNAL_INFO,
    "name": features.NODE_NAME,
    "inspection_finished_at": features.INSPECTION,
    "inspection_started_at": features.INSPECTION,
    "clean_step": features.CLEANING,
    "raid_config": features.RAID_CONFIG,
    "target_raid_config": features.RAID_CONFIG,
    "network_interface": features.NETWORK_INTERFACE,
    "resource_class": features.RESOURCE_CLASS,
    **dict.fromkeys(
        [
            "boot_interface", "console_interface", "deploy_interface", "inspect_interface", "management_interface",
            "power_interface", "raid_interface", "vendor_interface",
        ],
        features.INTERFACES,
    ),
    "storage_interface": features.STORAGE_INTERFACE,
    "traits": features.TRAITS,
    "rescue_interface": features.RESCUE,
    "bios_interface": features.BIOS,
    "fault": features.FAULT,
    "deploy_step": features.DEPLOY_STEP,
    "conductor_group": features.CONDUCTOR_GROUP,
    "automated_clean": features.AUTOMATED_CLEAN,
    "protected": features.PROTECTED,
    "protected_reason": features.PROTECTED,
    "conductor": features.CONDUCTORS,
    "owner": features.OWNER,
    "description": features.DESCRIPTION,
    "allocation_uuid": features.ALLOCATIONS,
    "retired": features.RETIRED,
    "retired_reason": features.RETIRED,
    "lessee": features.LESSEE,
    "network_data": features.NETWORK_DATA,
    "boot_mode": features.BOOT_MODE,
    "secure_boot": features.BOOT_MODE,
    "shard": features.SHARD,
    "parent_node": features.PARENT_NODE,
    "firmware_interface": features.FIRMWARE,
    "service_step": features.SERVICE,
    "disable_power_off": features.DISABLE_POWER_OFF,
    "instance_name": features.INSTANCE_NAME,
    "health": features.HEALTH,
}  # fmt: skip
"""Attribute → the version that brought it."""

SUBRESOURCES: dict[str, Microversion] = {
    "ports": features.BASE,
    "states": features.STATES_LINK,
    "portgroups": features.PORTGROUP_OF_PORT,
    "volume": features.VOLUMES,
}
"""What a node links to."""

SHORT = ("uuid", "instance_uuid", "maintenance", "power_state", "provision_state", "name")
"""The fields of a node in a list that asks for none in particular."""
STATES = (
    "power_state", "provision_state", "target_power_state", "target_provision_state", "provision_updated_at",
    "last_error", "console_enabled", "raid_config", "target_raid_config", "boot_mode", "secure_boot",
)  # fmt: skip
UNSORTABLE = frozenset(
    {
        "driver_info", "driver_internal_info", "extra", "instance_info", "properties", "network_data", "raid_config",
        "target_raid_config", "clean_step", "deploy_step", "service_step", "traits", "allocation_uuid", "conductor",
    }
)  # fmt: skip

Row = Mapping[str, Any]
"""The model's attributes by name."""


class View(NamedTuple):
    """One selection of fields at one version: which columns it needs, and how a row is shown."""

    columns: tuple[str, ...]
    plain: list[tuple[str, str]]
    special: list[tuple[str, Callable[[Row, Microversion], Any]]]
    links: list[str]
    version: Microversion

    def document(self, row: Row, base_url: str) -> dict[str, Any]:
        document = {name: row[column] for name, column in self.plain}
        for name, show in self.special:
            document[name] = show(row, self.version)
        uuid = row["uuid"]
        document["links"] = links(base_url, uuid)
        for name in self.links:
            document[name] = links(base_url, f"{uuid}/{name}")
        return document


@functools.lru_cache(maxsize=512)
def view(version: Microversion, names: tuple[str, ...] | None = None) -> View:
    """The view of these fields, or of all, as far as ``version`` knows them."""
    wanted = set(SINCE) | set(SUBRESOURCES) if names is None else set(names)
    shown = [name for name, since in SINCE.items() if name in wanted and since <= version]
    columns = {ATTRIBUTES[name].column for name in shown} | {"uuid"}
    return View(
        columns=tuple(sorted(columns)),
        plain=[(name, ATTRIBUTES[name].column) for name in shown if name not in SPECIAL],
        special=[(name, SPECIAL[name]) for name in shown if name in SPECIAL],
        links=[name for name, since in SUBRESOURCES.items() if name in wanted and since <= version],
        version=version,
    )


def links(base_url: str, path: str) -> list[dict[str, str]]:
    return [
        {"href": f"{base_url}/v1/nodes/{path}", "rel": "self"},
        {"href": f"{base_url}/nodes/{path}", "rel": "bookmark"},
    ]


# --- fields that are not shown as they are stored -------------------------------------------------------------------
def _provision_state(row: Row, version: Microversion) -> str | None:
    state: str = row["provision_state"]
    if state == states.AVAILABLE and version < features.AVAILABLE_STATE:
        return None
    if state == states.INSPECT_WAIT and version < features.INSPECT_WAIT_STATE:
        return states.INSPECTING
    return state


def _driver_info(row: Row, version: Microversion) -> dict[str, Any]:
    return secrets.driver_info(row["driver_info"])


def _instance_info(row: Row, version: Microversion) -> dict[str, Any]:
    return secrets.instance_info(row["instance_info"])


SPECIAL: dict[str, Callable[[Row, Microversion], Any]] = {
    "provision_state": _provision_state,
    "driver_info": _driver_info,
    "instance_info": _instance_info,
}
