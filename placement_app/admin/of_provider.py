"""Lists of rows that each say one thing of a provider: its inventories, traits, aggregates and allocations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from django.contrib import admin
from django.utils.safestring import SafeString

from claimsite.foundation.admin.pages import ReadOnlyModelAdmin
from placement_app.admin import links


class OfProviderAdmin(ReadOnlyModelAdmin):
    list_select_related: ClassVar[Sequence[str]] = ("provider",)
    search_uuids: ClassVar[Sequence[str]] = ("provider__uuid",)
    search_texts: ClassVar[Sequence[str]] = ("provider__name",)
    search_help_text = "name or uuid of the provider"

    @admin.display(description="provider", ordering="provider__name")
    def shown_provider(self, row: Any) -> SafeString:
        return links.provider(row.provider.uuid, row.provider.name)

    @admin.display(description="class", ordering="resource_class")
    def shown_class(self, row: Any) -> str:
        return row.resource_class_id
