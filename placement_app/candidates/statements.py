"""How a search asks the database.

Most of what PostgreSQL does for a search is planning, so what is asked again is prepared, as whole flavors of servers
are asked for again and again. Unlike those of claims, these statements are prepared with their values: it depends on
how rare they are which plan is a good one. So there are many, and what is asked once is not kept.
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.db import connection

Row = tuple[Any, ...]

MOST = 100
"""How many statements one connection keeps in mind."""

_known: weakref.WeakKeyDictionary[Any, dict[Row, str]] = weakref.WeakKeyDictionary()
"""Database connection → statement and values → the name under which they are prepared; "" if they were asked once."""
_numbers = itertools.count()


def rows(sql: str, values: Sequence[Any] | None = None) -> list[Row]:
    """The answer to what is hardly asked twice in these words."""
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        found: list[Row] = cursor.fetchall()
        return found


def rows_again(sql: str, values: Sequence[Any]) -> list[Row]:
    """The answer to what may be asked again and again."""
    if connection.vendor != "postgresql" or not settings.PREPARED_STATEMENTS:
        return rows(sql, values)
    connection.ensure_connection()
    names = _known.setdefault(connection.connection, {})
    question = sql, *values
    name = names.get(question)
    if name:
        return rows(f"EXECUTE {name}")
    if name is None:
        if len(names) >= MOST:
            _forget(names)
        names[question] = ""
        return rows(sql, values)
    name = f"search_{next(_numbers)}"
    found = rows(f"PREPARE {name} AS {sql}; EXECUTE {name}", values)
    names[question] = name
    return found


def _forget(names: dict[Row, str]) -> None:
    prepared = [name for name in names.values() if name]
    names.clear()
    if prepared:
        with connection.cursor() as cursor:
            cursor.execute("; ".join(f"DEALLOCATE {name}" for name in prepared))
