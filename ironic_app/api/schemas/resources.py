"""How the smaller resources are shown: allocations, ports, chassis … One table for each, for all versions."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from claimsite.foundation.openstack.microversion import Microversion
from ironic_app.api import features
from ironic_app.secrets import masked
from ironic_app.services import conductors

Row = Mapping[str, Any]


@dataclasses.dataclass(frozen=True, slots=True)
class Resource:
    """``since``: field → the version that brought it. ``columns``: where a field is not its own column."""

    path: str
    """Below ``/v1/``; its last part is the key of lists."""
    since: Mapping[str, Microversion]
    short: Sequence[str]
    """The fields in a list that asks for none in particular."""
    columns: Mapping[str, str] = dataclasses.field(default_factory=dict)
    special: Mapping[str, Callable[[Row], Any]] = dataclasses.field(default_factory=dict)
    """Fields that are made, from the columns named in ``columns``."""
    identity: str = "uuid"
    """The column that addresses are made of."""
    sublinks: Mapping[str, Microversion] = dataclasses.field(default_factory=dict)
    """Lists below the resource to which it links."""
    unsortable: frozenset[str] = frozenset()

    @property
    def key(self) -> str:
        return self.path.rpartition("/")[2]

    @property
    def sortable(self) -> dict[str, str]:
        return {name: self.column(name) for name in self.since if name not in self.unsortable}

    def column(self, name: str) -> str:
        return self.columns.get(name, name)

    def view(self, version: Microversion, names: Iterable[str] | None = None) -> View:
        """The view of these fields, or of all, as far as ``version`` knows them."""
        wanted = {*self.since, *self.sublinks} if names is None else set(names)
        return View(
            resource=self,
            names=[name for name, since in self.since.items() if name in wanted and since <= version],
            sublinks=[name for name, since in self.sublinks.items() if name in wanted and since <= version],
        )


@dataclasses.dataclass(frozen=True, slots=True)
class View:
    """One selection of fields at one version: which columns it needs, and how a row is shown."""

    resource: Resource
    names: Sequence[str]
    sublinks: Sequence[str]

    @property
    def columns(self) -> list[str]:
        return sorted({self.resource.column(name) for name in self.names} | {self.resource.identity})

    def document(self, row: Row, base_url: str) -> dict[str, Any]:
        resource = self.resource
        document = {
            name: resource.special[name](row) if name in resource.special else row[resource.column(name)]
            for name in self.names
        }
        address = f"{resource.path}/{row[resource.identity]}"
        document["links"] = links(base_url, address)
        for name in self.sublinks:
            document[name] = links(base_url, f"{address}/{name}")
        return document


def links(base_url: str, path: str) -> list[dict[str, str]]:
    return [
        {"href": f"{base_url}/v1/{path}", "rel": "self"},
        {"href": f"{base_url}/{path}", "rel": "bookmark"},
    ]


ALLOCATIONS = Resource(
    path="allocations",
    since={
        **dict.fromkeys(
            [
                "uuid", "created_at", "updated_at", "candidate_nodes", "extra", "last_error", "name", "node_uuid",
                "resource_class", "state", "traits",
            ],
            features.ALLOCATIONS,
        ),
        "owner": features.ALLOCATION_OWNER,
    },
    columns={"node_uuid": "node__uuid"},
    short=(
        "uuid", "created_at", "updated_at", "candidate_nodes", "extra", "last_error", "name", "node_uuid",
        "resource_class", "state", "traits", "owner",
    ),
    unsortable=frozenset({"candidate_nodes", "extra", "node_uuid", "traits"}),
)  # fmt: skip

PORTS = Resource(
    path="ports",
    since={
        **dict.fromkeys(["uuid", "address", "node_uuid", "extra", "created_at", "updated_at"], features.BASE),
        "internal_info": features.PORT_INTERNAL_INFO,
        "local_link_connection": features.PORT_LINK_CONNECTION,
        "pxe_enabled": features.PORT_LINK_CONNECTION,
        "portgroup_uuid": features.PORTGROUP_OF_PORT,
        "physical_network": features.PHYSICAL_NETWORK,
        "is_smartnic": features.SMARTNIC,
        "name": features.PORT_NAME,
        "description": features.PORT_DESCRIPTION,
        "vendor": features.PORT_VENDOR,
        "category": features.PORT_CATEGORY,
    },
    columns={"node_uuid": "node_id", "portgroup_uuid": "portgroup_id"},
    short=("uuid", "address"),
    unsortable=frozenset({"extra", "internal_info", "local_link_connection"}),
)
PORTGROUPS = Resource(
    path="portgroups",
    since={
        **dict.fromkeys(
            [
                "uuid", "name", "address", "node_uuid", "extra", "internal_info", "standalone_ports_supported",
                "created_at", "updated_at",
            ],
            features.PORTGROUPS,
        ),
        "mode": features.PORTGROUP_MODE,
        "properties": features.PORTGROUP_MODE,
        "physical_network": features.PORTGROUP_PHYSICAL_NETWORK,
        "category": features.PORTGROUP_CATEGORY,
    },
    columns={"node_uuid": "node_id"},
    short=("uuid", "name", "address"),
    sublinks={"ports": features.PORTGROUPS},
    unsortable=frozenset({"extra", "internal_info", "properties"}),
)  # fmt: skip
CHASSIS = Resource(
    path="chassis",
    since=dict.fromkeys(["uuid", "description", "extra", "created_at", "updated_at"], features.BASE),
    short=("uuid", "description"),
    sublinks={"nodes": features.BASE},
    unsortable=frozenset({"extra"}),
)
CONNECTORS = Resource(
    path="volume/connectors",
    since=dict.fromkeys(
        ["uuid", "type", "connector_id", "node_uuid", "extra", "created_at", "updated_at"], features.VOLUMES
    ),
    columns={"node_uuid": "node_id"},
    short=("uuid", "type", "connector_id", "node_uuid"),
    unsortable=frozenset({"extra"}),
)
TARGETS = Resource(
    path="volume/targets",
    since=dict.fromkeys(
        [
            "uuid", "volume_type", "volume_id", "boot_index", "properties", "node_uuid", "extra", "created_at",
            "updated_at",
        ],
        features.VOLUMES,
    ),
    columns={"node_uuid": "node_id"},
    special={"properties": lambda row: masked(row["properties"])},
    short=("uuid", "volume_type", "volume_id", "boot_index", "node_uuid"),
    unsortable=frozenset({"extra", "properties"}),
)  # fmt: skip
CONDUCTORS = Resource(
    path="conductors",
    since=dict.fromkeys(
        ["hostname", "conductor_group", "drivers", "alive", "created_at", "updated_at"], features.CONDUCTORS
    ),
    columns={"alive": "last_seen_at"},
    special={"alive": lambda row: conductors.is_fresh(row["last_seen_at"])},
    short=("hostname", "conductor_group", "alive"),
    identity="hostname",
    unsortable=frozenset({"drivers", "alive"}),
)
HISTORY = Resource(
    path="history",
    since=dict.fromkeys(
        ["uuid", "created_at", "severity", "event_type", "event", "conductor", "user"], features.HISTORY
    ),
    short=("uuid", "created_at", "severity", "event"),
)
