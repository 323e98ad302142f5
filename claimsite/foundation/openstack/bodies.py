"""Request bodies and query strings → plain data, or a reason why not.

A compiled validator decides; what it refuses is looked at again by the ``jsonschema`` library, for its text (clients
match on that library's messages). The compiled one never accepts more. It refuses more in one case only, and is right:
it takes ``$`` for the end of the text, the library also for the place before a last line break.
"""

from __future__ import annotations

import itertools
import re
from typing import Any
from urllib.parse import parse_qsl

import fastjsonschema
import jsonschema
import orjson

from claimsite.foundation.uuids import canonical_uuid

DEEPEST = 64
"""Levels of lists and objects. What is deeper cannot be stored, nor printed by everybody who reads it."""
LONGEST_PART = 2_000
"""Characters of a message, a schema or the data in the text of a refusal."""
MOST_ERRORS = 100
"""How many errors of one document are compared for the most telling one."""
LONGEST_EXPLAINED = 256 * 1024
"""Bytes of a document that is explained in the library's words."""

_END = re.compile(r"(?<!\\)\$")

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
            {"$schema": "http://json-schema.org/draft-07/schema#", **_with_strict_ends(definition)},
            formats={"uuid": lambda value: canonical_uuid(value) is not None},
            use_default=False,
        )
        self._explainer = jsonschema.Draft202012Validator(definition, format_checker=FORMATS)

    def complaint(self, data: Any, *, quickly: bool = False) -> str | None:
        """None if ``data`` fits; else why not, on one line, long data cut short.

        ``quickly``: do with the compiled validator's words. The other takes seconds for a document of megabytes.
        """
        refusal = self._refusal(data)
        if refusal is None:
            return None
        error = None if quickly else self._most_telling_error(data)
        return _own_words(refusal) if error is None else _explain(error)

    def brief_complaint(self, data: Any) -> str | None:
        """The same in one clause, without the schema that it violates."""
        refusal = self._refusal(data)
        if refusal is None:
            return None
        error = self._most_telling_error(data)
        return _own_words(refusal) if error is None else _cut(error.message)

    def _refusal(self, data: Any) -> fastjsonschema.JsonSchemaException | None:
        try:
            self._compiled(data)
        except fastjsonschema.JsonSchemaException as refusal:
            return refusal
        return None

    def _most_telling_error(self, data: Any) -> jsonschema.ValidationError | None:
        errors = itertools.islice(self._explainer.iter_errors(data), MOST_ERRORS)
        found: jsonschema.ValidationError | None = jsonschema.exceptions.best_match(errors)
        return found


def parse_json(raw: bytes) -> Any:
    """Raises InvalidBody for what is no JSON: also NaN, lone surrogates and NULs, which no column can hold."""
    try:
        data = orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        raise InvalidBody(f"Malformed JSON: {error}") from None
    if raw.count(b"[") + raw.count(b"{") > DEEPEST and is_deeper_than(DEEPEST, data):
        raise InvalidBody(f"Malformed JSON: nested more than {DEEPEST} levels deep")
    if b"\\u0000" in raw and _holds_nul(data):
        raise InvalidBody("Malformed JSON: text must not contain the character NUL")
    return data


def parse_body(raw: bytes, schema: Schema) -> Any:
    """The body as plain data. Raises InvalidBody."""
    data = parse_json(raw)
    if complaint := schema.complaint(data, quickly=len(raw) > LONGEST_EXPLAINED):
        raise InvalidBody(f"JSON does not validate: {complaint}")
    return data


def query_pairs(raw: str) -> list[tuple[str, str]]:
    """The parameters of a query string as they stand there. Raises InvalidQuery for what is no text."""
    try:
        # What a client did not escape comes as WSGI hands on bytes: one character for each.
        text = raw if raw.isascii() else raw.encode("latin-1").decode()
        pairs = parse_qsl(text, keep_blank_values=True, encoding="utf-8", errors="strict")
    except ValueError as error:
        raise InvalidQuery(f"Invalid query string parameters: {error}") from None
    if any("\0" in part for pair in pairs for part in pair):
        raise InvalidQuery("Invalid query string parameters: the character NUL is not allowed")
    return pairs


def parse_query(raw: str, schema: Schema) -> dict[str, list[str]]:
    """Every parameter with all its values, in order. The schema judges the last value of each, like Placement does.

    Raises InvalidQuery.
    """
    values: dict[str, list[str]] = {}
    for name, value in query_pairs(raw):
        values.setdefault(name, []).append(value)
    if complaint := schema.complaint({name: several[-1] for name, several in values.items()}):
        raise InvalidQuery(f"Invalid query string parameters: {complaint}")
    return values


def _with_strict_ends(definition: Any) -> Any:
    """The same schema with the end of the text where a pattern says ``$``."""
    if isinstance(definition, list):
        return [_with_strict_ends(item) for item in definition]
    if not isinstance(definition, dict):
        return definition
    strict = {name: _with_strict_ends(value) for name, value in definition.items()}
    if isinstance(strict.get("pattern"), str):
        strict["pattern"] = _END.sub(r"\\Z", strict["pattern"])
    if "patternProperties" in strict:
        strict["patternProperties"] = {
            _END.sub(r"\\Z", pattern): value for pattern, value in strict["patternProperties"].items()
        }
    return strict


def _own_words(refusal: fastjsonschema.JsonSchemaException) -> str:
    return _cut(str(refusal).replace(r"\Z", "$"))


def _explain(error: jsonschema.ValidationError) -> str:
    """What ``str(error)`` says, on one line: that would print a document of megabytes in full, and slowly."""
    schema_path = "".join(f"[{step!r}]" for step in list(error.relative_schema_path)[:-1])
    path = "".join(f"[{step!r}]" for step in error.relative_path)
    return (
        f"{_cut(error.message)} Failed validating {error.validator!r} in schema{schema_path}: "
        f"{_cut(repr(error.schema))} On instance{path}: {_cut(repr(error.instance))}"
    )


def _cut(text: str) -> str:
    """What is wrong stands at the end of a message, whose wrong it is at the beginning."""
    if len(text) > LONGEST_PART:
        text = f"{text[: LONGEST_PART - 200]} ... {text[-200:]}"
    return " ".join(text.split())


def is_deeper_than(levels: int, data: Any) -> bool:
    ahead = [data]
    for _ in range(levels):
        children = (
            node.values() if isinstance(node, dict) else node for node in ahead if isinstance(node, dict | list)
        )
        ahead = [child for several in children for child in several if isinstance(child, dict | list)]
        if not ahead:
            return False
    return True


def _holds_nul(data: Any) -> bool:
    if isinstance(data, str):
        return "\0" in data
    if isinstance(data, dict):
        return any("\0" in key or _holds_nul(value) for key, value in data.items())
    return isinstance(data, list) and any(map(_holds_nul, data))
