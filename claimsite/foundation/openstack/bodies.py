"""Request bodies and query strings → plain data, or a reason why not.

A compiled validator accepts; only what it refuses is judged again by the ``jsonschema`` library, whose verdict and
whose text count (clients match on that library's messages). The compiled one must therefore never accept more.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qsl

import fastjsonschema
import jsonschema
import orjson

from claimsite.foundation.uuids import canonical_uuid

FORMATS = jsonschema.FormatChecker(formats=())


@FORMATS.checks("uuid")
def _is_uuid(value: object) -> bool:
    return not isinstance(value, str) or canonical_uuid(value) is not None


class InvalidBody(Exception):
    """The body is not JSON, or not the JSON that was asked for. The text says which and why."""


class InvalidQuery(Exception):
    """The query string is not what the route understands."""


class Schema:
    """A JSON schema (draft 2020-12 vocabulary that draft 7 shares), compiled once when the module loads."""

    def __init__(self, definition: dict[str, Any]) -> None:
        self.definition = definition
        self._compiled = fastjsonschema.compile(
            {"$schema": "http://json-schema.org/draft-07/schema#", **definition},
            formats={"uuid": lambda value: canonical_uuid(value) is not None},
            use_default=False,
        )
        self._judge = jsonschema.Draft4Validator(definition, format_checker=FORMATS)

    def complaint(self, data: Any) -> str | None:
        """None if ``data`` fits; else the validator's own words on one line."""
        try:
            self._compiled(data)
        except fastjsonschema.JsonSchemaException:
            error = jsonschema.exceptions.best_match(self._judge.iter_errors(data))
            return None if error is None else " ".join(str(error).split())
        return None


def parse_json(raw: bytes) -> Any:
    """Raises InvalidBody for what is no JSON: also NaN, lone surrogates and NULs, which no column can hold."""
    try:
        data = orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        raise InvalidBody(f"Malformed JSON: {error}") from None
    if b"\\u0000" in raw and _holds_nul(data):
        raise InvalidBody("Malformed JSON: text must not contain the character NUL")
    return data


def parse_body(raw: bytes, schema: Schema) -> Any:
    """The body as plain data. Raises InvalidBody."""
    data = parse_json(raw)
    if complaint := schema.complaint(data):
        raise InvalidBody(f"JSON does not validate: {complaint}")
    return data


def parse_query(raw: str, schema: Schema) -> dict[str, list[str]]:
    """Every parameter with all its values, in order. The schema judges the last value of each, like Placement does.

    Raises InvalidQuery.
    """
    try:
        pairs = parse_qsl(raw, keep_blank_values=True, encoding="utf-8", errors="strict")
    except ValueError as error:
        raise InvalidQuery(f"Invalid query string parameters: {error}") from None
    values: dict[str, list[str]] = {}
    for name, value in pairs:
        if "\0" in name or "\0" in value:
            raise InvalidQuery("Invalid query string parameters: the character NUL is not allowed")
        values.setdefault(name, []).append(value)
    if complaint := schema.complaint({name: several[-1] for name, several in values.items()}):
        raise InvalidQuery(f"Invalid query string parameters: {complaint}")
    return values


def _holds_nul(data: Any) -> bool:
    if isinstance(data, str):
        return "\0" in data
    if isinstance(data, dict):
        return any("\0" in key or _holds_nul(value) for key, value in data.items())
    return isinstance(data, list) and any(map(_holds_nul, data))
