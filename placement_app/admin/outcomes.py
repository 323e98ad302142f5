"""What became of who was refused a claim: did the consumer get one in the end, or did it give up?

Only those who gave up cost somebody something; a refusal after which the client tried again and got it is how the
protocol works.
"""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery
from django.utils import timezone

from claimsite.foundation.admin.show import AtLeast
from placement_app.models import ClaimEvent, ConflictRecord

PATIENCE = timedelta(seconds=60)
"""A client that has not come back by then with success is taken for one that gave up, until it does."""

MOST_COUNTED = 1_000

_ASKED = Q(operation__in=("allocations.replace", "ownership.claim")) & ~Q(consumer_uuid="")


def _successes() -> QuerySet[ClaimEvent]:
    """What the refused consumer got afterwards, of whichever provider."""
    return ClaimEvent.objects.filter(
        consumer_uuid=OuterRef("consumer_uuid"),
        event__in=(ClaimEvent.Event.CLAIMED, ClaimEvent.Event.CHANGED),
        created_at__gte=OuterRef("created_at"),
    )


class Kind(enum.StrEnum):
    GAVE_UP = "gave_up"
    GOT_IT = "got_it"
    OPEN = "open"


@dataclasses.dataclass(frozen=True, slots=True)
class Outcome:
    kind: Kind
    after: timedelta = timedelta()
    """How long it took until it got something."""

    @property
    def text(self) -> str:
        if self.kind is Kind.GOT_IT:
            return f"got it {self.span} later"
        return "gave up" if self.kind is Kind.GAVE_UP else "may still be trying"

    @property
    def span(self) -> str:
        seconds = self.after.total_seconds()
        for unit, length in (("d", 86400), ("h", 3600), ("min", 60), ("s", 1)):
            if seconds >= length:
                return f"{int(seconds // length)} {unit}"
        return f"{round(seconds * 1000)} ms"

    @property
    def tone(self) -> str:
        return {Kind.GAVE_UP: "bad", Kind.GOT_IT: "good", Kind.OPEN: "info"}[self.kind]


def of(records: Iterable[ConflictRecord]) -> dict[int, Outcome]:
    """Record's key → what became of it, in one query; those that asked for no claim are not in it."""
    first = _successes().order_by("created_at", "pk").values("created_at")[:1]
    rows = ConflictRecord.objects.filter(_ASKED, pk__in=[record.pk for record in records]).order_by()
    now = timezone.now()
    return {
        pk: _outcome(refused, got, now) for pk, refused, got in rows.values_list("pk", "created_at", Subquery(first))
    }


def condition(kind: Kind) -> Q:
    """Of the records with this outcome."""
    got_it = Q(Exists(_successes()))
    if kind is Kind.GOT_IT:
        return _ASKED & got_it
    comparison = "lt" if kind is Kind.GAVE_UP else "gte"
    return _ASKED & ~got_it & Q(**{f"created_at__{comparison}": timezone.now() - PATIENCE})


def who_gave_up(rows: QuerySet[ConflictRecord]) -> int:
    """How many consumers of these records never got anything; counted to a bound."""
    consumers = rows.filter(condition(Kind.GAVE_UP)).order_by().values("consumer_uuid").distinct()
    count = consumers[: MOST_COUNTED + 1].count()
    return AtLeast(MOST_COUNTED) if count > MOST_COUNTED else count


def _outcome(refused: datetime, got: datetime | None, now: datetime) -> Outcome:
    if got is not None:
        return Outcome(Kind.GOT_IT, got - refused)
    return Outcome(Kind.GAVE_UP if refused < now - PATIENCE else Kind.OPEN)
