"""How an answer ends. Servers that are not told send the body in chunks, one system call more for each answer."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, HttpResponseBase

# These have no body to have a length.
BODILESS = frozenset({204, 304})


class FramingMiddleware:
    """The length of the body in a header; and none to HEAD, which servers warn of or, worse, send (RFC 9110)."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if not isinstance(response, HttpResponse):
            return response
        if request.method == "HEAD":
            response.content = b""
        elif response.status_code not in BODILESS:
            response.headers["Content-Length"] = str(len(response.content))
        return response
