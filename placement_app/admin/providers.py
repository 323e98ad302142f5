"""Providers: what there is, how full it is, and who fills it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from django.contrib import admin
from django.db.models import Case, Exists, F, FloatField, OuterRef, Q, QuerySet, When
from django.db.models.functions import Cast, NullIf
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString

from claimsite.foundation.admin import show
from claimsite.foundation.admin.acts import Act
from claimsite.foundation.admin.lists import ChoiceFilter, TextFilter
from claimsite.foundation.admin.pages import ReadOnlyModelAdmin
from claimsite.foundation.uuids import canonical_or_same, canonical_uuid
from placement_app.admin import forest, links, timeline, who
from placement_app.admin.provider_acts import AddInventory, EditAggregates, EditTraits, ReserveAll
from placement_app.models import Inventory, ProviderAggregate, ProviderTrait, ResourceProvider

MOST_HOLDERS = 50

CAPACITY = (F("total") - F("reserved")) * F("allocation_ratio")
# The same as Inventory.is_overdrawn and Inventory.extent.
SHUT = Q(reserved__gte=F("total"), used__lte=F("total") * F("allocation_ratio"))
OVERDRAWN = Q(used__gt=CAPACITY) & ~SHUT
USED = Cast(F("used"), FloatField())
EXTENT = Case(When(SHUT, then=USED), default=CAPACITY, output_field=FloatField())
SHARE = USED / NullIf(EXTENT, 0.0)
"""How full a stock is; NULL where nothing can be had and nobody has anything."""


class FullnessFilter(ChoiceFilter):
    """By any one of its classes."""

    title = "fullness"
    parameter_name = "full"
    conditions = {
        "over": OVERDRAWN,
        "full": Q(used__gte=CAPACITY, used__gt=0),
        "high": Q(used__gte=CAPACITY * 0.8, used__gt=0),
        "used": Q(used__gt=0),
    }

    def lookups(self, request: HttpRequest, model_admin: Any) -> Sequence[tuple[str, str]]:
        return [
            ("over", "over capacity"),
            ("full", "full"),
            ("high", "80 % and more"),
            ("used", "claimed at all"),
            ("empty", "empty"),
        ]

    def narrow(self, queryset: QuerySet, value: str) -> QuerySet:
        stocks = Inventory.objects.filter(provider=OuterRef("pk"))
        if value == "empty":
            return queryset.filter(~Exists(stocks.filter(self.conditions["used"])))
        if value not in self.conditions:
            return queryset.none()
        return queryset.filter(Exists(stocks.filter(self.conditions[value])))


class PlaceFilter(ChoiceFilter):
    title = "place"
    parameter_name = "place"

    def lookups(self, request: HttpRequest, model_admin: Any) -> Sequence[tuple[str, str]]:
        return [("root", "roots of trees"), ("child", "below others")]

    def narrow(self, queryset: QuerySet, value: str) -> QuerySet:
        return queryset.filter(parent__isnull=value == "root")


class ClassFilter(TextFilter):
    title = "has class"
    parameter_name = "class"

    def narrow(self, queryset: QuerySet, value: str) -> QuerySet:
        of_class = Inventory.objects.filter(provider=OuterRef("pk"), resource_class__name=value.upper())
        return queryset.filter(Exists(of_class))


class TraitFilter(TextFilter):
    title = "has trait"
    parameter_name = "trait"

    def narrow(self, queryset: QuerySet, value: str) -> QuerySet:
        return queryset.filter(Exists(ProviderTrait.objects.filter(provider=OuterRef("pk"), trait__name=value.upper())))


class AggregateFilter(TextFilter):
    title = "in aggregate"
    parameter_name = "aggregate"

    def narrow(self, queryset: QuerySet, value: str) -> QuerySet:
        membership = ProviderAggregate.objects.filter(provider=OuterRef("pk"), aggregate_uuid=canonical_or_same(value))
        return queryset.filter(Exists(membership))


class TreeFilter(TextFilter):
    title = "in tree of"
    parameter_name = "tree"

    def narrow(self, queryset: QuerySet, value: str) -> QuerySet:
        canonical = canonical_uuid(value)
        named = Q(uuid=canonical) if canonical else Q(name=value)
        return queryset.filter(root__in=ResourceProvider.objects.filter(named).values("root"))


@admin.register(ResourceProvider)
class ProviderAdmin(ReadOnlyModelAdmin):
    menu_name = "Providers"
    menu_position = 2
    page_template = "admin/placement_app/provider.html"
    acts: ClassVar[Sequence[type[Act]]] = (EditTraits, EditAggregates, AddInventory, ReserveAll)
    list_display = ("shown_name", "short", "stocks", "generation", "place", "changed")
    list_display_links = None
    list_filter: Sequence[type[ChoiceFilter | TextFilter]] = (
        FullnessFilter,
        PlaceFilter,
        ClassFilter,
        TraitFilter,
        AggregateFilter,
        TreeFilter,
    )
    ordering = ("name",)
    search_uuids = ("uuid",)
    search_texts = ("name",)
    search_help_text = "name, or uuid or its beginning"
    empty_text = (
        "Providers are what has resources: hosts, NUMA nodes of hosts, shared storage, bare-metal nodes. Nova and its "
        "like make them; `manage.py load_machines` makes some of real machines."
    )
    list_command = "openstack resource provider list"

    # --- the list ----------------------------------------------------------------------------------------------------
    def enrich(self, rows: Sequence[Any]) -> None:
        stocks: dict[int, list[Inventory]] = defaultdict(list)
        inventories = Inventory.objects.filter(provider__in=[row.pk for row in rows])
        for inventory in inventories.order_by("resource_class__id"):
            stocks[inventory.provider_id].append(inventory)
        above = links.names_of(row.parent_id for row in rows)
        for row in rows:
            row.stocks, row.parent_name = stocks.get(row.pk, []), above.get(row.parent_id, "")

    @admin.display(description="name", ordering="name")
    def shown_name(self, row: Any) -> SafeString:
        return format_html(
            '<a class="cs-name" href="{}" title="{}">{}</a>', links.provider_url(row.uuid), row.name, row.name
        )

    @admin.display(description="uuid", ordering="uuid")
    def short(self, row: Any) -> SafeString:
        return show.uuid(row.uuid)

    @admin.display(description="used of capacity")
    def stocks(self, row: Any) -> SafeString:
        return show.lines(
            [
                format_html(
                    '<span class="cs-stock"><span class="cs-stock-name">{}</span> {}</span>',
                    stock.resource_class_id,
                    show.bar(stock.used, stock.extent, stock.resource_class_id),
                )
                for stock in row.stocks
            ]
        )

    @admin.display(description="below", ordering="parent")
    def place(self, row: Any) -> SafeString:
        return links.provider(row.parent_id or "", row.parent_name)

    @admin.display(description="changed", ordering="updated_at")
    def changed(self, row: Any) -> SafeString:
        return show.ago(row.updated_at)

    # --- the page ----------------------------------------------------------------------------------------------------
    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Any:
        """By uuid in any spelling, or by key."""
        if canonical := canonical_uuid(object_id):
            return ResourceProvider.objects.filter(uuid=canonical).first()
        if object_id.isdecimal() and len(object_id) < 19:
            return ResourceProvider.objects.filter(pk=int(object_id)).first()
        return None

    def url_of(self, row: Any) -> str:
        return links.provider_url(row.uuid)

    def page_context(self, request: HttpRequest, row: Any) -> Mapping[str, Any]:
        holders = forest.holders_of(row, MOST_HOLDERS + 1)
        inventories = list(row.inventories.order_by("resource_class__id"))
        is_over = any(stock.is_overdrawn(stock.used) for stock in inventories)
        return {
            "title": row.name,
            "tree": forest.tree_of(row),
            "inventories": inventories,
            "why_over": who.overdrew(row.uuid) if is_over else "",
            "traits": list(row.provider_traits.order_by("trait__id").values_list("trait_id", flat=True)),
            "aggregates": forest.aggregates_of(row),
            "sharing": forest.sharing_with(row),
            "holders": holders[:MOST_HOLDERS],
            "more_holders": len(holders) > MOST_HOLDERS,
            "timeline": timeline.of_provider(row.uuid, request.GET.get("older", "")),
            "side": "provider",
        }

    def commands(self, row: Any) -> Sequence[str]:
        return [f"manage.py whohas {row.uuid}", f"openstack resource provider show --allocations {row.uuid}"]
