"""Consumers: who holds what, since when, and how it came to that."""

from __future__ import annotations

from django.contrib import admin

from claimsite.foundation.admin.pages import ReadOnlyModelAdmin
from placement_app.models import Consumer


@admin.register(Consumer)
class ConsumerAdmin(ReadOnlyModelAdmin):
    list_display = ["uuid", "project_id", "user_id", "consumer_type", "generation", "created_at"]
    search_uuids = ["uuid"]
    empty_text = "Consumers are whoever holds allocations. One exists exactly while it holds some."
