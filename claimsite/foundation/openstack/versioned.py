"""Differences between versions as tables that are checked when they load."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Generic, TypeVar

from claimsite.foundation.openstack.microversion import FIRST, Microversion

T = TypeVar("T")


class Versioned(Generic[T]):
    """What holds at a version: the newest entry that the version already has.

    Entries out of order are refused when the module loads, so a wrong table cannot start.
    """

    def __init__(self, entries: Mapping[Microversion, T]) -> None:
        versions = list(entries)
        if not versions or versions != sorted(versions):
            raise ValueError(f"Versioned entries must be in order: {', '.join(map(str, versions))}")
        self._entries = [(version, entries[version]) for version in reversed(versions)]

    def at(self, version: Microversion) -> T:
        for since, entry in self._entries:
            if since <= version:
                return entry
        raise LookupError(f"Nothing holds at {version}.")


@dataclasses.dataclass(frozen=True, slots=True)
class Field:
    """One key of a document: where its value comes from, and the version that brought it."""

    name: str
    value: Callable[[Any], Any]
    since: Microversion = FIRST


def render(fields: Iterable[Field], source: Any, version: Microversion) -> dict[str, Any]:
    """The document that ``version`` shows of ``source``."""
    return {field.name: field.value(source) for field in fields if field.since <= version}
