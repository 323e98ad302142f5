"""Requests about what hangs on nodes, and about chassis → what the services take."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from claimsite.foundation.openstack.microversion import Microversion
from ironic_app.api import features
from ironic_app.api.errors import NotInThisVersion, Refusal
from ironic_app.api.parse import lists

Since = dict[str, Microversion]

OF_LISTS: Since = lists.PAGING | {"fields": features.FIELDS, "detail": features.DETAIL_QUERY}
OF_PORTS: Since = OF_LISTS | {
    "node": features.BASE,
    "node_uuid": features.BASE,
    "address": features.BASE,
    "portgroup": features.PORTGROUP_OF_PORT,
    "shard": features.SHARD,
    "description_contains": features.PORT_DESCRIPTION,
    "conductor_groups": features.PORT_CONDUCTOR_GROUPS,
}
OF_PORTGROUPS: Since = OF_LISTS | {
    "node": features.PORTGROUPS,
    "address": features.PORTGROUPS,
    "shard": features.PORTGROUP_SHARD,
}
OF_VOLUMES: Since = lists.PAGING | dict.fromkeys(["node", "fields", "detail"], features.VOLUMES)


def values(
    body: Any,
    *,
    noun: str,
    writable: Collection[str],
    required: Collection[str],
    since: Mapping[str, Microversion],
    version: Microversion,
) -> dict[str, Any]:
    """The attributes of a part to be made. Raises a 400 for unknown or missing ones, a 406 for those too new."""
    if not isinstance(body, dict):
        raise Refusal(400, f"Schema error for {noun}: {body!r:.200} is not of type 'object'")
    if unknown := sorted(body.keys() - set(writable)):
        raise Refusal(
            400,
            f"Schema error for {noun}: Additional properties are not allowed "
            f"({', '.join(map(repr, unknown))} {'was' if len(unknown) == 1 else 'were'} unexpected)",
        )
    if any(since[name] > version for name in body):
        raise NotInThisVersion
    for name in required:
        if body.get(name) is None:
            raise Refusal(400, f"Schema error for {noun}: '{name}' is a required property")
    return dict(body)
