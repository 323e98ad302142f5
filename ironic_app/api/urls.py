"""Ironic's routes. A path part is any text; ``/v1`` may be missing; one trailing slash is ignored."""

from __future__ import annotations

import re
from typing import Any

from django.urls import URLPattern, include, re_path

from ironic_app.api.viewsets.base import IronicViewSet, UnknownPath
from ironic_app.api.viewsets.root import RootViewSet, V1ViewSet

app_name = "ironic"


def route(path: str, view: type[IronicViewSet], **actions: Any) -> URLPattern:
    """``route("nodes/<node>/states", View, get="retrieve")``: method → name of the handler."""
    pattern = re.sub(r"<(\w+)>", r"(?P<\1>[^/]+)", path)
    return re_path(rf"^{pattern}/?\Z", view.as_view(actions), name=path)


root = RootViewSet.as_view({"get": "retrieve"})

resources: list[URLPattern] = []

urlpatterns = [
    re_path(r"^\Z", root, name="root"),
    route("v1", V1ViewSet, get="retrieve"),
    re_path(r"^(?:v1/)?", include(resources)),
    # Last: whatever nobody knows.
    re_path("", UnknownPath.as_view({"get": "not_found"})),
]
