"""Every provider's stamp, which the database itself changes with whatever is written of the provider.

Searches remember providers by stamp. Were each writer to see to it, the first one that forgets would leave searches
with what is no more; so it is nobody's business, be it a verb to come, an import, or a row corrected by hand. Stamps
are random, not counted: a count goes back with a transaction, or with a database that is restored, and comes again.

``used`` of inventories is left out: claims are the hot path, and write the provider's row anyway. Whoever else writes
it writes that row too (`services.ledger.stamp`).
"""

from __future__ import annotations

from django.db import connection

_PROVIDER = "placement_app_resourceprovider"
_PARTS = {
    "inventory": "OF provider_id, resource_class, total, reserved, min_unit, max_unit, step_size, allocation_ratio",
    "providertrait": "",
    "provideraggregate": "",
}
"""What a provider has: the tables, and which updates of them matter."""


def install() -> None:
    """Give the tables their triggers, unless they have them: on SQLite a migration may have made a table anew."""
    is_postgresql = connection.vendor == "postgresql"
    names = "tgname FROM pg_trigger WHERE tgname" if is_postgresql else "name FROM sqlite_master WHERE name"
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {names} LIKE 'stamp_%'")
        present = {name for (name,) in cursor.fetchall()}
        triggers = _of_postgresql() if is_postgresql else _of_sqlite()
        for name in triggers.keys() - present:
            cursor.execute(triggers[name])
        if triggers.keys() - present:
            # Nobody knows what was written while there were none.
            cursor.execute(f"UPDATE {_PROVIDER} SET stamp = 0")


# The sum of a tree's stamps has to fit into 63 bits: so each has 48.
def _of_postgresql() -> dict[str, str]:
    own = f"""
        CREATE OR REPLACE FUNCTION placement_app_stamp() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN NEW.stamp := (random() * 281474976710655)::bigint; RETURN NEW; END $$;
        CREATE TRIGGER stamp_provider BEFORE INSERT OR UPDATE ON {_PROVIDER}
        FOR EACH ROW EXECUTE FUNCTION placement_app_stamp()"""
    of_part = """
        CREATE OR REPLACE FUNCTION placement_app_stamp_owner() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN UPDATE {provider} SET stamp = 0 WHERE id IN (OLD.provider_id, NEW.provider_id); RETURN NULL; END $$;
        CREATE TRIGGER stamp_{part} AFTER INSERT OR DELETE OR UPDATE {columns} ON placement_app_{part}
        FOR EACH ROW EXECUTE FUNCTION placement_app_stamp_owner()"""
    parts = {
        f"stamp_{part}": of_part.format(provider=_PROVIDER, part=part, columns=columns)
        for part, columns in _PARTS.items()
    }
    return {"stamp_provider": own, **parts}


def _of_sqlite() -> dict[str, str]:
    """Here a trigger is of one event, and can't change the row that is about to be written."""
    statement = """
        CREATE TRIGGER stamp_{subject}_{event} AFTER {event} {columns} ON {table} BEGIN
        UPDATE {provider} SET stamp = abs(random() % 281474976710656) WHERE id IN ({owners}); END"""
    subjects = [("provider", _PROVIDER, "id", "")]
    subjects += [(part, f"placement_app_{part}", "provider_id", columns) for part, columns in _PARTS.items()]
    events = {"insert": ["NEW"], "delete": ["OLD"], "update": ["OLD", "NEW"]}
    return {
        f"stamp_{subject}_{event}": statement.format(
            provider=_PROVIDER,
            subject=subject,
            event=event,
            columns=columns if event == "update" else "",
            table=table,
            owners=", ".join(f"{row}.{key}" for row in rows),
        )
        for subject, table, key, columns in subjects
        for event, rows in events.items()
    }
