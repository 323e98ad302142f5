"""What every Placement view has: the order of checks, the version headers, one call to parse a body."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from typing import Any, ClassVar

import orjson
from django.http import HttpResponse
from django.utils import timezone
from django.utils.http import http_date
from rest_framework.request import Request

from claimsite.foundation.openstack import bodies
from claimsite.foundation.openstack.negotiation import negotiate
from claimsite.foundation.openstack.versioned import Versioned
from claimsite.foundation.openstack.viewsets import OpenStackViewSet
from claimsite.foundation.origin import Door
from placement_app.api import errors, features, policies
from placement_app.api.errors import Refusal

JSON = "application/json"
MOST_DIGITS_OF_A_LENGTH = 18
VERSION_HEADER = "openstack-api-version"


class PlacementViewSet(OpenStackViewSet):
    """Order of checks: token, version, length, method, ``since``, media types, policy; then the handler."""

    door = Door.PLACEMENT
    enforcer = policies.enforcer
    takes_body: ClassVar[frozenset[str]] = frozenset({"POST", "PUT"})
    """Methods whose Content-Type is checked. A PUT that carries nothing takes itself out."""
    checks_accept: ClassVar[bool] = True
    """Whether GET minds the Accept header; routes that answer without a body don't."""

    def get_exception_handler(self) -> Callable[..., HttpResponse]:
        return errors.handle

    def check_version(self, request: Request) -> None:
        self.microversion = negotiate(
            {VERSION_HEADER: request.META.get("HTTP_OPENSTACK_API_VERSION", "")}
            if "HTTP_OPENSTACK_API_VERSION" in request.META
            else {},
            service_type="placement",
            oldest=features.OLDEST,
            newest=features.NEWEST,
        )

    def check_length(self, request: Request) -> None:
        length = request.META.get("CONTENT_LENGTH") or "0"
        if not length.isdecimal():
            raise Refusal(400, "content-length header must be an integer")
        if len(length) > MOST_DIGITS_OF_A_LENGTH:
            raise Refusal(413, "")
        if length.strip("0") and not request.META.get("CONTENT_TYPE"):
            raise Refusal(400, "content-type header required when content-length > 0")

    def check_since(self, request: Request) -> None:
        since = self.since.get(request.method or "")
        if since is not None and self.microversion < since:
            raise Refusal(404, "")

    def check_media_types(self, request: Request) -> None:
        if request.method in self.takes_body:
            content_type = request.META.get("CONTENT_TYPE") or None
            if content_type is None or content_type.partition(";")[0].strip().lower() != JSON:
                raise Refusal(415, f"The media type {content_type} is not supported, use {JSON}")
        elif request.method == "GET" and self.checks_accept:
            accept = request.META.get("HTTP_ACCEPT", "")
            if accept and not errors.accepts(accept, JSON):
                raise Refusal(406, f"Only {JSON} is provided")

    # --- for handlers -----------------------------------------------------------------------------------------------
    def body(self, schemas: Versioned[bodies.Schema]) -> Any:
        """The request's body as plain data, judged by the schema in force. Raises InvalidBody."""
        return bodies.parse_body(self.raw_body, schemas.at(self.microversion))

    def query(self, schemas: Versioned[bodies.Schema]) -> dict[str, list[str]]:
        """Every query parameter with all its values, judged by the schema in force. Raises InvalidQuery."""
        return bodies.parse_query(self.request.META.get("QUERY_STRING", ""), schemas.at(self.microversion))

    def answer(
        self,
        document: Any = None,
        *,
        status: int = 200,
        last_modified: datetime.datetime | None = None,
        location: str | None = None,
    ) -> HttpResponse:
        """A success; without a document it has no body and no Content-Type. Bytes are a document written already.

        ``last_modified`` is given by answers that carry cache headers from 1.15 on: see ``modified_now``.
        ``location`` is a path from the root of the host; the header is absolute.
        """
        if document is None:
            response = HttpResponse(status=status)
            del response.headers["Content-Type"]
        else:
            body = document if isinstance(document, bytes) else orjson.dumps(document)
            response = HttpResponse(body, status=status, content_type=JSON)
        if last_modified is not None and self.microversion >= features.CACHE_HEADERS:
            response.headers["last-modified"] = http_date(last_modified.timestamp())
            response.headers["cache-control"] = "no-cache"
        if location is not None:
            response.headers["location"] = self.request._request.build_absolute_uri(location)
        return response

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        # Refusals have theirs already, unless the version itself was what was refused.
        if response.status_code < 400:
            self.add_version_headers(response)
        return response

    def add_version_headers(self, response: HttpResponse) -> None:
        response.headers[VERSION_HEADER] = f"placement {self.microversion}"
        response.headers["vary"] = VERSION_HEADER


def modified_now() -> datetime.datetime:
    """For answers that are true of this moment only."""
    return timezone.now()


class UnknownPath(PlacementViewSet):
    """The last route: even paths that nobody knows answer in Placement's own format."""

    def check_method(self, request: Request) -> None:
        self.not_found(request)

    def not_found(self, request: Request, **_: Any) -> HttpResponse:
        raise Refusal(404, "")
