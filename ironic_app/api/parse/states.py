"""Orders to nodes: bodies of PUT …/states/… → what the services take."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from claimsite.foundation.openstack.bodies import Schema
from claimsite.foundation.openstack.microversion import Microversion
from ironic_app import states
from ironic_app.api import features
from ironic_app.api.errors import NotInThisVersion, Refusal
from ironic_app.attributes import FALSE, TRUE
from ironic_app.services.states import Order

_VERBS: Mapping[str, Microversion] = {
    states.MANAGE: features.MANAGEABLE_STATE,
    states.PROVIDE: features.MANAGEABLE_STATE,
    states.INSPECT: features.INSPECTION,
    states.ABORT: features.ABORT_CLEANING,
    states.CLEAN: features.MANUAL_CLEANING,
    states.ADOPT: features.ADOPTION,
    states.RESCUE_VERB: features.RESCUE,
    states.UNRESCUE: features.RESCUE,
    states.DEPLOY: features.DEPLOY_VERBS,
    states.UNDEPLOY: features.DEPLOY_VERBS,
    states.UNHOLD: features.UNHOLD,
    states.SERVICE: features.SERVICE,
}
"""Verbs that were not there from the start. ``active`` and ``deleted`` were."""
_ABORTS: Mapping[str, Microversion | None] = {states.INSPECT_WAIT: features.ABORT_INSPECTION, states.DEPLOY_WAIT: None}
"""What could not be aborted from the start: since when it can; None for what no version can that is spoken here."""
_ARGUMENTS: Mapping[str, tuple[type | tuple[type, ...], Microversion]] = {
    "configdrive": ((str, dict), features.BASE),
    "clean_steps": (list, features.MANUAL_CLEANING),
    "deploy_steps": (list, features.DEPLOY_STEPS),
    "service_steps": (list, features.SERVICE),
    "rescue_password": (str, features.RESCUE),
    "disable_ramdisk": ((bool, str), features.DISABLE_RAMDISK),
    "runbook": (str, features.RUNBOOKS),
}
_NOT_BASE64 = re.compile(r"[^A-Za-z0-9+/=\s]", re.ASCII).search
_STEP_INTERFACES = ["bios", "deploy", "firmware", "management", "power", "raid", "vendor"]


def _steps(*required: str) -> Schema:
    return Schema(
        {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["interface", "step", *required],
                "properties": {
                    "interface": {"type": "string", "enum": _STEP_INTERFACES},
                    "step": {"type": "string", "minLength": 1},
                    "args": {"type": "object"},
                    "priority": {"type": "integer", "minimum": 0},
                    "execute_on_child_nodes": {"type": "boolean"},
                    "limit_child_node_execution": {"type": "array", "items": {"type": "string"}},
                },
                "additionalProperties": False,
            },
        }
    )


_SCHEMAS = {
    "clean_steps": _steps(),
    "service_steps": _steps(),
    "deploy_steps": _steps("args", "priority"),
}
_CONFIGDRIVE = Schema(
    {
        "type": "object",
        "properties": {
            "meta_data": {"type": "object"},
            "network_data": {"type": "object"},
            "user_data": {"type": ["object", "array", "string", "null"]},
            "vendor_data": {"type": "object"},
        },
        "additionalProperties": False,
    }
)


def order(body: Any, version: Microversion) -> Order:
    """Raises a 400 for what is no order, a 406 for verbs and arguments that are newer than ``version``."""
    given = _arguments(body, {"target", *_ARGUMENTS})
    target = text("target", given.pop("target"))
    values = {name: value for name, value in given.items() if value is not None}
    for name, value in values.items():
        expected, since = _ARGUMENTS[name]
        if since > version:
            raise NotInThisVersion
        if not isinstance(value, expected):
            raise Refusal(400, f"Invalid value for {name}: {value!r:.200}")
    if target is not None and _VERBS.get(target, features.BASE) > version:
        raise NotInThisVersion
    for name, schema in _SCHEMAS.items():
        if name in values and (complaint := schema.brief_complaint(values[name])):
            raise Refusal(400, f"Invalid {name}: {complaint}")
    if "configdrive" in values:
        _ensure_configdrive(values["configdrive"], version)
        if target == states.REBUILD and version < features.REBUILD_CONFIGDRIVE:
            raise Refusal(400, "Adding a config drive is only supported when setting provision state to active")
    if "disable_ramdisk" in values:
        values["disable_ramdisk"] = _without_ramdisk(values["disable_ramdisk"], target, version)
    return Order(target, **values)


def ensure_abort(state: str, version: Microversion) -> None:
    """Raises a 406 if ``version`` doesn't know that what ends in ``state`` can be aborted."""
    since = _ABORTS.get(state, features.ABORT_CLEANING)
    if since is None or since > version:
        raise NotInThisVersion


