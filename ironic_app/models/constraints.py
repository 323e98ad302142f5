from __future__ import annotations

from django.db import IntegrityError, models


def violated(error: IntegrityError, model: type[models.Model]) -> tuple[str, ...]:
    """The fields of the unique constraint of ``model`` that was violated; nothing if it was another.

    PostgreSQL names the constraint, SQLite the columns.
    """
    name = getattr(getattr(error.__cause__, "diag", None), "constraint_name", None)
    text = str(error)
    table = model._meta.db_table
    for constraint in model._meta.constraints:
        if isinstance(constraint, models.UniqueConstraint):
            columns = [model._meta.get_field(field).column for field in constraint.fields]  # type: ignore[union-attr]
            if name == constraint.name or (columns and text.endswith(", ".join(f"{table}.{c}" for c in columns))):
                return tuple(constraint.fields)
    return ()
