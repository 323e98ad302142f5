"""Request bodies and query strings → plain data, or a reason why not.

A compiled validator accepts or refuses; for what it refuses the ``jsonschema`` library finds the words, since clients
match on that library's messages.
"""

from __future__ import annotations

import re
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
            {"$schema": "http://json-schema.org/draft-07/schema#", **_with_strict_keys(definition)},
            formats={"uuid": lambda value: canonical_uuid(value) is not None},
            use_default=False,
        )
        self._judge = jsonschema.Draft4Validator(definition, format_checker=FORMATS)

    def complaint(self, data: Any) -> str | None:
        """None if ``data`` fits; else the validator's own words on one line."""
        error = self._error(data)
        return None if error is None else " ".join(str(error).split())

    def brief_complaint(self, data: Any) -> str | None:
        """The same in one clause, without the schema that it violates."""
        error = self._error(data)
        return None if error is None else str(getattr(error, "message", error))

    def _error(self, data: Any) -> Exception | None:
        try:
            self._compiled(data)
        except fastjsonschema.JsonSchemaException as refusal:
            # In the library's patterns "$" also matches before a newline at the end: there it finds nothing wrong.
            return jsonschema.exceptions.best_match(self._judge.iter_errors(data)) or refusal
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


def _with_strict_keys(definition: Any) -> Any:
    """The same schema, with keys whose pattern ends in "$" really ending there (values do so anyway)."""
    if isinstance(definition, list):
        return [_with_strict_keys(item) for item in definition]
    if not isinstance(definition, dict):
        return definition
    strict = {key: _with_strict_keys(value) for key, value in definition.items()}
    if "patternProperties" in strict:
        strict["patternProperties"] = {
            re.sub(r"\$$", r"\\Z", pattern): value for pattern, value in strict["patternProperties"].items()
        }
    return strict


def _holds_nul(data: Any) -> bool:
    if isinstance(data, str):
        return "\0" in data
    if isinstance(data, dict):
        return any("\0" in key or _holds_nul(value) for key, value in data.items())
    return isinstance(data, list) and any(map(_holds_nul, data))
