"""An answer to HEAD has no body (RFC 9110): servers either warn of one or, worse, send it."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, HttpResponseBase


class HeadMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if request.method == "HEAD" and isinstance(response, HttpResponse):
            response.content = b""
        return response
