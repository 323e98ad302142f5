from __future__ import annotations

import re
from typing import Any

from placement_app.api.errors import Refusal
from placement_app.api.schemas.traits import CUSTOM_NAME

_CUSTOM_NAME = re.compile(CUSTOM_NAME)


def custom_name(name: str) -> str:
    """The name of a trait to be made. Raises a 400 for one that is not custom or too long."""
    # "$" also matches before a trailing newline.
    if len(name) > 255 or not _CUSTOM_NAME.match(name) or name.endswith("\n"):
        raise Refusal(
            400,
            "The trait is invalid. A valid trait must be no longer than 255 characters, start with the prefix "
            '"CUSTOM_" and use following characters: "A"-"Z", "0"-"9" and "_"',
        )
    return name


def search(query: dict[str, list[str]]) -> dict[str, Any]:
    """The filters of GET /traits as arguments of ``services.traits.find``."""
    filters: dict[str, Any] = {}
    if "name" in query:
        filters |= _name_filter(query["name"][-1])
    if "associated" in query:
        filters["associated"] = _associated(query["associated"][-1])
    return filters


def _name_filter(text: str) -> dict[str, Any]:
    operator, colon, operand = text.partition(":")
    if colon and operator == "in":
        return {"names": operand.split(",")}
    if colon and operator == "startswith":
        return {"prefix": operand}
    raise Refusal(
        400,
        "Badly formatted name parameter. Expected name query string parameter in form: "
        f'?name=[in|startswith]:[name1,name2|prefix]. Got: "{text}"',
    )


def _associated(text: str) -> bool:
    if text.lower() not in {"true", "false"}:
        raise Refusal(400, 'The query parameter "associated" only accepts "true" or "false"')
    return text.lower() == "true"
