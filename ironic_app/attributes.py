"""What can be said of a node: the names that clients use, the columns behind them, and which values they take. Pure."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from typing import Any

from claimsite.foundation.uuids import canonical_uuid


class Unfit(Exception):
    """A value that the attribute cannot take. The text says which and why."""


class Misshapen(Unfit):
    """A value of the wrong type or length: whoever tells it says of what document it is a part."""


Check = Callable[[str, Any], Any]
"""(attribute's name, value) → the value as it is stored. Raises Unfit."""

TRUE = frozenset({"1", "t", "true", "on", "y", "yes"})
FALSE = frozenset({"0", "f", "false", "off", "n", "no"})
RESERVED_NAMES = frozenset({"maintenance", "management", "states", "vendor_passthru", "detail", "validate"})
_NAME = re.compile(r"[A-Za-z0-9\-._~]{1,255}").fullmatch
_CONDUCTOR_GROUP = re.compile(r"[A-Za-z0-9_\-.]{0,255}").fullmatch


def text(longest: int = 255, *, may_be_empty: bool = True) -> Check:
    def check(name: str, value: Any) -> str | None:
        if value is not None and not isinstance(value, str):
            raise Misshapen(f"{_short(value)} is not of type 'string', 'null'")
        if value == "" and not may_be_empty:
            raise Misshapen("'' should be non-empty")
        if value is not None and len(value) > longest:
            raise Misshapen(f"{_short(value)} is too long: {name} takes {longest} characters, not {len(value)}")
        return value

    return check


def required_text(name: str, value: Any) -> str:
    if value is None:
        raise Misshapen(f"{name!r} is a required property")
    if not isinstance(value, str) or not 0 < len(value) <= 255:
        raise Misshapen(f"{_short(value)} is not a string of 1 to 255 characters")
    return value


def logical_name(name: str, value: Any) -> str | None:
    """A name that can stand in a path beside uuids and fixed words."""
    if value is None:
        return None
    if not isinstance(value, str) or not _NAME(value) or value in RESERVED_NAMES or canonical_uuid(value):
        raise Unfit(f"invalid name {_short(value)}")
    return value


def uuid(name: str, value: Any) -> str | None:
    """Any spelling of a uuid, stored as the canonical one: two spellings shall not be two instances."""
    if value is None:
        return None
    if not isinstance(value, str):
        raise Misshapen(f"{_short(value)} is not of type 'string', 'null'")
    canonical = canonical_uuid(value)
    if canonical is None:
        raise Unfit(f"Expected UUID for {name}: {value:.100}")
    return canonical


def optional_flag(name: str, value: Any) -> bool | None:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str) and value.lower() in TRUE | FALSE:
        return value.lower() in TRUE
    raise Unfit(no_flag(name, value))


def flag(name: str, value: Any) -> bool:
    return bool(optional_flag(name, value))


def document(name: str, value: Any) -> dict[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise Misshapen(f"{_short(value)} is not of type 'object', 'null'")
    return value


def network_data(name: str, value: Any) -> dict[str, Any]:
    """What OpenStack's metadata tells of networks: nothing, or all three of its lists."""
    data = document(name, value)
    for part in ("links", "networks", "services") if data else ():
        if part not in data:
            raise Unfit(f"Invalid network_data: {part!r} is a required property")
        if not isinstance(data[part], list):
            raise Unfit(f"Invalid network_data: {_short(data[part])} is not of type 'array'")
    return data


def conductor_group(name: str, value: Any) -> str:
    """Groups are the same whatever their case."""
    if value is None:
        return ""
    if not isinstance(value, str) or not _CONDUCTOR_GROUP(value):
        raise Unfit(f"Invalid conductor group: {_short(value)}")
    return value.lower()


def no_flag(name: str, value: Any) -> str:
    """What is wrong with a value that is no boolean."""
    known = ", ".join(map(repr, sorted(TRUE | FALSE)))
    return f"Invalid {name}: Unrecognized value {_short(value)}, acceptable values are: {known}"


def _short(value: Any) -> str:
    return f"{value!r:.100}"


@dataclasses.dataclass(frozen=True, slots=True)
class Attribute:
    name: str
    check: Check | None = None
    """What writers may set it to; None where nobody may."""
    column: str = ""
    """The model's attribute, where it has another name."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "column", self.column or self.name)


INTERFACES = tuple(
    f"{kind}_interface"
    for kind in (
        "bios", "boot", "console", "deploy", "firmware", "inspect", "management", "network", "power", "raid", "rescue",
        "storage", "vendor",
    )
)  # fmt: skip

ATTRIBUTES = {
    attribute.name: attribute
    for attribute in (
        *(Attribute(interface, text()) for interface in INTERFACES),
        Attribute("automated_clean", optional_flag),
        Attribute("chassis_uuid", uuid, "chassis_id"),
        Attribute("conductor_group", conductor_group),
        Attribute("description", text(4096)),
        Attribute("disable_power_off", flag),
        Attribute("driver", required_text),
        Attribute("driver_info", document),
        Attribute("extra", document),
        Attribute("instance_info", document),
        Attribute("instance_name", text(may_be_empty=False)),
        Attribute("instance_uuid", uuid),
        Attribute("lessee", text()),
        Attribute("maintenance", flag),
        Attribute("name", logical_name),
        Attribute("network_data", network_data),
        Attribute("owner", text()),
        Attribute("parent_node", uuid, "parent_id"),
        Attribute("properties", document),
        Attribute("protected", flag),
        Attribute("protected_reason", text(65_535)),
        Attribute("resource_class", text(80)),
        Attribute("retired", flag),
        Attribute("retired_reason", text(65_535)),
        Attribute("shard", text()),
        # Read only, or written by verbs of their own.
        Attribute("allocation_uuid", column="allocation_id"),
        *(
            Attribute(name)
            for name in (
                "boot_mode", "clean_step", "conductor", "console_enabled", "created_at", "deploy_step",
                "driver_internal_info", "fault", "health", "inspection_finished_at", "inspection_started_at",
                "last_error", "maintenance_reason", "power_state", "provision_state", "provision_updated_at",
                "raid_config", "reservation", "secure_boot", "service_step", "target_power_state",
                "target_provision_state", "target_raid_config", "traits", "updated_at", "uuid",
            )
        ),
    )
}  # fmt: skip

PATCHABLE = tuple(sorted(name for name, attribute in ATTRIBUTES.items() if attribute.check))
# Whoever makes a node may say what it is called for good, and why it is in maintenance. Nothing is protected yet.
CREATABLE = {
    name: attribute.check
    for name, attribute in ATTRIBUTES.items()
    if attribute.check and name not in {"protected", "protected_reason"}
} | {"uuid": uuid, "maintenance_reason": text(65_535)}
