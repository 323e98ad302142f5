"""Conflicts of a while: by time, by kind, over what, and who gave up."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, Q, QuerySet, Value
from django.db.models.functions import Concat
from django.utils import timezone

from claimsite.foundation.admin import charts
from placement_app.admin import links, outcomes
from placement_app.models import ConflictRecord

MOST_FOUGHT_OVER = 5

# Window → how long it is, and how wide a column of its chart.
WINDOWS = {
    "1h": (timedelta(hours=1), timedelta(minutes=5)),
    "1d": (timedelta(days=1), timedelta(hours=1)),
    "7d": (timedelta(days=7), timedelta(hours=6)),
}


@dataclasses.dataclass(frozen=True, slots=True)
class Overview:
    """Conflicts of a while, by time and by kind."""

    chart: charts.Columns
    kinds: Sequence[tuple[str, int]]
    total: int


def within(window: str, rows: QuerySet[Any] | None = None, end: datetime | None = None) -> QuerySet[Any]:
    """The conflicts of the window that ends now, or at ``end``."""
    end = end or timezone.now()
    rows = ConflictRecord.objects.all() if rows is None else rows
    return rows.filter(created_at__gte=end - WINDOWS[window][0], created_at__lte=end)


def overview(window: str = "1d", rows: QuerySet[Any] | None = None, end: datetime | None = None) -> Overview:
    """One query over the conflicts of the window."""
    length, step = WINDOWS[window]
    end = end or timezone.now()
    start = end - length
    # Columns are counted by comparison: cutting moments to the hour is a call to Python for each row on SQLite.
    starts = [start + place * step for place in range(length // step)]
    columns = {
        f"column_{place}": Count("pk", filter=Q(created_at__gte=moment, created_at__lt=moment + step))
        for place, moment in enumerate(starts)
    }
    found = within(window, rows, end)
    by_kind = found.order_by().annotate(kind=_by_value("reason")).values_list("kind").annotate(Count("pk"), **columns)
    kinds: Counter[str] = Counter()
    moments: Counter[datetime] = Counter()
    for kind, number, *counts in by_kind:
        kinds[kind] = number
        moments.update(dict(zip(starts, counts, strict=True)))
    span = {"1h": "hour", "1d": "day", "7d": "7 days"}[window]
    return Overview(
        chart=charts.over_time(f"conflicts, last {span}", moments.items(), start=start, end=end, step=step),
        kinds=kinds.most_common(),
        total=kinds.total(),
    )


@dataclasses.dataclass(frozen=True, slots=True)
class FoughtOver:
    """A provider, and how many wrote in vain."""

    uuid: str
    name: str
    conflicts: int
    consumers: int
    gave_up: int


def fought_over(rows: QuerySet[Any]) -> list[FoughtOver]:
    """The providers that most of these conflicts are about, in three queries."""
    most = most_often(rows, "provider_uuid", MOST_FOUGHT_OVER)
    uuids = [uuid for uuid, _ in most]
    names = links.names_of(uuids)
    named = rows.filter(provider_uuid__in=uuids).exclude(consumer_uuid="").order_by().values_list("provider_uuid")
    who_gave_up = Count("consumer_uuid", distinct=True, filter=outcomes.condition(outcomes.Kind.GAVE_UP))
    consumers = {
        uuid: (number, gave_up)
        for uuid, number, gave_up in named.annotate(number=Count("consumer_uuid", distinct=True), gave_up=who_gave_up)
    }
    return [FoughtOver(uuid, names.get(uuid, ""), number, *consumers.get(uuid, (0, 0))) for uuid, number in most]


def most_often(rows: QuerySet[Any], column: str, most: int) -> list[tuple[str, int]]:
    """The values that come most often in the column among rows that a time has narrowed, and how often."""
    counted = (
        rows.exclude(**{column: ""})
        .order_by()
        .annotate(value=_by_value(column))
        .values_list("value")
        .annotate(number=Count("pk"))
        .order_by("-number", "value")
    )
    return [(value, number) for value, number in counted[:most]]


def _by_value(column: str) -> Concat:
    """The column as an expression: else SQLite groups by the column's own index, and reads the whole table along it."""
    return Concat(column, Value(""))
