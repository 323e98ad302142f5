"""Passwords in documents that clients leave at the service: they are taken, kept, and never shown again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

HIDDEN = "******"
_SOUNDS_SECRET = ("password", "passphrase", "secret", "token")
_OF_DRIVERS = ("_key", "community")
_OF_INSTANCES = ("configdrive", "image_url")


def masked(document: Mapping[str, Any], *, further: tuple[str, ...] = ()) -> dict[str, Any]:
    """The document without the values whose names sound secret (or contain one of ``further``), however deep."""
    words = _SOUNDS_SECRET + further
    return {
        name: HIDDEN if any(word in name.lower() for word in words) else _within(value, further)
        for name, value in document.items()
    }


def driver_info(document: Mapping[str, Any]) -> dict[str, Any]:
    return masked(document, further=_OF_DRIVERS)


def instance_info(document: Mapping[str, Any]) -> dict[str, Any]:
    info = masked(document)
    return info | {name: HIDDEN for name in _OF_INSTANCES if info.get(name) is not None}


def _within(value: Any, further: tuple[str, ...]) -> Any:
    if isinstance(value, dict):
        return masked(value, further=further)
    if isinstance(value, list):
        return [_within(item, further) for item in value]
    return value
