from __future__ import annotations

from django.contrib import admin

from claimsite.foundation.admin.pages import ReadOnlyModelAdmin
from placement_app.models import ConflictRecord


@admin.register(ConflictRecord)
class ConflictAdmin(ReadOnlyModelAdmin):
    list_display = ["created_at", "reason", "consumer_uuid", "provider_uuid"]