def power(body: Any, version: Microversion) -> str | None:
    """The power target. Raises a 400 for what can't be meant, a 406 for what is newer than ``version``."""
    given = _arguments(body, {"target", "timeout"})
    target = text("target", given["target"])
    timeout = given.get("timeout")
    if timeout is not None:
        _ensure_timeout(timeout)
    if version < features.SOFT_POWER and (timeout is not None or target in {states.SOFT_REBOOT, states.SOFT_POWER_OFF}):
        raise NotInThisVersion
    return target


def _ensure_timeout(timeout: Any) -> None:
    try:
        seconds = int(timeout)
    except (TypeError, ValueError):
        raise Refusal(400, f"Expected an integer for timeout: {timeout!s:.200}") from None
    if seconds < 1:
        raise Refusal(400, "timeout has to be positive integer")


def switch(body: Any, name: str) -> bool:
    """The flag in a body that has nothing else. Raises a 400."""
    return flag(name, _arguments(body, {name}, mandatory=name)[name])


def text(name: str, value: Any) -> str | None:
    if value is not None and not isinstance(value, str):
        raise Refusal(400, f"Expected string for {name}: {value!s:.200}")
    return value


def flag(name: str, value: Any) -> bool:
    if isinstance(value, bool):
        return value
    if not isinstance(value, str) or value.lower() not in TRUE | FALSE:
        raise Refusal(400, f"Invalid {name}: Unrecognized value {value!r:.200}")
    return value.lower() in TRUE


def _arguments(body: Any, known: set[str], *, mandatory: str = "target") -> dict[str, Any]:
    given = body if isinstance(body, dict) else {}
    if mandatory not in given:
        raise Refusal(400, f"Missing mandatory parameter: {mandatory}")
    if unknown := sorted(given.keys() - known):
        raise Refusal(400, f"Unexpected arguments: {', '.join(unknown)}")
    return dict(given)


def _without_ramdisk(value: Any, target: str | None, version: Microversion) -> bool:
    if target == states.SERVICE and version < features.SERVICE_DISABLE_RAMDISK:
        raise NotInThisVersion
    return flag("disable_ramdisk", value)


def _ensure_configdrive(configdrive: str | dict[str, Any], version: Microversion) -> None:
    if isinstance(configdrive, str):
        if "://" not in configdrive and _NOT_BASE64(configdrive):
            raise Refusal(400, "Invalid configdrive format: it is neither a JSON, nor a URL, nor a base64 string")
        return
    if version < features.CONFIGDRIVE_DATA:
        raise Refusal(
            400,
            "Providing a JSON object for configdrive is only supported starting with API version "
            f"{features.CONFIGDRIVE_DATA}",
        )
    if "vendor_data" in configdrive and version < features.CONFIGDRIVE_VENDOR_DATA:
        raise Refusal(
            400,
            "Providing vendor_data in configdrive is only supported starting with API version "
            f"{features.CONFIGDRIVE_VENDOR_DATA}",
        )
    if complaint := _CONFIGDRIVE.brief_complaint(configdrive):
        raise Refusal(400, f"Invalid configdrive format: {complaint}")
