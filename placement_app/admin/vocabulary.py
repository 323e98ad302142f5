"""Inventories, and the words that they and their providers are described with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.contrib import admin
from django.db.models import Count, QuerySet, Sum
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString

from claimsite.foundation.admin import show
from claimsite.foundation.admin.lists import ChoiceFilter, text_filter
from claimsite.foundation.admin.pages import ReadOnlyModelAdmin
from placement_app.admin import links
from placement_app.admin.of_provider import OfProviderAdmin
from placement_app.admin.provider_acts import EditInventory, RemoveInventory
from placement_app.admin.providers import EXTENT, SHARE, FullnessFilter
from placement_app.models import Inventory, ProviderAggregate, ProviderTrait, ResourceClass, Trait
from placement_app.models.vocabulary import FIRST_CUSTOM_ID


class InventoryFullness(FullnessFilter):
    title = "fullness"

    def narrow(self, queryset: QuerySet, value: str) -> QuerySet:
        if value == "empty":
            return queryset.filter(used=0)
        return queryset.filter(self.conditions[value]) if value in self.conditions else queryset.none()


@admin.register(Inventory)
class InventoryAdmin(OfProviderAdmin):
    menu_position = 4
    acts = (EditInventory, RemoveInventory)
    list_display = ("shown_provider", "shown_class", "fullness", "total", "reserved", "ratio", "changed")
    list_display_links = ("shown_class",)
    list_filter = (
        text_filter("class", "resource_class"),
        text_filter("provider", "provider__uuid", is_uuid=True),
        InventoryFullness,
    )
    empty_text = "An inventory says how much of one class a provider has, and under which rules it may be claimed."

    @admin.display(description="used of capacity", ordering=SHARE)
    def fullness(self, row: Any) -> SafeString:
        return show.bar(row.used, row.extent, row.resource_class_id)

    @admin.display(description="ratio", ordering="allocation_ratio")
    def ratio(self, row: Any) -> str:
        return show.number(row.allocation_ratio)

    @admin.display(description="changed", ordering="updated_at")
    def changed(self, row: Any) -> SafeString:
        return show.ago(row.updated_at)

    def page_context(self, request: HttpRequest, row: Any) -> Mapping[str, Any]:
        fields = [("Used of capacity", show.bar(row.used, row.extent, row.resource_class_id))]
        return {
            "title": f"{row.resource_class_id} of {row.provider.name}",
            "fields": [*fields, *self.fields_of(row)],
        }

    def commands(self, row: Any) -> Sequence[str]:
        return [f"openstack resource provider inventory show {row.provider.uuid} {row.resource_class_id}"]


class KindFilter(ChoiceFilter):
    title = "kind"
    parameter_name = "kind"

    def lookups(self, request: HttpRequest, model_admin: Any) -> Sequence[tuple[str, str]]:
        return [("custom", "custom"), ("standard", "standard")]

    def narrow(self, queryset: QuerySet, value: str) -> QuerySet:
        comparison = "gte" if value == "custom" else "lt"
        return queryset.filter(**{f"pk__{comparison}": FIRST_CUSTOM_ID})


class NameAdmin(ReadOnlyModelAdmin):
    list_filter = (KindFilter,)
    search_texts = ("name",)
    search_help_text = "part of the name"
    export_fields = ("name", "created_at")
    ordering = ("pk",)

    @admin.display(description="kind", ordering="pk")
    def kind(self, row: Any) -> str:
        return "standard" if row.is_standard else "custom"


@admin.register(ResourceClass)
class ResourceClassAdmin(NameAdmin):
    menu_position = 5
    list_display = ("name", "kind", "fullness", "providers")
    list_command = "openstack resource class list"

    def enrich(self, rows: Sequence[Any]) -> None:
        found = usage_by_class([row.name for row in rows])
        for row in rows:
            row.usage = found.get(row.name, (0, 0, 0.0))

    @admin.display(description="used of capacity")
    def fullness(self, row: Any) -> SafeString:
        providers, used, capacity = row.usage
        return show.bar(used, capacity, row.name) if providers else show.NOTHING

    @admin.display(description="providers")
    def providers(self, row: Any) -> SafeString:
        url = links.list_url("resourceprovider", **{"class": row.name})
        return format_html('<a href="{}">{}</a>', url, show.number(row.usage[0])) if row.usage[0] else show.NOTHING


@admin.register(Trait)
class TraitAdmin(NameAdmin):
    menu_position = 6
    list_display = ("name", "kind", "providers")
    list_command = "openstack trait list"

    def enrich(self, rows: Sequence[Any]) -> None:
        names = [row.name for row in rows]
        counted = ProviderTrait.objects.filter(trait__in=names).values_list("trait_id").annotate(Count("pk"))
        counts = dict(counted.order_by())
        for row in rows:
            row.count = counts.get(row.name, 0)

    @admin.display(description="providers")
    def providers(self, row: Any) -> SafeString:
        url = links.list_url("resourceprovider", trait=row.name)
        return format_html('<a href="{}">{}</a>', url, show.number(row.count)) if row.count else show.NOTHING


@admin.register(ProviderTrait)
class ProviderTraitAdmin(OfProviderAdmin):
    menu_name = "Traits of providers"
    menu_position = 7
    list_display = ("shown_trait", "shown_provider")
    list_filter = (text_filter("trait", "trait"), text_filter("provider", "provider__uuid", is_uuid=True))
    empty_text = "No provider has a trait. Traits say what a provider can: HW_CPU_X86_AVX2, CUSTOM_FAST."

    @admin.display(description="trait", ordering="trait")
    def shown_trait(self, row: Any) -> str:
        return row.trait_id


@admin.register(ProviderAggregate)
class ProviderAggregateAdmin(OfProviderAdmin):
    menu_name = "Aggregates"
    menu_position = 8
    list_display = ("aggregate", "shown_provider")
    list_display_links = None
    list_filter = (
        text_filter("aggregate", "aggregate_uuid", is_uuid=True),
        text_filter("provider", "provider__uuid", is_uuid=True),
    )
    search_uuids = ("aggregate_uuid", "provider__uuid")
    search_help_text = "aggregate's uuid, or a provider's name or uuid"
    empty_text = "No provider is in an aggregate. An aggregate is nothing but a uuid that providers have in common."

    @admin.display(description="aggregate", ordering="aggregate_uuid")
    def aggregate(self, row: Any) -> SafeString:
        return show.uuid(row.aggregate_uuid, links.list_url("resourceprovider", aggregate=row.aggregate_uuid))


_FIRST = ("VCPU", "PCPU", "MEMORY_MB", "DISK_GB")

Usage = tuple[int, int, float]
"""Number of providers, sum of what is used, sum of how much there is."""


def ranked(usages: Mapping[str, Usage]) -> dict[str, Usage]:
    """What everybody asks for first, then what is claimed, then what most have; last what nobody can have."""

    def place(item: tuple[str, Usage]) -> tuple[bool, int, bool, int, str]:
        name, (providers, used, there_is) = item
        first = _FIRST.index(name) if name in _FIRST else len(_FIRST)
        return (not there_is and not used, first, not used, -providers, name)

    return dict(sorted(usages.items(), key=place))


def usage_by_class(names: Sequence[str] | None = None) -> dict[str, Usage]:
    """One query over the inventories."""
    rows = Inventory.objects.all() if names is None else Inventory.objects.filter(resource_class__name__in=names)
    sums = rows.values_list("resource_class_id").annotate(Count("pk"), Sum("used"), there_is=Sum(EXTENT)).order_by()
    return {name: (count, int(used), float(extent)) for name, count, used, extent in sums}
