from __future__ import annotations

from django.contrib import admin

from claimsite.foundation.admin.pages import ReadOnlyModelAdmin
from placement_app.models import Inventory, ProviderAggregate, ProviderTrait, ResourceClass, Trait


@admin.register(Inventory)
class InventoryAdmin(ReadOnlyModelAdmin):
    list_display = ["provider", "resource_class_id", "total", "used"]
    list_select_related = ["provider"]


@admin.register(ResourceClass)
class ResourceClassAdmin(ReadOnlyModelAdmin):
    list_display = ["name"]


@admin.register(Trait)
class TraitAdmin(ReadOnlyModelAdmin):
    list_display = ["name"]


@admin.register(ProviderTrait)
class ProviderTraitAdmin(ReadOnlyModelAdmin):
    list_display = ["provider", "trait_id"]
    list_select_related = ["provider"]


@admin.register(ProviderAggregate)
class ProviderAggregateAdmin(ReadOnlyModelAdmin):
    list_display = ["aggregate_uuid", "provider"]
    list_select_related = ["provider"]
