"""What every view of Ironic has: versions, request ids, bodies and query strings, links."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import microversion_parse
import orjson
from django.conf import settings
from django.db.models import Q
from django.http import HttpResponse
from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request

from claimsite.foundation.openstack import auth, bodies
from claimsite.foundation.openstack.auth import ADMIN, Caller
from claimsite.foundation.openstack.bodies import InvalidQuery
from claimsite.foundation.openstack.microversion import Microversion
from claimsite.foundation.openstack.negotiation import negotiate
from claimsite.foundation.openstack.request_id import request_id
from claimsite.foundation.openstack.viewsets import OpenStackViewSet
from claimsite.foundation.origin import Door
from ironic_app import ownership
from ironic_app.api import errors, features, policies
from ironic_app.api.errors import BodyTooLong, NotInThisVersion, Refusal, Unroutable
from ironic_app.errors import Forbidden
from ironic_app.locks import EVERYTHING, Access

JSON = "application/json"
SERVICE_TYPE = "baremetal"
VERSION_HEADER = "X-OpenStack-Ironic-API-Version"
MINIMUM_HEADER = "X-OpenStack-Ironic-API-Minimum-Version"
MAXIMUM_HEADER = "X-OpenStack-Ironic-API-Maximum-Version"
ONE_MIB = 1024 * 1024
ALWAYS = features.OLDEST


class NoAuth(auth.NoAuth2):
    """Ironic's clients without authentication send no token, or keystoneauth's filler: then everybody is the
    administrator, as in Ironic. A token that says who one is counts as it does everywhere else on the site."""

    def authenticate(self, request: Request) -> tuple[Caller, None]:
        if request.META.get("HTTP_X_AUTH_TOKEN", "notused") in {"", "notused"}:
            return Caller(user_id=ADMIN, project_id=None, roles=frozenset({ADMIN}), system_scope="all"), None
        return super().authenticate(request)


class IronicViewSet(OpenStackViewSet):
    """Order of checks: token, version, length, method, ``since``, policy; then the handler.

    Content types are not checked, as in Ironic.
    """

    door = Door.BAREMETAL
    enforcer = policies.enforcer
    status_before: ClassVar[int] = 404
    """What a method answers before its version: unknown (404), not allowed (405), or not acceptable (406)."""
    longest_body_bytes: ClassVar[int] = ONE_MIB

    # --- the checks -------------------------------------------------------------------------------------------------
    def get_authenticators(self) -> list[BaseAuthentication]:
        strategy = auth.strategy()
        return [NoAuth() if isinstance(strategy, auth.NoAuth2) else strategy]

    def get_exception_handler(self) -> Callable[..., HttpResponse]:
        return errors.handle

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        # No column can hold a NUL, so nothing is called so, and PostgreSQL would not even look.
        if any("\0" in part for part in kwargs.values()):
            raise Unroutable(404)

    def check_version(self, request: Request) -> None:
        asked = _version_asked_for(request)
        self.microversion = negotiate(
            {microversion_parse.STANDARD_HEADER: f"{SERVICE_TYPE} {asked}"} if asked else {},
            service_type=SERVICE_TYPE,
            oldest=features.OLDEST,
            newest=features.NEWEST,
        )

    def check_length(self, request: Request) -> None:
        length = request.META.get("CONTENT_LENGTH") or "0"
        if not length.isdecimal():
            raise Refusal(400, "Invalid Content-Length")
        if len(length) > 18 or int(length) > self.longest_body_bytes:
            raise BodyTooLong

    def check_since(self, request: Request) -> None:
        since = self.since.get(request.method or "")
        if since is not None and self.microversion < since:
            raise NotInThisVersion if self.status_before == 406 else Unroutable(self.status_before)

    # --- for handlers -----------------------------------------------------------------------------------------------
    def has(self, feature: Microversion) -> bool:
        """Whether the version that the request speaks has ``feature``."""
        return self.microversion >= feature

    def require(self, feature: Microversion) -> None:
        """Raises 406 when the request's version is older than ``feature``."""
        if not self.has(feature):
            raise NotInThisVersion

    def allows(self, rule: str, *, owner: str | None = None, lessee: str | None = None) -> bool:
        """Whether the caller may do what ``baremetal:<rule>`` guards, to a node of this owner and lessee."""
        return self.enforcer.allows(f"baremetal:{rule}", self.caller, {"node.owner": owner, "node.lessee": lessee})

    @property
    def visible(self) -> Q:
        """The nodes that exist for the caller."""
        return EVERYTHING if self.allows("node:list_all") else ownership.of_project(self.caller.project_id)

    def access(self, *rules: str) -> Access:
        """What the caller may see, and that each of ``rules`` must allow it: judged by the service, under its lock."""

        def permit(owner: str | None, lessee: str | None) -> None:
            for rule in rules:
                if not self.allows(rule, owner=owner, lessee=lessee):
                    raise Forbidden(text=f"Policy does not allow baremetal:{rule} to be performed.")

        return Access(self.visible, permit)

    def body(self, *, default: Any = None) -> Any:
        """The request's body as plain data; ``default`` if it is empty. Raises InvalidBody."""
        raw = self.raw_body
        if len(raw) > self.longest_body_bytes:
            raise BodyTooLong
        return bodies.parse_json(raw) if raw else default

    def query(self, parameters: Mapping[str, Microversion]) -> dict[str, str]:
        """Every query parameter, the last value where it is repeated. ``parameters``: name → since when.

        Raises InvalidQuery for names that are not in ``parameters``, NotInThisVersion for those that are newer.
        """
        raw = self.request.META.get("QUERY_STRING", "")
        if not raw:
            return {}
        values = dict(bodies.query_pairs(raw))
        if unknown := sorted(values.keys() - parameters.keys()):
            raise InvalidQuery(f"Unexpected arguments: {', '.join(unknown)}")
        for name in values:
            self.require(parameters[name])
        return values

    @functools.cached_property
    def base_url(self) -> str:
        """Where the service is mounted, without a slash at the end: links are made of it."""
        return self.request._request.build_absolute_uri(f"/{settings.BAREMETAL_PREFIX}").rstrip("/")

    def links(self, path: str) -> list[dict[str, str]]:
        """The two links of a resource: ``path`` is e.g. ``nodes/<uuid>``."""
        return [
            {"href": f"{self.base_url}/v1/{path}", "rel": "self"},
            {"href": f"{self.base_url}/{path}", "rel": "bookmark"},
        ]

    def answer(
        self, document: Any = None, *, status: int = 200, location: str | None = None, etag: str | None = None
    ) -> HttpResponse:
        """A success; without a document it has no body and no Content-Type.

        ``location`` is a path below ``/v1/``; the header is absolute. ``etag`` names the state that was read or made.
        """
        if document is None:
            response = HttpResponse(status=status)
            del response.headers["Content-Type"]
        else:
            response = HttpResponse(orjson.dumps(document), status=status, content_type=JSON)
        if location is not None:
            response.headers["Location"] = f"{self.base_url}/v1/{location}"
        if etag is not None:
            response.headers["ETag"] = etag
        return response

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        if response.status_code < 400:
            self.add_version_headers(response)
        response.headers["openstack-request-id"] = request_id(request._request)
        return response

    def add_version_headers(self, response: HttpResponse) -> None:
        """All three; the one in force is missing where none came to be in force."""
        response.headers[MINIMUM_HEADER] = str(features.OLDEST)
        response.headers[MAXIMUM_HEADER] = str(features.NEWEST)
        version: Microversion | None = getattr(self, "microversion", None)
        if version is not None:
            response.headers[VERSION_HEADER] = str(version)


class OpenViewSet(IronicViewSet):
    """Needs no token."""

    def check_caller(self, request: Request) -> None:
        """Open to everybody."""


class UnknownPath(IronicViewSet):
    """The last route: even paths that nobody knows answer in Ironic's own format."""

    def check_method(self, request: Request) -> None:
        self.not_found(request)

    def not_found(self, request: Request, **_: Any) -> HttpResponse:
        raise Unroutable(404)


def _version_asked_for(request: Request) -> str | None:
    """What the newer header says of this service, else what the older one says."""
    standard = request.META.get("HTTP_OPENSTACK_API_VERSION")
    if standard:
        found = microversion_parse.get_version(
            {microversion_parse.STANDARD_HEADER: standard}, service_type=SERVICE_TYPE
        )
        if found:
            return str(found).strip().lower()
    return request.META.get("HTTP_X_OPENSTACK_IRONIC_API_VERSION", "").strip().lower() or None
