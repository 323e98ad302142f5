"""Any list, as it is narrowed and ordered, as CSV or JSON: row by row, so a million rows need no memory."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder
from django.http import StreamingHttpResponse

# Spreadsheets take a cell that begins with one of these for a formula, and names are chosen by strangers.
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


class _Line:
    """What csv.writer writes to: hands each line on."""

    def write(self, line: str) -> str:
        return line


def as_csv(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> Iterator[str]:
    writer = csv.writer(_Line())
    yield writer.writerow(columns)
    for row in rows:
        yield writer.writerow([_cell(value) for value in row])


def as_json(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> Iterator[str]:
    """One document: an array with an object a line."""
    encoder = DjangoJSONEncoder()
    separator = "[\n"
    for row in rows:
        yield separator + encoder.encode(dict(zip(columns, row, strict=True)))
        separator = ",\n"
    yield "[]\n" if separator == "[\n" else "\n]\n"


FORMATS: dict[str, tuple[str, Callable[[Sequence[str], Iterable[Sequence[Any]]], Iterator[str]]]] = {
    "csv": ("text/csv; charset=utf-8", as_csv),
    "json": ("application/json", as_json),
}


def response(file_format: str, name: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> Any:
    content_type, write = FORMATS[file_format]
    return StreamingHttpResponse(
        write(columns, rows),
        content_type=content_type,
        headers={"Content-Disposition": f'attachment; filename="{name}.{file_format}"'},
    )


def _cell(value: Any) -> Any:
    if isinstance(value, dict | list):
        return json.dumps(value, cls=DjangoJSONEncoder)
    if hasattr(value, "isoformat"):
        return value.isoformat()
    if isinstance(value, str) and value.startswith(_FORMULA_STARTS):
        return f"'{value}"
    return value
