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
    """Conflicts of a while: by time, by kind, and over which providers."""

    chart: charts.Columns
    kinds: Sequence[tuple[str, int]]
    providers: Sequence[tuple[str, str, int]]
    gave_up: int
    """Consumers that never got what they were refused."""
    total: int


def overview(window: str = "1d", rows: QuerySet | None = None, end: datetime | None = None) -> Overview:
    """Three queries over the conflicts of the window."""
    length, step = WINDOWS[window]
    end = end or timezone.now()
    start = end - length
    within = (ConflictRecord.objects.all() if rows is None else rows).filter(created_at__gte=start, created_at__lte=end)
    # Columns are counted by comparison: cutting moments to the hour is a call to Python for each row on SQLite.
    starts = [start + place * step for place in range(length // step)]
    columns = {
        f"column_{place}": Count("pk", filter=Q(created_at__gte=moment, created_at__lt=moment + step))
        for place, moment in enumerate(starts)
    }
    by_kind = within.order_by().annotate(kind=_by_value("reason")).values_list("kind").annotate(Count("pk"), **columns)
    kinds: Counter[str] = Counter()
    moments: Counter[datetime] = Counter()
    for kind, number, *counts in by_kind:
        kinds[kind] = number
        moments.update(dict(zip(starts, counts, strict=True)))
    fought_over = most_often(within, "provider_uuid", MOST_FOUGHT_OVER)
    names = links.names_of(uuid for uuid, _ in fought_over)
    span = {"1h": "hour", "1d": "day", "7d": "7 days"}[window]
    return Overview(
        chart=charts.over_time(f"conflicts, last {span}", moments.items(), start=start, end=end, step=step),
        kinds=kinds.most_common(),
        providers=[(uuid, names.get(uuid, ""), number) for uuid, number in fought_over],
        gave_up=outcomes.who_gave_up(within),
        total=kinds.total(),
    )


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
