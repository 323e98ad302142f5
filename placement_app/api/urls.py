"""Placement's routes. A path part is any text: what is wrong with it is for the handler to say."""

from __future__ import annotations

from django.urls import path, re_path

from placement_app.api.viewsets.allocations import (
    AllocationListViewSet,
    AllocationViewSet,
    ProviderAllocationsViewSet,
)
from placement_app.api.viewsets.base import UnknownPath
from placement_app.api.viewsets.root import RootViewSet
from placement_app.api.viewsets.traits import TraitListViewSet, TraitViewSet

app_name = "placement"

root = RootViewSet.as_view({"get": "retrieve"})

urlpatterns = [
    path("", root, name="root"),
    path("traits", TraitListViewSet.as_view({"get": "list"}), name="traits"),
    path(
        "traits/<str:name>",
        TraitViewSet.as_view({"get": "retrieve", "put": "update", "delete": "destroy"}),
        name="trait",
    ),
    path("allocations", AllocationListViewSet.as_view({"post": "create"}), name="allocations"),
    path(
        "allocations/<str:consumer_uuid>",
        AllocationViewSet.as_view({"get": "retrieve", "put": "update", "delete": "destroy"}),
        name="allocation",
    ),
    path(
        "resource_providers/<str:uuid>/allocations",
        ProviderAllocationsViewSet.as_view({"get": "list"}),
        name="provider-allocations",
    ),
    # Last: whatever nobody knows.
    re_path("", UnknownPath.as_view({"get": "not_found"})),
]
