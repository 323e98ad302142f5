from __future__ import annotations

from django.contrib import admin

from claimsite.foundation.admin.pages import ReadOnlyModelAdmin
from placement_app.models import Allocation, ClaimEvent


@admin.register(Allocation)
class AllocationAdmin(ReadOnlyModelAdmin):
    list_display = ["consumer_id", "provider", "resource_class_id", "used"]
    list_select_related = ["provider"]


@admin.register(ClaimEvent)
class ClaimEventAdmin(ReadOnlyModelAdmin):
    list_display = ["created_at", "event", "consumer_uuid", "provider_uuid"]
