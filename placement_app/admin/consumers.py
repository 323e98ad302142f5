"""Consumers: who holds what, since when, and how it came to that."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from django.contrib import admin
from django.db.models import Exists, OuterRef, QuerySet
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString

from claimsite.foundation.admin import show
from claimsite.foundation.admin.lists import ChoiceFilter, NumberFilter, TextFilter, TimeFilter, text_filter
from claimsite.foundation.admin.pages import ReadOnlyModelAdmin
from claimsite.foundation.uuids import canonical_uuid
from placement_app.admin import links, timeline
from placement_app.admin.consumer_acts import ClaimAgain, MoveOwner, ReleaseClaims
from placement_app.models import Allocation, ClaimEvent, ConflictRecord, Consumer

SHOWN_IN_LIST = 3
MOST_ALLOCATIONS = 200


class TypeFilter(TextFilter):
    title = "type"
    parameter_name = "type"

    def narrow(self, queryset: QuerySet, value: str) -> QuerySet:
        return queryset.filter(consumer_type=None if value.lower() == "unknown" else value)


class AgeFilter(TimeFilter):
    title = "made"
    parameter_name = "age"


class HoldsFilter(ChoiceFilter):
    """A consumer that holds nothing is a leftover from before claimsite, or a fault."""

    title = "holds"
    parameter_name = "holds"

    def lookups(self, request: HttpRequest, model_admin: Any) -> Sequence[tuple[str, str]]:
        return [("something", "something"), ("nothing", "nothing")]

    def narrow(self, queryset: QuerySet, value: str) -> QuerySet:
        held = Exists(Allocation.objects.filter(consumer=OuterRef("pk")))
        return queryset.filter(held if value == "something" else ~held)


class GenerationFilter(NumberFilter):
    title = "generation (or >3)"
    parameter_name = "generation"
    field = "generation"


class OfProviderFilter(TextFilter):
    title = "on provider"
    parameter_name = "provider"

    def narrow(self, queryset: QuerySet, value: str) -> QuerySet:
        canonical = canonical_uuid(value)
        of = {"provider__uuid": canonical} if canonical else {"provider__name": value}
        # From the provider's side: its allocations are few, consumers are not.
        return queryset.filter(pk__in=Allocation.objects.filter(**of).values("consumer"))


@admin.register(Consumer)
class ConsumerAdmin(ReadOnlyModelAdmin):
    menu_position = 1
    page_template = "admin/placement_app/consumer.html"
    acts = (ReleaseClaims, MoveOwner, ClaimAgain)
    list_display = ("short", "holds", "project", "user", "type", "generation", "made")
    list_display_links = None
    list_filter = (
        text_filter("project", "project_id", is_uuid=True),
        text_filter("user", "user_id", is_uuid=True),
        TypeFilter,
        OfProviderFilter,
        GenerationFilter,
        AgeFilter,
        HoldsFilter,
    )
    ordering = ("-created_at",)
    search_uuids = ("uuid",)
    search_help_text = "uuid in any spelling, or its beginning"
    empty_text = (
        "Consumers are whoever holds allocations: instances, migrations, owners of nodes. One exists exactly while "
        "it holds some; what it did before is still found by its uuid."
    )

    # --- the list ----------------------------------------------------------------------------------------------------
    def enrich(self, rows: Sequence[Any]) -> None:
        held: dict[str, list[Allocation]] = defaultdict(list)
        allocations = Allocation.objects.filter(consumer__in=[row.pk for row in rows]).select_related("provider")
        for allocation in allocations.order_by("pk"):
            held[allocation.consumer_id].append(allocation)
        for row in rows:
            row.held = held.get(row.pk, [])

    @admin.display(description="consumer", ordering="uuid")
    def short(self, row: Any) -> SafeString:
        return links.consumer(row.uuid)

    @admin.display(description="holds")
    def holds(self, row: Any) -> SafeString:
        amounts: dict[tuple[str, str], dict[str, int]] = defaultdict(dict)
        for allocation in row.held:
            key = (allocation.provider.uuid, allocation.provider.name)
            amounts[key][allocation.resource_class_id] = allocation.used
        if not amounts:
            return show.chip("nothing", "warn")
        shown = [
            format_html("{} {}", links.provider(*key), show.amounts(of_one))
            for key, of_one in list(amounts.items())[:SHOWN_IN_LIST]
        ]
        if len(amounts) > SHOWN_IN_LIST:
            shown.append(format_html("and on {} more", len(amounts) - SHOWN_IN_LIST))
        return show.lines(shown)

    @admin.display(description="project", ordering="project_id")
    def project(self, row: Any) -> SafeString:
        return show.uuid(row.project_id, links.list_url("consumer", project=row.project_id))

    @admin.display(description="user", ordering="user_id")
    def user(self, row: Any) -> SafeString:
        return show.uuid(row.user_id, links.list_url("consumer", user=row.user_id))

    @admin.display(description="type", ordering="consumer_type")
    def type(self, row: Any) -> str:
        return row.consumer_type or "unknown"

    @admin.display(description="made", ordering="created_at")
    def made(self, row: Any) -> SafeString:
        return show.ago(row.created_at)

    # --- the page ----------------------------------------------------------------------------------------------------
    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Consumer | None:
        """In any spelling. One that is gone is remembered by what it did: the story is what operators look for."""
        uuid = canonical_uuid(object_id) or object_id.replace("\0", "")
        return Consumer.objects.filter(uuid=uuid).first() or _remembered(uuid)

    def page_context(self, request: HttpRequest, row: Any) -> Mapping[str, Any]:
        held = list(
            Allocation.objects.filter(consumer_id=row.uuid)
            .select_related("provider")
            .order_by("pk")[: MOST_ALLOCATIONS + 1]
        )
        return {
            "title": f"Consumer {row.uuid}",
            "held": held[:MOST_ALLOCATIONS],
            "more_held": len(held) > MOST_ALLOCATIONS,
            "is_gone": row._state.adding,
            "timeline": timeline.of_consumer(row.uuid, request.GET.get("older", "")),
            "side": "consumer",
        }

    def commands(self, row: Any) -> Sequence[str]:
        return [f"manage.py whohas {row.uuid}", f"openstack resource provider allocation show {row.uuid}"]


def _remembered(uuid: str) -> Consumer | None:
    """The consumer as its last line of history has it; the instance is not of the table."""
    event = ClaimEvent.objects.filter(consumer_uuid=uuid).order_by("-pk").first()
    if event is not None:
        return Consumer(
            uuid=uuid,
            generation=event.consumer_generation,
            project_id=event.project_id,
            user_id=event.user_id,
            consumer_type=event.consumer_type,
            updated_at=event.created_at,
        )
    record = ConflictRecord.objects.filter(consumer_uuid=uuid).order_by("-pk").first()
    if record is None:
        return None
    return Consumer(
        uuid=uuid,
        project_id=record.facts.get("project", ""),
        user_id=record.facts.get("user", ""),
        updated_at=record.created_at,
    )
