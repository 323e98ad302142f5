from __future__ import annotations

from django.urls import path

from claimsite.operations.api.claims import ClaimListViewSet, ClaimViewSet
from placement_app.api import converters  # noqa: F401  registers the path converter any_uuid

app_name = "operations"

urlpatterns = [
    path("claims", ClaimListViewSet.as_view({"post": "create"}), name="claims"),
    path(
        "claims/<any_uuid:instance_uuid>",
        ClaimViewSet.as_view({"get": "retrieve", "delete": "destroy"}),
        name="claim",
    ),
]
