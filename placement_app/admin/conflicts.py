"""Conflicts: who was refused what because of whom."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from claimsite.foundation.admin import show
from claimsite.foundation.admin.lists import ChoiceFilter, TimeFilter, choice_filter, text_filter
from claimsite.foundation.errors import DatabaseRaceLost, LostRace
from placement_app import errors
from placement_app.admin import fights, links, outcomes, stories, timeline
from placement_app.admin.histories import HistoryAdmin
from placement_app.admin.outcomes import Kind
from placement_app.models import ConflictRecord

AROUND = timedelta(minutes=1)

KINDS = sorted(
    it.__name__
    for it in [*vars(errors).values(), DatabaseRaceLost]
    if isinstance(it, type) and issubclass(it, errors.Conflict | LostRace) and it not in {errors.Conflict, LostRace}
)


class OutcomeFilter(ChoiceFilter):
    title = "outcome"
    parameter_name = "outcome"

    def lookups(self, request: HttpRequest, model_admin: Any) -> Sequence[tuple[str, str]]:
        return [
            (Kind.GAVE_UP, "gave up: never got it"),
            (Kind.GOT_IT, "got it later"),
            (Kind.OPEN, "may still be trying"),
        ]

    def narrow(self, queryset: QuerySet, value: str) -> QuerySet:
        return queryset.filter(outcomes.condition(Kind(value))) if value in set(Kind) else queryset.none()


@admin.register(ConflictRecord)
class ConflictAdmin(HistoryAdmin):
    menu_name = "Conflicts"
    menu_position = 3
    page_template = "admin/placement_app/conflict.html"
    change_list_template = "admin/placement_app/conflicts.html"
    list_display = ("when", "kind", "wanted", "consumer", "provider", "who")
    list_display_links = ("when", "kind")
    list_filter = (
        choice_filter("kind", "reason", KINDS),
        OutcomeFilter,
        text_filter("provider", "provider_uuid", is_uuid=True),
        text_filter("consumer", "consumer_uuid", is_uuid=True),
        text_filter("actor", "actor"),
        text_filter("request", "request_id"),
        TimeFilter,
    )
    search_uuids = ("consumer_uuid", "provider_uuid")
    search_help_text = "uuid of a consumer or a provider"
    empty_text = (
        "A write that is refused because of what others hold or did leaves a record here, even though everything else "
        "of it was rolled back. Races that the server absorbed are no conflicts: the history of claims counts their "
        "tries."
    )

    # --- the list ----------------------------------------------------------------------------------------------------
    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        asked = request.GET.get("when", "")
        window = asked if asked in fights.WINDOWS else "1d"
        found = fights.within(window)
        context = {
            "overview": fights.overview(window),
            "window": window,
            "fought_over": fights.fought_over(found),
            "gave_up": outcomes.who_gave_up(found),
        }
        return super().changelist_view(request, {**context, **(extra_context or {})})

    def enrich(self, rows: Sequence[Any]) -> None:
        super().enrich(rows)
        found = outcomes.of(rows)
        for row in rows:
            row.outcome = found.get(row.pk)

    @admin.display(description="kind, outcome")
    def kind(self, row: Any) -> SafeString:
        told = [show.chip(row.reason, "warn" if row.reason.endswith("GenerationConflict") else "bad")]
        if row.attempts > 1:
            told.append(format_html("after {} tries", row.attempts))
        if row.outcome:
            told.append(show.chip(row.outcome.text, row.outcome.tone))
        return show.lines(told)

    @admin.display(description="wanted")
    def wanted(self, row: Any) -> str:
        wanted = row.facts.get("wanted") or {}
        return "; ".join(show.amounts(amounts) for amounts in wanted.values()) or row.operation

    # --- the page ----------------------------------------------------------------------------------------------------
    def page_context(self, request: HttpRequest, row: Any) -> Mapping[str, Any]:
        start, end = row.created_at - AROUND, row.created_at + AROUND
        of_provider = ConflictRecord.objects.filter(provider_uuid=row.provider_uuid)
        contenders = timeline.around(start, end, provider_uuid=row.provider_uuid, consumer_uuid=row.consumer_uuid)
        return {
            "title": f"Conflict {row.pk}",
            "story": stories.tell(row),
            "outcome": outcomes.of([row]).get(row.pk),
            "provider_name": links.names_of([row.provider_uuid]).get(row.provider_uuid, ""),
            "contenders": contenders,
            "digits": timeline.digits(contenders),
            "overview": fights.overview("1d", of_provider, end) if row.provider_uuid else None,
            "facts": show.document(row.facts),
        }

    def commands(self, row: Any) -> Sequence[str]:
        return [f"manage.py whohas {term}" for term in (row.request_id, row.consumer_uuid, row.provider_uuid) if term]
