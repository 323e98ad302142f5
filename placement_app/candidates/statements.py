"""How a search asks the database.

Most of what PostgreSQL does for a search is planning, so what is asked again is prepared, as whole flavors of servers
are asked for again and again. The values are part of what is prepared: it depends on how rare they are which plan is
a good one.
"""

from __future__ import annotations

import secrets
import weakref
from collections.abc import Collection, Sequence
from typing import Any

from django.db import connection
from django.db.utils import OperationalError

Row = tuple[Any, ...]

MOST = 100
"""How many statements one connection keeps in mind."""

_known: weakref.WeakKeyDictionary[Any, dict[Row, str]] = weakref.WeakKeyDictionary()
"""Database connection → statement → the name under which it is prepared; none yet for what has been asked once."""


def rows(sql: str, parameters: Sequence[Any] | None = None) -> list[Row]:
    """The answer to what is hardly asked twice in these words."""
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        found: list[Row] = cursor.fetchall()
        return found


def rows_again(sql: str, parameters: Sequence[Any]) -> list[Row]:
    """The answer to what may be asked again and again."""
    if connection.vendor != "postgresql":
        return rows(sql, parameters)
    connection.ensure_connection()
    names = _known.setdefault(connection.connection, {})
    key = sql, *parameters
    if name := names.get(key):
        try:
            return rows(f"EXECUTE {name}")
        except OperationalError:
            # A pooler between us and the server gave us another session.
            names.clear()
    if key not in names:
        if len(names) >= MOST:
            with connection.cursor() as cursor:
                cursor.execute("DEALLOCATE ALL")
            names.clear()
        names[key] = ""
        return rows(sql, parameters)
    # Nobody else's name either: in a session that is shared one would get the answer to another's question.
    name = names[key] = f"search_{secrets.token_hex(8)}"
    return rows(f"PREPARE {name} AS {sql}; EXECUTE {name}", parameters)


def places(values: Collection[Any]) -> str:
    return ",".join(["%s"] * len(values))
