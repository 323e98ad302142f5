"""SQL of the hot paths, sent as each database likes it best; the text is the same on both.

PostgreSQL gets several statements in one round trip, and parses and plans each of them once a connection. SQLite gets
one after the other: there is no way to it to be saved, and its driver keeps what it has compiled.
"""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from django.db import connection
from django.db.backends.utils import CursorWrapper
from django.db.models import Field, Model


class Batch:
    """Statements that go to the database together. A value's place is a bare ``%s``; no other ``%`` is in the text."""

    def __init__(self) -> None:
        self._statements: list[tuple[str, Sequence[Any]]] = []

    def add(self, statement: str, values: Sequence[Any] = ()) -> None:
        self._statements.append((statement, values))

    def send(self) -> int:
        """How many rows the last statement touched."""
        if not self._statements:
            return 0
        with connection.cursor() as cursor:
            self._execute(cursor)
            return int(cursor.rowcount)

    def rows(self) -> list[tuple[Any, ...]]:
        """What the last statement finds."""
        with connection.cursor() as cursor:
            self._execute(cursor)
            return list(cursor.fetchall())

    def _execute(self, cursor: CursorWrapper) -> None:
        statements, self._statements = self._statements, []
        if connection.vendor != "postgresql":
            for statement, values in statements:
                cursor.execute(statement, values)
            return
        ready = connection.ready  # type: ignore[attr-defined]
        text = "; ".join([ready(statement, len(values)) for statement, values in statements])
        cursor.execute(text, [value for _, values in statements for value in values])


def send(statement: str, values: Sequence[Any] = ()) -> int:
    """How many rows the statement touched."""
    batch = Batch()
    batch.add(statement, values)
    return batch.send()


def rows(statement: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
    """What the statement finds."""
    batch = Batch()
    batch.add(statement, values)
    return batch.rows()


def insert(row: Model) -> None:
    """Store a new row and set its key: what ``save(force_insert=True)`` does, without signals and in ready SQL."""
    fields = [field for field in _fields(type(row)).values() if not field.primary_key]
    columns = ", ".join(str(field.column) for field in fields)
    found = rows(
        f"INSERT INTO {row._meta.db_table} ({columns}) VALUES ({marks(fields)}) RETURNING id",
        [field.get_db_prep_save(field.pre_save(row, True), connection) for field in fields],
    )
    row.pk = found[0][0]


def update(row: Model, attributes: Iterable[str]) -> None:
    """Store these attributes of a row as they are now."""
    known = _fields(type(row))
    fields = [known[name] for name in attributes]
    changes = ", ".join(f"{field.column} = %s" for field in fields)
    values = [field.get_db_prep_save(getattr(row, field.attname), connection) for field in fields]
    send(f"UPDATE {row._meta.db_table} SET {changes} WHERE id = %s", [*values, row.pk])


@functools.cache
def _fields(model: type[Model]) -> dict[str, Field[Any, Any]]:
    return {field.attname: field for field in model._meta.concrete_fields}


def marks(values: Collection[Any]) -> str:
    """A place for each of the values, for ``IN (…)``."""
    return ", ".join(["%s"] * len(values))
