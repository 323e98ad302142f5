"""What the database believes to know of its tables: after many new rows it has to be told, or it plans for few."""

from __future__ import annotations

from django.db import connection

from claimsite.operations import carrying


def refresh() -> None:
    """After a load. PostgreSQL would look by itself a minute or more later; until then, what compares ten thousand
    nodes with their claims takes 15 seconds instead of half a one. SQLite plans well enough without."""
    if connection.vendor == "postgresql":
        names = (connection.ops.quote_name(model._meta.db_table) for model in carrying.tables().values())
        with connection.cursor() as cursor:
            cursor.execute(f"ANALYZE {', '.join(names)}")
