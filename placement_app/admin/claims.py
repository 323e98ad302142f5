"""Allocations, and the histories: of claims, and of what providers are and have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString

from claimsite.foundation.admin import show
from claimsite.foundation.admin.lists import ChoiceFilter, TextFilter, TimeFilter, text_filter
from claimsite.foundation.admin.pages import ReadOnlyModelAdmin
from claimsite.foundation.origin import Door
from claimsite.foundation.uuids import canonical_uuid
from placement_app.admin import links, timeline
from placement_app.models import Allocation, ClaimEvent, ProviderEvent


class ProviderFilter(TextFilter):
    title = "provider"
    parameter_name = "provider"

    def narrow(self, queryset: QuerySet, value: str) -> QuerySet:
        canonical = canonical_uuid(value)
        return queryset.filter(**({"provider__uuid": canonical} if canonical else {"provider__name": value}))


@admin.register(Allocation)
class AllocationAdmin(ReadOnlyModelAdmin):
    menu_position = 3
    list_display = ("shown_consumer", "shown_provider", "shown_class", "amount", "project", "since")
    list_display_links = ("shown_class",)
    list_filter = (
        ProviderFilter,
        text_filter("consumer", "consumer", is_uuid=True),
        text_filter("class", "resource_class"),
        text_filter("project", "consumer__project_id", is_uuid=True),
    )
    list_select_related = ("provider", "consumer")
    ordering = ("-pk",)
    search_uuids = ("consumer__uuid", "provider__uuid")
    search_help_text = "uuid of the consumer or the provider"
    empty_text = "An allocation says that a consumer holds so much of one class of one provider."

    @admin.display(description="consumer", ordering="consumer")
    def shown_consumer(self, row: Any) -> SafeString:
        return links.consumer(row.consumer_id)

    @admin.display(description="provider", ordering="provider__name")
    def shown_provider(self, row: Any) -> SafeString:
        return links.provider(row.provider.uuid, row.provider.name)

    @admin.display(description="class", ordering="resource_class")
    def shown_class(self, row: Any) -> str:
        return row.resource_class_id

    @admin.display(description="amount", ordering="used")
    def amount(self, row: Any) -> str:
        return show.number(row.used)

    @admin.display(description="project", ordering="consumer__project_id")
    def project(self, row: Any) -> SafeString:
        return show.uuid(row.consumer.project_id, links.list_url("consumer", project=row.consumer.project_id))

    # A write of claims makes its rows anew, so their keys are in the order of their times, and have an index.
    @admin.display(description="since", ordering="pk")
    def since(self, row: Any) -> SafeString:
        return show.ago(row.created_at)


class WhenFilter(TimeFilter):
    title = "when"
    parameter_name = "when"
    with_older = True


class DoorFilter(ChoiceFilter):
    title = "door"
    parameter_name = "door"

    def lookups(self, request: HttpRequest, model_admin: Any) -> Sequence[tuple[str, str]]:
        return [(door.value, door.value) for door in Door]

    def narrow(self, queryset: QuerySet, value: str) -> QuerySet:
        return queryset.filter(door=value)


class EventFilter(ChoiceFilter):
    title = "what"
    parameter_name = "what"

    def lookups(self, request: HttpRequest, model_admin: Any) -> Sequence[tuple[str, str]]:
        return [(event.value, event.value) for event in ClaimEvent.Event]

    def narrow(self, queryset: QuerySet, value: str) -> QuerySet:
        return queryset.filter(event=value)


class SubjectFilter(ChoiceFilter):
    title = "what"
    parameter_name = "what"

    def lookups(self, request: HttpRequest, model_admin: Any) -> Sequence[tuple[str, str]]:
        return [(subject.value, subject.value) for subject in ProviderEvent.Subject]

    def narrow(self, queryset: QuerySet, value: str) -> QuerySet:
        return queryset.filter(subject=value)


class HistoryAdmin(ReadOnlyModelAdmin):
    list_display_links = ("when",)
    # Newest first is the order of the key: any other would sort the whole history.
    ordering = ("-pk",)
    sortable_by = ()

    def enrich(self, rows: Sequence[Any]) -> None:
        names = links.names_of(row.provider_uuid for row in rows)
        for row in rows:
            row.provider_name = names.get(row.provider_uuid, "")

    @admin.display(description="when")
    def when(self, row: Any) -> SafeString:
        return show.ago(row.created_at)

    @admin.display(description="provider")
    def provider(self, row: Any) -> SafeString:
        return links.provider(row.provider_uuid, row.provider_name)

    @admin.display(description="who")
    def who(self, row: Any) -> SafeString:
        reason = format_html("<br><em>“{}”</em>", row.reason) if row.reason else ""
        return format_html('{} <span class="cs-quiet">{}</span>{}', row.actor or "–", row.door, reason)

    @admin.display(description="request")
    def by_request(self, row: Any) -> SafeString:
        return show.uuid(row.request_id, label=row.request_id[:12])


@admin.register(ClaimEvent)
class ClaimEventAdmin(HistoryAdmin):
    menu_name = "History of claims"
    menu_position = 10
    list_display = ("when", "event", "consumer", "provider", "what", "who", "by_request")
    list_filter = (
        EventFilter,
        text_filter("consumer", "consumer_uuid", is_uuid=True),
        text_filter("provider", "provider_uuid", is_uuid=True),
        text_filter("project", "project_id", is_uuid=True),
        text_filter("actor", "actor"),
        text_filter("request", "request_id"),
        DoorFilter,
        WhenFilter,
    )
    search_uuids = ("consumer_uuid", "provider_uuid")
    search_help_text = "uuid of a consumer or a provider"
    empty_text = "Every claim, change and release leaves a line here, in the transaction that made it."

    @admin.display(description="consumer")
    def consumer(self, row: Any) -> SafeString:
        return links.consumer(row.consumer_uuid)

    @admin.display(description="what")
    def what(self, row: Any) -> str:
        return timeline.what(row)


@admin.register(ProviderEvent)
class ProviderEventAdmin(HistoryAdmin):
    menu_name = "History of providers"
    menu_position = 11
    list_display = ("when", "subject", "provider", "what", "who", "by_request")
    list_filter = (
        SubjectFilter,
        text_filter("provider", "provider_uuid", is_uuid=True),
        text_filter("actor", "actor"),
        text_filter("request", "request_id"),
        DoorFilter,
        WhenFilter,
    )
    search_uuids = ("provider_uuid",)
    search_help_text = "uuid of a provider"
    empty_text = "Every change of a provider's name, place, inventories, traits and aggregates leaves a line here."

    @admin.display(description="what")
    def what(self, row: Any) -> str:
        return timeline.differences(row)
