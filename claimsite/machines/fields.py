"""Typed reading of one row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# What Placement can count (a signed 32-bit integer); a terabyte of memory is a thousandth of it.
MAX_INTEGER = 2147483647


class Malformed(Exception):
    """The row is not what its format says, and which field is to blame."""


def whole_number(row: Mapping[str, Any], field: str, *, minimum: int = 0, maximum: int = MAX_INTEGER) -> int:
    """Raises Malformed."""
    value = row.get(field)
    if isinstance(value, str):
        # Not int() alone: it takes "1_000", " 7 " and the digits of other scripts.
        value = int(value) if value.isascii() and value.isdigit() else value
    if not isinstance(value, int) or isinstance(value, bool):
        raise Malformed(f"{field} is {_shown(value)}, not a whole number")
    if not minimum <= value <= maximum:
        raise Malformed(f"{field} is {value}, not between {minimum} and {maximum}")
    return value


def words(row: Mapping[str, Any], field: str, *, required: bool = False, longest: int = 200) -> str:
    """Text without blanks around; a missing one and null read as empty. Raises Malformed."""
    value = row.get(field)
    if value is None or value is False:
        value = ""
    if not isinstance(value, str):
        raise Malformed(f"{field} is {_shown(value)}, not a text")
    value = value.strip()
    if required and not value:
        raise Malformed(f"{field} is empty")
    if len(value) > longest:
        raise Malformed(f"{field} is longer than {longest} characters")
    return value


def _shown(value: object) -> str:
    return "missing" if value is None else repr(value)[:60]
