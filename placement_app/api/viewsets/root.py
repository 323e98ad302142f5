from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from rest_framework.request import Request

from placement_app.api import features
from placement_app.api.viewsets.base import PlacementViewSet, modified_now


class RootViewSet(PlacementViewSet):
    """The version document. It needs no token: clients read it to find out how to get one."""

    checks_accept = False

    def check_caller(self, request: Request) -> None:
        """Open to everybody."""

    def retrieve(self, request: Request, **_: Any) -> HttpResponse:
        version = {
            "id": "v1.0",
            "min_version": str(features.OLDEST),
            "max_version": str(features.NEWEST),
            "status": "CURRENT",
            "links": [{"rel": "self", "href": ""}],
        }
        return self.answer({"versions": [version]}, last_modified=modified_now())
