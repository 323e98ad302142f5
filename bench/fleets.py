"""Bare-metal nodes, from one description into both sides' tables: everything that a list shows of a real machine."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from psycopg2.extras import execute_values

from bench.clouds import uuid_of
from bench.database import Link

PROPERTIES = (
    '{"cpus": 64, "memory_mb": 262144, "local_gb": 960, "cpu_arch": "x86_64",'
    ' "capabilities": "boot_mode:uefi,boot_option:local"}'
)
DRIVER_INFO = '{"deploy_kernel": "http://127.0.0.1/kernel", "deploy_ramdisk": "http://127.0.0.1/ramdisk"}'
TRAITS = ("HW_CPU_X86_AVX2", "HW_CPU_X86_VMX")
FAKE, NONE = ("boot", "deploy", "management", "power"), ("bios", "console", "inspect", "raid", "rescue", "vendor")
INTERFACES = {
    **dict.fromkeys(FAKE, "fake"),
    **{kind: f"no-{kind}" for kind in NONE},
    "firmware": "no-firmware",
    "network": "noop",
    "storage": "noop",
}


@dataclasses.dataclass(frozen=True, slots=True)
class Fleet:
    count: int

    @property
    def name(self) -> str:
        return f"fleet_{self.count}"


def node(number: int) -> str:
    """The uuid of one."""
    return uuid_of(f"node-{number}")


_KINDS = ", ".join(f"{kind}_interface" for kind in INTERFACES)
_CHOSEN = ", ".join(f"'{name}'" for name in INTERFACES.values())
_SAME = f"""uuid, name, driver, resource_class, power_state, provision_state, maintenance, console_enabled, protected,
    retired, disable_power_off, conductor_group, properties, driver_info, instance_info, extra, driver_internal_info,
    {_KINDS}"""
_VALUES = f"""uuid, name, 'fake-hardware', 'baremetal', 'power off', 'available', false, false, false, false, false, '',
    '{PROPERTIES}', '{DRIVER_INFO}', '{{}}', '{{}}', '{{}}', {_CHOSEN}"""
INTO_PEER = (
    f"""INSERT INTO nodes (created_at, version, {_SAME})
        SELECT now(), '1.44', {_VALUES} FROM new_node ORDER BY id""",
    *(
        f"""INSERT INTO node_traits (created_at, version, node_id, trait)
            SELECT now(), '1.0', n.id, '{trait}' FROM nodes n"""
        for trait in TRAITS
    ),
)
_EMPTY = ("clean_step", "deploy_step", "service_step", "network_data", "raid_config", "target_raid_config")
INTO_SITE = (
    f"""INSERT INTO ironic_app_node (created_at, generation, traits, {", ".join(_EMPTY)}, {_SAME})
        SELECT now(), 0, '["{'", "'.join(TRAITS)}"]', {", ".join(["'{}'"] * len(_EMPTY))}, {_VALUES}
        FROM new_node ORDER BY id""",
)


def load(connection: Link, fleet: Fleet, into: Iterable[str]) -> None:
    """``into``: INTO_PEER or INTO_SITE."""
    with connection.cursor() as cursor:
        cursor.execute("CREATE TEMPORARY TABLE new_node (id serial, uuid text, name text)")
        rows = [(node(number), f"node-{number}") for number in range(fleet.count)]
        execute_values(cursor, "INSERT INTO new_node (uuid, name) VALUES %s", rows, page_size=1000)
        for statement in into:
            cursor.execute(statement)
