"""One canonical form for every spelling of a uuid, so that two spellings can never be two rows (LP #1758057)."""

from __future__ import annotations

import re
import uuid

_CANONICAL = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}").fullmatch
_HEX_DIGITS = re.compile(r"[0-9a-f]{32}").fullmatch


def canonical_uuid(spelling: str) -> str | None:
    """Lower case with dashes, or None when ``spelling`` is no uuid.

    Accepts what OpenStack's services accept: upper case, no dashes, braces, ``urn:uuid:``.
    """
    if _CANONICAL(spelling):
        return spelling
    digits = spelling.lower().replace("urn:", "").replace("uuid:", "").strip("{}").replace("-", "")
    if not _HEX_DIGITS(digits):
        return None
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


def canonical_or_same(spelling: str) -> str:
    """The canonical form where there is one, else the text as it came: for look-ups, where a non-uuid finds nothing."""
    return canonical_uuid(spelling) or spelling


def new_uuid() -> str:
    return str(uuid.uuid4())
