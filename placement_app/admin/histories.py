"""What happened, a line for each write: to claims, and to what providers are and have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.contrib import admin
from django.utils.html import format_html
from django.utils.safestring import SafeString

from claimsite.foundation.admin import show
from claimsite.foundation.admin.lists import TimeFilter, choice_filter, text_filter
from claimsite.foundation.admin.pages import ReadOnlyModelAdmin
from claimsite.foundation.origin import Door
from placement_app.admin import links, timeline
from placement_app.models import ClaimEvent, ProviderEvent


class HistoryAdmin(ReadOnlyModelAdmin):
    """Of something that happened to a consumer on a provider, by somebody. Rows are only ever added."""

    list_display_links: Sequence[str] = ("when",)
    # Newest first is the order of the key: any other would sort the whole history.
    ordering = ("-pk",)
    sortable_by = ()

    def enrich(self, rows: Sequence[Any]) -> None:
        names = links.names_of(row.provider_uuid for row in rows)
        digits = show.digits(row.consumer_uuid for row in rows if hasattr(row, "consumer_uuid"))
        for row in rows:
            row.digits = digits
            row.provider_name = names.get(row.provider_uuid, "")

    @admin.display(description="when")
    def when(self, row: Any) -> SafeString:
        return show.ago(row.created_at)

    @admin.display(description="consumer")
    def consumer(self, row: Any) -> SafeString:
        return links.consumer(row.consumer_uuid, row.digits)

    @admin.display(description="provider")
    def provider(self, row: Any) -> SafeString:
        return links.provider(row.provider_uuid, row.provider_name)

    @admin.display(description="who")
    def who(self, row: Any) -> SafeString:
        return format_html('{} <span class="cs-quiet">{}</span>', row.actor or "–", row.door)


class EventAdmin(HistoryAdmin):
    """Of writes that were done, and perhaps say why."""

    @admin.display(description="who")
    def who(self, row: Any) -> SafeString:
        return format_html("{}<br><em>“{}”</em>", super().who(row), row.reason) if row.reason else super().who(row)

    @admin.display(description="request")
    def by_request(self, row: Any) -> SafeString:
        return show.uuid(row.request_id, label=row.request_id[:12])


@admin.register(ClaimEvent)
class ClaimEventAdmin(EventAdmin):
    menu_name = "History of claims"
    menu_position = 10
    list_display = ("when", "event", "consumer", "provider", "what", "who", "by_request")
    list_filter = (
        choice_filter("what", "event", ClaimEvent.Event.values),
        text_filter("consumer", "consumer_uuid", is_uuid=True),
        text_filter("provider", "provider_uuid", is_uuid=True),
        text_filter("project", "project_id", is_uuid=True),
        text_filter("actor", "actor"),
        text_filter("request", "request_id"),
        choice_filter("door", "door", Door),
        TimeFilter,
    )
    search_uuids = ("consumer_uuid", "provider_uuid")
    search_help_text = "uuid of a consumer or a provider"
    empty_text = "Every claim, change and release leaves a line here, in the transaction that made it."

    @admin.display(description="what")
    def what(self, row: Any) -> str:
        return timeline.what(row)


@admin.register(ProviderEvent)
class ProviderEventAdmin(EventAdmin):
    menu_name = "History of providers"
    menu_position = 11
    list_display = ("when", "subject", "provider", "what", "who", "by_request")
    list_filter = (
        choice_filter("what", "subject", ProviderEvent.Subject.values),
        text_filter("provider", "provider_uuid", is_uuid=True),
        text_filter("actor", "actor"),
        text_filter("request", "request_id"),
        choice_filter("door", "door", Door),
        TimeFilter,
    )
    search_uuids = ("provider_uuid",)
    search_help_text = "uuid of a provider"
    empty_text = "Every change of a provider's name, place, inventories, traits and aggregates leaves a line here."

    @admin.display(description="what")
    def what(self, row: Any) -> str:
        return timeline.differences(row)
