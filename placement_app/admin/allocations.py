"""Allocations: each says that a consumer holds so much of one class of one provider."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.utils.safestring import SafeString

from claimsite.foundation.admin import show
from claimsite.foundation.admin.lists import TextFilter, text_filter
from claimsite.foundation.uuids import canonical_uuid
from placement_app.admin import links
from placement_app.admin.of_provider import OfProviderAdmin
from placement_app.models import Allocation


class ProviderFilter(TextFilter):
    title = "provider"
    parameter_name = "provider"

    def narrow(self, queryset: QuerySet, value: str) -> QuerySet:
        canonical = canonical_uuid(value)
        return queryset.filter(**({"provider__uuid": canonical} if canonical else {"provider__name": value}))


@admin.register(Allocation)
class AllocationAdmin(OfProviderAdmin):
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
    search_texts = ()
    search_help_text = "uuid of the consumer or the provider"
    empty_text = "An allocation says that a consumer holds so much of one class of one provider."

    @admin.display(description="consumer", ordering="consumer")
    def shown_consumer(self, row: Any) -> SafeString:
        return links.consumer(row.consumer_id)

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
