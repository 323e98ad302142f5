"""Every answer carries ``x-openstack-request-id``; what the client calls its own request is kept for the records."""

from __future__ import annotations

import uuid
from collections.abc import Callable

from django.http import HttpRequest, HttpResponseBase

HEADER = "x-openstack-request-id"


class RequestIdMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        request.request_id = f"req-{uuid.uuid4()}"  # type: ignore[attr-defined]
        response = self.get_response(request)
        response.headers.setdefault(HEADER, request.request_id)  # type: ignore[attr-defined]
        return response


def request_id(request: HttpRequest) -> str:
    return getattr(request, "request_id", "")
