"""The order in which a request is judged, before any handler sees it.

DRF calls ``initial`` before it looks for a handler. Each step either passes or raises; the first that objects answers,
and clients can observe the order (401 before 406, 404 for a route before its time, 403 before 404 for the object).
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any, ClassVar, cast

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from rest_framework import exceptions
from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request
from rest_framework.viewsets import ViewSet

from claimsite.foundation.openstack import auth
from claimsite.foundation.openstack.microversion import Microversion
from claimsite.foundation.openstack.policy import Enforcer
from claimsite.foundation.openstack.request_id import request_id
from claimsite.foundation.origin import Door, Origin


class OpenStackViewSet(ViewSet):
    """What Placement's and Ironic's views have in common. An app's own base says how each step answers."""

    # No HEAD and no OPTIONS: both services answer them with 405.
    http_method_names = ["get", "post", "put", "patch", "delete"]

    door: ClassVar[Door]
    enforcer: ClassVar[Enforcer]
    """The service's rules of who may call what."""
    since: ClassVar[Mapping[str, Microversion]] = {}
    """Method → the version that brought it to this route. Methods not named were there from the start."""
    rules: ClassVar[Mapping[str, str]] = {}
    """Method → the policy rule that guards it. A method without a rule is open."""

    microversion: Microversion
    caller: auth.Caller

    def get_authenticators(self) -> list[BaseAuthentication]:
        return [auth.strategy()]

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        request._request.get_host()  # raises for a Host that the site does not answer to
        self.check_caller(request)
        self.check_version(request)
        self.check_length(request)
        self.check_method(request)
        self.check_since(request)
        self.check_media_types(request)
        self.check_policy(request)

    def check_caller(self, request: Request) -> None:
        self.caller = cast(auth.Caller, request.user)

    def check_version(self, request: Request) -> None:
        raise NotImplementedError

    def check_length(self, request: Request) -> None:
        """Nothing to object to by default."""

    def check_method(self, request: Request) -> None:
        if request.method not in self.allowed_methods:
            raise exceptions.MethodNotAllowed(request.method or "")

    def check_since(self, request: Request) -> None:
        since = self.since.get(request.method or "")
        if since is not None and self.microversion < since:
            raise exceptions.NotFound("")

    def check_media_types(self, request: Request) -> None:
        """Nothing to object to by default."""

    def check_policy(self, request: Request) -> None:
        rule = self.rules.get(request.method or "")
        if rule is not None and not self.enforcer.allows(rule, self.caller, self.policy_target(request)):
            raise exceptions.PermissionDenied(f"Policy does not allow {rule} to be performed.")

    def policy_target(self, request: Request) -> Mapping[str, Any]:
        """What the rule is judged against: by default the caller's own project."""
        return {"project_id": self.caller.project_id, "user_id": self.caller.user_id}

    # --- for handlers -----------------------------------------------------------------------------------------------
    @functools.cached_property
    def raw_body(self) -> bytes:
        """The request's body as it was sent. Raises RequestDataTooBig."""
        request = self.request._request
        if "chunked" not in request.META.get("HTTP_TRANSFER_ENCODING", "").lower():
            return request.body
        # Django reads as many bytes as Content-Length says, and with chunks there is none. A server that puts the
        # chunks together says that its stream ends where they do.
        if not request.META.get("wsgi.input_terminated"):
            return b""
        longest = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
        body: bytes = request.META["wsgi.input"].read(longest + 1)
        if len(body) > longest:
            raise RequestDataTooBig
        return body

    @property
    def origin(self) -> Origin:
        """Who asks, for whatever record this request leaves."""
        return Origin(
            door=self.door,
            actor=self.caller.user_id,
            project=self.caller.project_id or "",
            request_id=request_id(self.request._request),
            global_request_id=self.request.META.get("HTTP_X_OPENSTACK_REQUEST_ID", "")[:255],
        )

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        """Handlers answer with finished responses: DRF's rendering, and the headers it would add, are not used."""
        return response
