"""Everything that a site holds, as JSON lines, and back into an empty site: a move to another database, or a way back.

Rows are carried as they are, with their generations, times and history: clients that go on talking to the new site find
what they left. Operators' logins stay behind.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO, Final

import orjson
from django.apps import apps
from django.core.exceptions import ValidationError
from django.core.management.color import no_style
from django.db import IntegrityError, connection, transaction
from django.db.models import Field, Model

from claimsite.foundation.errors import DomainError, Kind
from claimsite.foundation.findings import Checked, unwatched
from claimsite.foundation.transactions import write_transaction
from placement_app.models import ResourceClass, Trait
from placement_app.models.vocabulary import FIRST_CUSTOM_ID

FORMAT: Final = 1
AT_ONCE: Final = 500


class BadExport(DomainError):
    kind = Kind.INVALID
    message = "Line {line}: {text} Nothing was imported."


class NotEmpty(DomainError):
    kind = Kind.CONFLICT
    message = "This site has {what} already: only an empty one takes an export. Nothing was imported."


@dataclasses.dataclass(frozen=True, slots=True)
class Carried:
    rows: dict[str, int]
    """Table → how many."""

    @property
    def total(self) -> int:
        return sum(self.rows.values())


def tables() -> dict[str, type[Model]]:
    models = (model for label in ("placement_app", "ironic_app") for model in apps.get_app_config(label).get_models())
    return {model._meta.label_lower: model for model in models}


def carried(model: type[Model]) -> list[Field[Any, Any]]:
    """All columns but those that the database fills in by itself, which would mean nothing elsewhere."""
    return [field for field in model._meta.concrete_fields if not field.has_db_default()]


# --- out ------------------------------------------------------------------------------------------------------------
def write(output: BinaryIO, *, checked: Checked = unwatched) -> Carried:
    """One line a row; the first line says the format, the last how many rows of what, so that a cut is noticed."""
    counts: Counter[str] = Counter()
    with _one_moment():
        output.write(orjson.dumps({"claimsite": FORMAT}, option=orjson.OPT_APPEND_NEWLINE))
        for label, model in tables().items():
            names = [field.attname for field in carried(model)]
            for values in model._default_manager.order_by("pk").values_list(*names).iterator(chunk_size=AT_ONCE):
                row = {"table": label, "row": dict(zip(names, values, strict=True))}
                output.write(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE))
                counts[label] += 1
                checked(1)
        output.write(orjson.dumps({"end": dict(counts)}, option=orjson.OPT_APPEND_NEWLINE))
    return Carried(dict(counts))


@contextlib.contextmanager
def _one_moment() -> Iterator[None]:
    """All tables as they were at one moment, without making a writer wait."""
    if connection.in_atomic_block:
        yield
    elif connection.vendor == "postgresql":
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            yield
    else:
        # Django's own transactions take the one writer's place, which a reader has no need of.
        with connection.cursor() as cursor:
            cursor.execute("BEGIN DEFERRED")
            try:
                yield
            finally:
                cursor.execute("ROLLBACK")


# --- in -------------------------------------------------------------------------------------------------------------
@write_transaction
def read(lines: Iterable[bytes], *, is_rehearsal: bool = False, checked: Checked = unwatched) -> Carried:
    """All lines, or nothing. ``is_rehearsal``: do everything, and then take it back.

    Raises NotEmpty, BadExport.
    """
    _ensure_empty()
    counts: Counter[str] = Counter()
    try:
        for label, rows in _batches(lines, counts):
            _insert(tables()[label], rows)
            checked(len(rows))
        _let_keys_go_on()
        connection.check_constraints()
    except IntegrityError as error:
        raise BadExport(line="?", text=f"The rows don't fit together: {str(error).strip()}.") from error
    if is_rehearsal:
        transaction.set_rollback(True)
    return Carried(dict(counts))


def _ensure_empty() -> None:
    for model in tables().values():
        rows = model._default_manager.all()
        if model in {ResourceClass, Trait}:
            rows = rows.filter(pk__gte=FIRST_CUSTOM_ID)
        if rows.exists():
            raise NotEmpty(what=str(model._meta.verbose_name_plural))


def _batches(lines: Iterable[bytes], counts: Counter[str]) -> Iterator[tuple[str, list[Model]]]:
    """The rows, several of one table at once; standard names are there already and only counted."""
    known = {model: set(model.objects.values_list("name", flat=True)) for model in (ResourceClass, Trait)}
    batch: list[Model] = []
    label = ""
    is_begun = is_ended = False
    number = 0
    for number, line in enumerate(lines, start=1):
        document = _document(number, line, is_begun=is_begun, is_ended=is_ended)
        if "claimsite" in document:
            is_begun = True
            continue
        if "end" in document:
            is_ended = True
            if document["end"] != dict(counts):
                raise BadExport(line=number, text=f"It counts {document['end']}, and here are {dict(counts)}.")
            continue
        row = _row(number, document)
        counts[document["table"]] += 1
        if isinstance(row, ResourceClass | Trait) and row.is_standard:
            if row.name not in known[type(row)]:
                raise BadExport(line=number, text=f"{row.name} is a standard name that this site does not know.")
            continue
        if batch and (document["table"] != label or len(batch) >= AT_ONCE):
            yield label, batch
            batch = []
        label = document["table"]
        batch.append(row)
    if not is_ended:
        raise BadExport(line=number, text="It ends here, in the middle of an export.")
    if batch:
        yield label, batch


def _document(number: int, line: bytes, *, is_begun: bool, is_ended: bool) -> dict[str, Any]:
    try:
        document = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise BadExport(line=number, text=f"It is no JSON: {error}.") from error
    if not isinstance(document, dict):
        raise BadExport(line=number, text="It is no JSON object.")
    if is_ended or (number == 1) is not ("claimsite" in document) or (number > 1 and not is_begun):
        raise BadExport(line=number, text="It is not where it belongs in an export.")
    if document.get("claimsite", FORMAT) != FORMAT:
        raise BadExport(line=number, text=f"It is of format {document['claimsite']}, and this site reads {FORMAT}.")
    return document


def _row(number: int, document: dict[str, Any]) -> Model:
    model = tables().get(str(document.get("table")))
    values = document.get("row")
    if model is None or not isinstance(values, dict):
        raise BadExport(line=number, text="It names no table that this site has.")
    fields = {field.attname: field for field in carried(model)}
    if values.keys() != fields.keys():
        wrong = ", ".join(sorted(values.keys() ^ fields.keys()))
        raise BadExport(line=number, text=f"It has other columns than {document['table']} has here: {wrong}.")
    try:
        return model(**{name: fields[name].to_python(value) for name, value in values.items()})
    except (ValidationError, TypeError, ValueError) as error:
        raise BadExport(line=number, text=f"A value does not fit: {error}.") from error


def _insert(model: type[Model], rows: list[Model]) -> None:
    """As they are: ``bulk_create`` would put now where a row says when it was made."""
    model._base_manager._insert(rows, fields=carried(model), using="default", raw=True)  # type: ignore[attr-defined]


def _let_keys_go_on() -> None:
    """New rows are numbered after the carried ones."""
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), list(tables().values())):
            cursor.execute(statement)
