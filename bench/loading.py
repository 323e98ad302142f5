"""Cloud → tables, in bulk: over HTTP the peer takes some forty providers a second. All load comes over HTTP."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from psycopg2.extras import execute_values

from bench.clouds import Cloud, uuid_of
from bench.database import Link

STAGES = (
    "CREATE TEMPORARY TABLE new_provider (id serial, uuid text, name text, parent text, root text)",
    """CREATE TEMPORARY TABLE new_inventory (id serial, provider text, class text, total int, reserved int,
       max_unit int, allocation_ratio real)""",
    "CREATE TEMPORARY TABLE new_trait (provider text, trait text)",
    "CREATE TEMPORARY TABLE new_aggregate (id serial, provider text, aggregate text)",
)
INTO_PEER = (
    """INSERT INTO resource_providers (created_at, id, uuid, name, generation)
       SELECT now(), id, uuid, name, 0 FROM new_provider ORDER BY id""",
    """UPDATE resource_providers p SET root_provider_id = root.id, parent_provider_id = parent.id FROM new_provider n
       JOIN new_provider root ON root.uuid = n.root LEFT JOIN new_provider parent ON parent.uuid = n.parent
       WHERE n.id = p.id""",
    """INSERT INTO inventories (created_at, resource_provider_id, resource_class_id, total, reserved, min_unit,
       max_unit, step_size, allocation_ratio)
       SELECT now(), p.id, c.id, total, reserved, 1, max_unit, 1, allocation_ratio FROM new_inventory n
       JOIN new_provider p ON p.uuid = n.provider JOIN resource_classes c ON c.name = n.class ORDER BY n.id""",
    """INSERT INTO resource_provider_traits (created_at, trait_id, resource_provider_id)
       SELECT now(), t.id, p.id FROM new_trait n
       JOIN new_provider p ON p.uuid = n.provider JOIN traits t ON t.name = n.trait""",
    """INSERT INTO placement_aggregates (created_at, uuid) SELECT DISTINCT now(), aggregate FROM new_aggregate""",
    """INSERT INTO resource_provider_aggregates (created_at, resource_provider_id, aggregate_id)
       SELECT now(), p.id, a.id FROM new_aggregate n
       JOIN new_provider p ON p.uuid = n.provider JOIN placement_aggregates a ON a.uuid = n.aggregate""",
    "SELECT setval('resource_providers_id_seq', max(id)) FROM resource_providers",
)
INTO_SITE = (
    """INSERT INTO placement_app_resourceprovider (id, uuid, name, generation, parent_uuid, root_uuid, created_at,
       updated_at) SELECT id, uuid, name, 0, parent, root, now(), now() FROM new_provider ORDER BY id""",
    """INSERT INTO placement_app_inventory (provider_id, resource_class, total, reserved, min_unit, max_unit, step_size,
       allocation_ratio, used, created_at, updated_at)
       SELECT p.id, class, total, reserved, 1, max_unit, 1, allocation_ratio, 0, now(), now() FROM new_inventory n
       JOIN new_provider p ON p.uuid = n.provider ORDER BY n.id""",
    """INSERT INTO placement_app_providertrait (provider_id, trait)
       SELECT p.id, trait FROM new_trait n JOIN new_provider p ON p.uuid = n.provider""",
    """INSERT INTO placement_app_provideraggregate (provider_id, aggregate_uuid)
       SELECT p.id, aggregate FROM new_aggregate n JOIN new_provider p ON p.uuid = n.provider ORDER BY n.id""",
    "SELECT setval('placement_app_resourceprovider_id_seq', max(id)) FROM placement_app_resourceprovider",
)


def load(connection: Link, cloud: Cloud, into: Iterable[str]) -> None:
    """``into``: INTO_PEER or INTO_SITE."""

    def given(name: str | None) -> str | None:
        return None if name is None else uuid_of(name)

    providers = cloud.providers
    with connection.cursor() as cursor:
        for statement in STAGES:
            cursor.execute(statement)
        _stage(
            cursor,
            "new_provider (uuid, name, parent, root)",
            [(p.uuid, p.name, given(p.parent), uuid_of(p.root or p.name)) for p in providers],
        )
        _stage(
            cursor,
            "new_inventory (provider, class, total, reserved, max_unit, allocation_ratio)",
            [
                (p.uuid, name, i.total, i.reserved, i.max_unit, i.allocation_ratio)
                for p in providers
                for name, i in p.inventories.items()
            ],
        )
        _stage(cursor, "new_trait", [(p.uuid, trait) for p in providers for trait in p.traits])
        _stage(
            cursor,
            "new_aggregate (provider, aggregate)",
            [(p.uuid, aggregate) for p in providers for aggregate in p.aggregates],
        )
        for statement in into:
            cursor.execute(statement)


def _stage(cursor: Any, table: str, rows: Sequence[tuple[Any, ...]]) -> None:
    execute_values(cursor, f"INSERT INTO {table} VALUES %s", rows, page_size=1000)
