"""What is wrong, as commands and pages tell it: one set of words, one set of colours."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any, Final, TypeVar

from django.db.models import Model, QuerySet

from claimsite.foundation.errors import DomainError, Kind

GRACE: Final = timedelta(hours=1)
"""Younger than this, half a claim may still be in the making: clients claim first, start afterwards (LP #1729371)."""

AT_ONCE: Final = 500
"""Rows read with one statement. Nothing is held open between two of them."""

M = TypeVar("M", bound=Model)


class Colour(enum.StrEnum):
    """What a fix would do."""

    GREEN = "green"
    """It can only add protection, or put right a number that others are derived from."""
    AMBER = "amber"
    """It frees something: wants evidence and a reason."""
    RED = "red"
    """None is offered: what is there may be in use."""
    GREY = "grey"
    """Too young to tell: wait."""


@dataclasses.dataclass(frozen=True, slots=True)
class Finding:
    code: str
    """The same word in commands, on pages and in metrics."""
    subject: str
    """What it is about: the uuid of a node, provider, consumer or allocation."""
    name: str
    """The subject as people call it."""
    text: str
    """What is wrong, as a sentence."""
    colour: Colour
    fix: str = ""
    """What a fix would do; of a red one, what has to happen first."""
    since: datetime | None = None
    """When it came to this; None if nobody knows: as old as can be."""
    facts: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    """The evidence, and what the fix is conditional on (holder, generation), in types that JSON has."""


class ChangedMeanwhile(DomainError):
    """What was reported is no longer so. Nothing was done."""

    kind = Kind.STALE
    message = "changed meanwhile: {how}"


Checked = Callable[[int], None]
"""Told how many more rows a finder has looked at."""


def unwatched(_: int) -> None:
    """For finders that nobody waits for."""


def chunks(rows: QuerySet[M], *, checked: Checked = unwatched, size: int = AT_ONCE) -> Iterator[list[M]]:
    """The rows in order of their key, a statement a chunk: no cursor and no transaction stays open while somebody
    prints, deletes or waits in between."""
    rows = rows.order_by("pk")
    last: Any = None
    while found := list(rows[:size] if last is None else rows.filter(pk__gt=last)[:size]):
        yield found
        checked(len(found))
        last = found[-1].pk
