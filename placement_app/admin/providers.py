"""Providers: what there is, how full it is, and who fills it."""

from __future__ import annotations

from django.contrib import admin

from claimsite.foundation.admin.pages import ReadOnlyModelAdmin
from placement_app.models import ResourceProvider


@admin.register(ResourceProvider)
class ProviderAdmin(ReadOnlyModelAdmin):
    list_display = ["name", "uuid", "generation", "updated_at"]
    search_uuids = ["uuid"]
    search_texts = ["name"]
    empty_text = "Providers are what has resources: hosts, NUMA nodes, shared storage."
