"""Requests about nodes → what the services take."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from claimsite.foundation.openstack.microversion import Microversion
from claimsite.foundation.uuids import canonical_or_same
from ironic_app import attributes, patching, states
from ironic_app.api import features
from ironic_app.api.errors import NotInThisVersion, Refusal
from ironic_app.api.parse import lists, patches
from ironic_app.api.schemas.nodes import SINCE, UNSORTABLE
from ironic_app.attributes import ATTRIBUTES
from ironic_app.patching import Op
from ironic_app.services.node_lists import Search

FAULTS = ("power failure", "clean failure", "rescue abort failure", "service failure")

SORTABLE = {name: ATTRIBUTES[name].column for name in SINCE if name not in UNSORTABLE}
TESTABLE = SINCE.keys() - {"driver_info", "driver_internal_info", "instance_info"}
"""What a ``test`` may ask for: nothing that holds secrets."""

QUERY: dict[str, Microversion] = lists.PAGING | {
    "chassis_uuid": features.BASE,
    "instance_uuid": features.BASE,
    "associated": features.BASE,
    "maintenance": features.BASE,
    "fields": features.FIELDS,
    "provision_state": features.FILTER_BY_STATE,
    "driver": features.FILTER_BY_DRIVER,
    "resource_class": features.RESOURCE_CLASS,
    "fault": features.FAULT,
    "detail": features.DETAIL_QUERY,
    "conductor_group": features.CONDUCTOR_GROUP,
    "conductor": features.CONDUCTORS,
    "owner": features.OWNER,
    "description_contains": features.DESCRIPTION,
    "retired": features.RETIRED,
    "lessee": features.LESSEE,
    "project": features.LESSEE,
    "shard": features.SHARD,
    "sharded": features.SHARD,
    "include_children": features.PARENT_NODE,
    "parent_node": features.PARENT_NODE,
    "instance_name": features.INSTANCE_NAME,
}

_EXACTLY: dict[str, Callable[[str, str], Any]] = {
    "instance_uuid": lists.uuid,
    "maintenance": lists.flag,
    "provision_state": lambda name, text: _known_state(text),
    "driver": lambda name, text: text,
    "resource_class": lambda name, text: text,
    "fault": lambda name, text: _known_fault(text),
    "conductor_group": lambda name, text: text.lower(),
    "conductor": lambda name, text: text,
    "owner": lambda name, text: text,
    "retired": lists.flag,
    "lessee": lambda name, text: text,
    "instance_name": lambda name, text: text,
}


def search(query: Mapping[str, str]) -> Search:
    """Raises a 400 for values that can't be meant."""
    flags = {
        name: lists.flag(name, query[name]) for name in ("associated", "sharded", "include_children") if name in query
    }
    return Search(
        exactly={name: read(name, query[name]) for name, read in _EXACTLY.items() if name in query},
        associated=flags.get("associated"),
        chassis=lists.uuid("chassis_uuid", query["chassis_uuid"]) if "chassis_uuid" in query else None,
        project=query.get("project"),
        shards=query["shard"].split(",") if "shard" in query else None,
        sharded=flags.get("sharded"),
        description_contains=query.get("description_contains"),
        parent=canonical_or_same(query["parent_node"]) if "parent_node" in query else None,
        include_children=flags.get("include_children", False),
    )


def _known_state(text: str) -> str:
    if text.lower() not in states.PROVISION_STATES:
        raise Refusal(400, f'Provision state "{text}" is not valid')
    return text.lower()


def _known_fault(text: str) -> str:
    if text not in FAULTS:
        raise Refusal(400, f'Unrecognized fault "{text}" is specified, allowed faults are {FAULTS}')
    return text


def patch(body: Any, version: Microversion) -> patching.Patch:
    """Raises a 400 for what is no patch of a node, a 406 for attributes that are newer than ``version``."""
    operations = patches.patch(body, version=version, patchable=attributes.PATCHABLE, testable=TESTABLE, since=SINCE)
    if version < features.UNSET_CHASSIS and any(
        operation.path == ("chassis_uuid",) and operation.op is Op.REMOVE for operation in operations
    ):
        raise NotInThisVersion
    return operations


def values(body: Any, version: Microversion) -> dict[str, Any]:
    """The attributes of a node to be made. Raises a 400 for unknown ones, a 406 for those that are too new."""
    if not isinstance(body, dict):
        raise Refusal(400, f"Schema error for node: {body!r:.200} is not of type 'object'")
    if unknown := sorted(body.keys() - attributes.CREATABLE.keys()):
        names = ", ".join(map(repr, unknown))
        were = "was" if len(unknown) == 1 else "were"
        raise Refusal(400, f"Schema error for node: Additional properties are not allowed ({names} {were} unexpected)")
    if any(SINCE[name] > version for name in body):
        raise NotInThisVersion
    return body


def expected(header: str | None) -> frozenset[str] | None:
    """The tags of an If-Match header; None if any state will do. Weak tags, as proxies make them, count too."""
    if header is None or header.strip() == "*":
        return None
    return frozenset(tag.strip().removeprefix("W/").strip('"') for tag in header.split(","))
