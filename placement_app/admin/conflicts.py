"""Conflicts: who was refused what because of whom."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.contrib import admin
from django.db.models import Count, Q, QuerySet, Value
from django.db.models.functions import Concat
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from claimsite.foundation.admin import charts, show
from claimsite.foundation.admin.lists import ChoiceFilter, TimeFilter, text_filter
from claimsite.foundation.admin.pages import ReadOnlyModelAdmin
from claimsite.foundation.errors import DatabaseRaceLost, LostRace
from placement_app import errors
from placement_app.admin import links, stories, timeline
from placement_app.models import ConflictRecord

AROUND = timedelta(minutes=1)
MOST_FOUGHT_OVER = 5

KINDS = sorted(
    {
        name
        for name, it in vars(errors).items()
        if isinstance(it, type) and issubclass(it, errors.Conflict | LostRace) and it is not errors.Conflict
    }
    | {DatabaseRaceLost.__name__} - {LostRace.__name__}
)

# Window → how long it is, and how wide a column of its chart.
WINDOWS = {
    "1h": (timedelta(hours=1), timedelta(minutes=5)),
    "1d": (timedelta(days=1), timedelta(hours=1)),
    "7d": (timedelta(days=7), timedelta(hours=6)),
}


class KindFilter(ChoiceFilter):
    title = "kind"
    parameter_name = "kind"

    def lookups(self, request: HttpRequest, model_admin: Any) -> Sequence[tuple[str, str]]:
        return [(kind, kind) for kind in KINDS]

    def narrow(self, queryset: QuerySet, value: str) -> QuerySet:
        return queryset.filter(reason=value)


class WhenFilter(TimeFilter):
    title = "when"
    parameter_name = "when"


@dataclasses.dataclass(frozen=True, slots=True)
class Overview:
    """Conflicts of a while: by time, by kind, and over which providers."""

    chart: charts.Columns
    kinds: Sequence[tuple[str, int]]
    providers: Sequence[tuple[str, str, int]]
    total: int


def overview(window: str = "1d", rows: QuerySet | None = None, end: datetime | None = None) -> Overview:
    """Two queries over the conflicts of the window."""
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


@admin.register(ConflictRecord)
class ConflictAdmin(ReadOnlyModelAdmin):
    menu_name = "Conflicts"
    menu_position = 3
    page_template = "admin/placement_app/conflict.html"
    change_list_template = "admin/placement_app/conflicts.html"
    list_display = ("when", "kind", "wanted", "consumer", "provider", "who", "tries")
    list_display_links = ("when", "kind")
    list_filter = (
        KindFilter,
        text_filter("provider", "provider_uuid", is_uuid=True),
        text_filter("consumer", "consumer_uuid", is_uuid=True),
        text_filter("actor", "actor"),
        text_filter("request", "request_id"),
        WhenFilter,
    )
    # Newest first is the order of the key.
    ordering = ("-pk",)
    sortable_by = ()
    search_uuids = ("consumer_uuid", "provider_uuid")
    search_help_text = "uuid of a consumer or a provider"
    empty_text = (
        "A write that is refused because of what others hold or did leaves a record here, even though everything else "
        "of it was rolled back. Races that the server absorbed are no conflicts: the history of claims counts their "
        "tries."
    )

    # --- the list ----------------------------------------------------------------------------------------------------
    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        window = request.GET.get("when", "")
        context = {"overview": overview(window if window in WINDOWS else "1d")}
        return super().changelist_view(request, {**context, **(extra_context or {})})

    def enrich(self, rows: Sequence[Any]) -> None:
        names = links.names_of(row.provider_uuid for row in rows)
        for row in rows:
            row.provider_name = names.get(row.provider_uuid, "")

    @admin.display(description="when")
    def when(self, row: Any) -> SafeString:
        return show.ago(row.created_at)

    @admin.display(description="kind")
    def kind(self, row: Any) -> SafeString:
        return show.chip(row.reason, "warn" if row.reason.endswith("GenerationConflict") else "bad")

    @admin.display(description="wanted")
    def wanted(self, row: Any) -> str:
        wanted = row.facts.get("wanted") or {}
        return "; ".join(show.amounts(amounts) for amounts in wanted.values()) or row.operation

    @admin.display(description="consumer")
    def consumer(self, row: Any) -> SafeString:
        return links.consumer(row.consumer_uuid)

    @admin.display(description="provider")
    def provider(self, row: Any) -> SafeString:
        return links.provider(row.provider_uuid, row.provider_name)

    @admin.display(description="who")
    def who(self, row: Any) -> SafeString:
        return format_html('{} <span class="cs-quiet">{}</span>', row.actor or "–", row.door)

    @admin.display(description="tries")
    def tries(self, row: Any) -> int:
        return row.attempts

    # --- the page ----------------------------------------------------------------------------------------------------
    def page_context(self, request: HttpRequest, row: Any) -> Mapping[str, Any]:
        start, end = row.created_at - AROUND, row.created_at + AROUND
        of_provider = ConflictRecord.objects.filter(provider_uuid=row.provider_uuid)
        return {
            "title": f"Conflict {row.pk}",
            "story": stories.tell(row),
            "provider_name": links.names_of([row.provider_uuid]).get(row.provider_uuid, ""),
            "contenders": timeline.around(start, end, provider_uuid=row.provider_uuid, consumer_uuid=row.consumer_uuid),
            "overview": overview("1d", of_provider, end) if row.provider_uuid else None,
            "facts": show.document(row.facts),
        }

    def command(self, row: Any) -> str:
        return f"openstack resource provider show --allocations {row.provider_uuid}" if row.provider_uuid else ""
