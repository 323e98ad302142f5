"""Browsers of other sites may call the APIs, if CLAIMSITE_CORS_ALLOWED_ORIGIN names their origin. Never the admin.

Written here because the libraries for it answer differently from what OpenStack's services do: every OPTIONS on any
path of an API is answered with 200 before authentication and routing, and a refused one carries no header at all
(``django-cors-headers`` passes those on; ``oslo.middleware`` would wrap every answer of the whole site once more).
"""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.core.exceptions import MiddlewareNotUsed
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.urls import Resolver404, ResolverMatch, resolve
from django.utils.cache import patch_vary_headers

from claimsite.foundation.openstack.viewsets import OpenStackViewSet

ANYBODY = "*"
MAX_AGE_SECONDS = 3600
METHODS = frozenset({"GET", "POST", "PUT", "PATCH", "DELETE"})
# The last eight are those that OpenStack's services take from anybody.
REQUEST_HEADERS = frozenset(
    {
        "x-auth-token",
        "x-service-token",
        "x-openstack-request-id",
        "openstack-api-version",
        "x-openstack-ironic-api-version",
        "accept",
        "accept-language",
        "cache-control",
        "content-language",
        "content-type",
        "expires",
        "last-modified",
        "pragma",
    }
)
EXPOSED_HEADERS = (
    "X-Auth-Token",
    "X-Openstack-Request-Id",
    "X-Subject-Token",
    "X-Service-Token",
    "OpenStack-API-Version",
    "X-OpenStack-Ironic-API-Version",
    "X-OpenStack-Ironic-API-Minimum-Version",
    "X-OpenStack-Ironic-API-Maximum-Version",
)


class CorsMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        if not settings.CORS_ALLOWED_ORIGINS:
            raise MiddlewareNotUsed
        self.get_response = get_response
        self.origins = frozenset(settings.CORS_ALLOWED_ORIGINS)

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.method == "OPTIONS" and _is_of_an_api(_route(request)):
            return self.preflight(request)
        response = self.get_response(request)
        if not _is_of_an_api(request.resolver_match):
            return response
        # Said to every caller: a cache must not give one origin what another was told.
        patch_vary_headers(response, ["Origin"])
        if self.allow_origin(request, response):
            response.headers["Access-Control-Expose-Headers"] = ",".join(EXPOSED_HEADERS)
        return response

    def preflight(self, request: HttpRequest) -> HttpResponse:
        response = HttpResponse(status=200)
        del response.headers["Content-Type"]
        method = request.headers.get("Access-Control-Request-Method", "")
        names = [name.strip() for name in request.headers.get("Access-Control-Request-Headers", "").split(",")]
        names = [name for name in names if name]
        may_be_sent = method in METHODS and {name.lower() for name in names} <= REQUEST_HEADERS
        if may_be_sent and self.allow_origin(request, response):
            response.headers["Access-Control-Allow-Methods"] = method
            response.headers["Access-Control-Max-Age"] = str(MAX_AGE_SECONDS)
            if names:
                response.headers["Access-Control-Allow-Headers"] = ",".join(names)
        patch_vary_headers(response, ["Origin"])
        return response

    def allow_origin(self, request: HttpRequest, response: HttpResponseBase) -> bool:
        """Tell the browser that its page may see this answer, if it may."""
        origin = request.headers.get("Origin", "")
        if origin in self.origins:
            response.headers["Access-Control-Allow-Origin"] = origin
            response.headers["Access-Control-Allow-Credentials"] = "true"
            return True
        if origin and ANYBODY in self.origins:
            # Browsers refuse credentials to an origin that was not named.
            response.headers["Access-Control-Allow-Origin"] = ANYBODY
            return True
        return False


def _route(request: HttpRequest) -> ResolverMatch | None:
    try:
        return resolve(request.path_info)
    except Resolver404:
        return None


def _is_of_an_api(route: ResolverMatch | None) -> bool:
    view = getattr(route and route.func, "cls", None)
    return isinstance(view, type) and issubclass(view, OpenStackViewSet)
