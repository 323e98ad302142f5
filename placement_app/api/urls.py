"""Placement's routes. A path part is any text: what is wrong with it is for the handler to say."""

from __future__ import annotations

from django.urls import path, re_path

from placement_app.api import converters  # noqa: F401  registers the path converter any_uuid
from placement_app.api.viewsets.aggregates import AggregateViewSet
from placement_app.api.viewsets.allocations import (
    AllocationListViewSet,
    AllocationViewSet,
    ProviderAllocationsViewSet,
)
from placement_app.api.viewsets.base import UnknownPath
from placement_app.api.viewsets.candidates import AllocationCandidateViewSet
from placement_app.api.viewsets.explain import ExplainedCandidateViewSet
from placement_app.api.viewsets.inventories import InventoryListViewSet, InventoryViewSet
from placement_app.api.viewsets.provider_traits import ProviderTraitViewSet
from placement_app.api.viewsets.providers import ProviderListViewSet, ProviderViewSet
from placement_app.api.viewsets.reshaper import ReshaperViewSet
from placement_app.api.viewsets.resource_classes import ResourceClassListViewSet, ResourceClassViewSet
from placement_app.api.viewsets.root import RootViewSet
from placement_app.api.viewsets.traits import TraitListViewSet, TraitViewSet
from placement_app.api.viewsets.usages import ProviderUsageViewSet, UsageViewSet

app_name = "placement"

root = RootViewSet.as_view({"get": "retrieve"})

urlpatterns = [
    path("", root, name="root"),
    path(
        "resource_providers",
        ProviderListViewSet.as_view({"get": "list", "post": "create"}),
        name="resource_providers",
    ),
    path(
        "resource_providers/<any_uuid:uuid>",
        ProviderViewSet.as_view({"get": "retrieve", "put": "update", "delete": "destroy"}),
        name="resource_provider",
    ),
    path(
        "resource_providers/<any_uuid:uuid>/inventories",
        InventoryListViewSet.as_view({"get": "list", "post": "create", "put": "update", "delete": "destroy"}),
        name="inventories",
    ),
    path(
        "resource_providers/<any_uuid:uuid>/inventories/<text:resource_class>",
        InventoryViewSet.as_view({"get": "retrieve", "put": "update", "delete": "destroy"}),
        name="inventory",
    ),
    path(
        "resource_providers/<any_uuid:uuid>/aggregates",
        AggregateViewSet.as_view({"get": "list", "put": "update"}),
        name="aggregates",
    ),
    path(
        "resource_providers/<any_uuid:uuid>/traits",
        ProviderTraitViewSet.as_view({"get": "list", "put": "update", "delete": "destroy"}),
        name="provider-traits",
    ),
    path(
        "resource_providers/<any_uuid:uuid>/usages",
        ProviderUsageViewSet.as_view({"get": "list"}),
        name="provider-usages",
    ),
    path("usages", UsageViewSet.as_view({"get": "list"}), name="usages"),
    path(
        "resource_classes",
        ResourceClassListViewSet.as_view({"get": "list", "post": "create"}),
        name="resource_classes",
    ),
    path(
        "resource_classes/<text:name>",
        ResourceClassViewSet.as_view({"get": "retrieve", "put": "update", "delete": "destroy"}),
        name="resource_class",
    ),
    path("traits", TraitListViewSet.as_view({"get": "list"}), name="traits"),
    path(
        "traits/<text:name>",
        TraitViewSet.as_view({"get": "retrieve", "put": "update", "delete": "destroy"}),
        name="trait",
    ),
    path("allocations", AllocationListViewSet.as_view({"post": "create"}), name="allocations"),
    path(
        "allocations/<any_uuid:consumer_uuid>",
        AllocationViewSet.as_view({"get": "retrieve", "put": "update", "delete": "destroy"}),
        name="allocation",
    ),
    path(
        "resource_providers/<any_uuid:uuid>/allocations",
        ProviderAllocationsViewSet.as_view({"get": "list"}),
        name="provider-allocations",
    ),
    path(
        "allocation_candidates",
        AllocationCandidateViewSet.as_view({"get": "list"}),
        name="allocation_candidates",
    ),
    # Not a path of any version of Placement.
    path(
        "explain/allocation_candidates",
        ExplainedCandidateViewSet.as_view({"get": "list"}),
        name="explain_allocation_candidates",
    ),
    path("reshaper", ReshaperViewSet.as_view({"post": "create"}), name="reshaper"),
    # Last: whatever nobody knows.
    re_path("", UnknownPath.as_view({"get": "not_found"})),
]
