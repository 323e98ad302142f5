"""openstack-placement, as one of the two that are compared: ``noauth2``, a database of its own, in this process.

One application a process: the package keeps its database and its policy in globals.
"""

from __future__ import annotations

import logging
from typing import Any

from tests.sidebyside.exchange import Answer, Application, Request, send
from tests.sidebyside.state import State

# Children before what they refer to.
TABLES = (
    "allocations",
    "consumers",
    "consumer_types",
    "projects",
    "users",
    "inventories",
    "resource_provider_traits",
    "resource_provider_aggregates",
    "placement_aggregates",
    "resource_providers",
)
STATE = {
    "providers": """
        SELECT p.uuid, p.name, p.generation, parent.uuid, root.uuid FROM resource_providers p
        LEFT JOIN resource_providers parent ON parent.id = p.parent_provider_id
        JOIN resource_providers root ON root.id = p.root_provider_id""",
    "inventories": """
        SELECT p.uuid, c.name, total, reserved, min_unit, max_unit, step_size, allocation_ratio FROM inventories
        JOIN resource_providers p ON p.id = resource_provider_id JOIN resource_classes c ON c.id = resource_class_id""",
    "traits": """
        SELECT p.uuid, t.name FROM resource_provider_traits
        JOIN resource_providers p ON p.id = resource_provider_id JOIN traits t ON t.id = trait_id""",
    "aggregates": """
        SELECT p.uuid, a.uuid FROM resource_provider_aggregates
        JOIN resource_providers p ON p.id = resource_provider_id JOIN placement_aggregates a ON a.id = aggregate_id""",
    "allocations": """
        SELECT consumer_id, p.uuid, c.name, used FROM allocations
        JOIN resource_providers p ON p.id = resource_provider_id JOIN resource_classes c ON c.id = resource_class_id""",
    "consumers": """
        SELECT k.uuid, k.generation, p.external_id, u.external_id, t.name FROM consumers k
        JOIN projects p ON p.id = k.project_id JOIN users u ON u.id = k.user_id
        LEFT JOIN consumer_types t ON t.id = k.consumer_type_id""",
    "vocabulary": """
        SELECT name FROM traits WHERE name LIKE 'CUSTOM%'
        UNION ALL SELECT name FROM resource_classes WHERE name LIKE 'CUSTOM%'""",
}


class Peer:
    def __init__(self, database: str, **settings: dict[str, Any]) -> None:
        """``database``: an address as SQLAlchemy knows them; the tables are made. ``settings``: section → options."""
        self.config, self.application = _application(database, settings)

    def send(self, request: Request) -> Answer:
        return send(self.application, request)

    def enforce_new_defaults(self, enforced: bool) -> None:
        """The policy's newer rules alone, or the older ones beside them."""
        from placement import policy

        self.config.set_override("enforce_new_defaults", enforced, "oslo_policy")
        policy.reset()
        policy.init(self.config)

    def clear(self) -> None:
        words = [f"DELETE FROM {table} WHERE name LIKE 'CUSTOM%'" for table in ("traits", "resource_classes")]
        # A provider's root may be itself, or go before it.
        roots = ["UPDATE resource_providers SET root_provider_id = id, parent_provider_id = NULL"]
        self._execute(*roots, *(f"DELETE FROM {table}" for table in TABLES), *words)

    def forget_phantoms(self) -> int:
        """Deletes consumers without allocations, which the peer leaves behind; says how many there were."""
        return self._execute(
            "DELETE FROM consumers WHERE NOT EXISTS (SELECT 1 FROM allocations a WHERE a.consumer_id = consumers.uuid)"
        )

    def state(self) -> State:
        from sqlalchemy import text

        with self._connection() as connection:
            return State(
                **{name: [tuple(row) for row in connection.execute(text(query))] for name, query in STATE.items()}
            )

    def _execute(self, *statements: str) -> int:
        from sqlalchemy import text

        with self._connection() as connection:
            return sum(connection.execute(text(statement)).rowcount for statement in statements)

    def _connection(self) -> Any:
        from placement import db_api

        return db_api.get_placement_engine().begin()


def _application(database: str, settings: dict[str, dict[str, Any]]) -> tuple[Any, Application]:
    import jsonschema
    from oslo_config import cfg
    from oslo_policy import opts as policy_opts
    from placement import conf, db_api, deploy
    from sqlalchemy.pool import QueuePool

    # It judges its own schemas anew with every request: a third of its time.
    validator: Any = jsonschema.validators.Draft202012Validator
    validator.check_schema = classmethod(lambda *_, **__: None)
    # It warns of rules that it overrides itself.
    logging.getLogger("placement").setLevel(logging.CRITICAL)
    config = cfg.ConfigOpts()
    conf.register_opts(config)
    policy_opts.set_defaults(config)
    chosen: dict[str, dict[str, Any]] = {
        "placement_database": {"connection": database, "sync_on_startup": True},
        "api": {"auth_strategy": "noauth2"},
        # The older rules, by which an administrator may do everything.
        "oslo_policy": {"enforce_new_defaults": False},
        **settings,
    }
    for section, options in chosen.items():
        for option, value in options.items():
            config.set_override(option, value, section)
    config([], project="placement", default_config_files=[], default_config_dirs=[])
    db_api.configure(config)
    # With every connection that it gives back it would give other threads a turn; there are none, and it takes a while.
    db_api.placement_context_manager.configure(thread_checkin=False)
    # It would open its file anew for each transaction, and there are several in a request.
    engine = db_api.get_placement_engine()
    engine.pool = QueuePool(engine.pool._creator, _dispatch=engine.pool.dispatch, dialect=engine.dialect)
    return config, deploy.loadapp(config)
