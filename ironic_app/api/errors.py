"""Refusals → Ironic's error document: JSON text inside a JSON document."""

from __future__ import annotations

import logging
from typing import Any

import orjson
from django.core.exceptions import RequestDataTooBig, SuspiciousOperation
from django.db import Error as DatabaseFault
from django.http import HttpResponse
from rest_framework import exceptions

from claimsite.foundation.errors import DomainError, Kind, LostRace
from claimsite.foundation.openstack.bodies import InvalidBody, InvalidQuery
from claimsite.foundation.openstack.negotiation import VersionUnacceptable, VersionUnparsable
from claimsite.foundation.openstack.request_id import request_id
from claimsite.foundation.transactions import is_unavailable
from ironic_app.api import features

logger = logging.getLogger(__name__)

STATUS = {
    Kind.INVALID: 400,
    Kind.FORBIDDEN: 403,
    Kind.NOT_FOUND: 404,
    Kind.CONFLICT: 409,
    Kind.STALE: 412,
    Kind.UNAVAILABLE: 503,
}
TITLES = {404: "Not Found", 405: "Method Not Allowed", 406: "Not Acceptable"}
CONFLICT_RETRY_SECONDS = 1


class Refusal(Exception):
    """A refusal that only HTTP can have got wrong, with its status and text."""

    def __init__(self, status: int, text: str) -> None:
        self.status = status
        self.text = text
        super().__init__(text)


class Unroutable(Exception):
    """No such path, or not with this method: the router says it, in a form of its own."""

    def __init__(self, status: int) -> None:
        self.status = status
        super().__init__(TITLES[status])


class NotInThisVersion(Refusal):
    """A field, filter or verb that is newer than the version the request speaks."""

    def __init__(self) -> None:
        super().__init__(406, "Request not acceptable.")


class BodyTooLong(Exception):
    """More bytes than this route takes."""


def handle(error: Exception, context: dict[str, Any]) -> HttpResponse:
    """DRF's exception handler for every view of this app; it never lets one through."""
    view = context["view"]
    response = _respond(error, context)
    if not isinstance(error, VersionUnparsable):
        view.add_version_headers(response)
    return response


def _respond(error: Exception, context: dict[str, Any]) -> HttpResponse:
    match error:
        case DomainError():
            return _of_domain(error)
        case Refusal():
            return document(error.status, error.text)
        case Unroutable():
            return routing(error.status)
        case InvalidBody() | InvalidQuery():
            return document(400, str(error))
        case VersionUnparsable():
            return routing(406, "Invalid value for X-OpenStack-Ironic-API-Version header")
        case VersionUnacceptable():
            return routing(406, _of_version(str(error)))
        case BodyTooLong() | RequestDataTooBig():
            return HttpResponse(
                "The request is larger than the service accepts.", status=413, content_type="text/plain"
            )
        case exceptions.APIException() | SuspiciousOperation():
            return _of_framework(error, context)
        case DatabaseFault() if is_unavailable(error):
            logger.warning("Database unavailable: %s", error)
            return document(503, "The database cannot be reached.", retry_after=2)
        case _:
            logger.exception("Unexpected error in request %s", request_id(context["request"]._request), exc_info=error)
            return document(500, "An unexpected error happened; the log has the details under the request id.")


def _of_domain(error: DomainError) -> HttpResponse:
    retry_after = getattr(error, "retry_after_seconds", None)
    if retry_after is None and isinstance(error, LostRace):
        retry_after = CONFLICT_RETRY_SECONDS
    return document(STATUS[error.kind], str(error), code=type(error).__name__, retry_after=retry_after)


def _of_framework(error: exceptions.APIException | SuspiciousOperation, context: dict[str, Any]) -> HttpResponse:
    match error:
        case SuspiciousOperation():
            return document(400, "The request is not acceptable.")
        case exceptions.NotAuthenticated() | exceptions.AuthenticationFailed():
            response = document(401, "The request you have made requires authentication.")
            response.headers["WWW-Authenticate"] = "Keystone"
            return response
        case exceptions.MethodNotAllowed():
            response = routing(405)
            response.headers["Allow"] = ", ".join(context["view"].allowed_methods)
            return response
        case _:
            return document(error.status_code, str(error.detail))


def _of_version(text: str) -> str:
    if not text.startswith(f"{features.OLDEST.major}."):
        return (
            f"Mutually exclusive versions requested. Version {text} requested but not supported by this service. "
            f"The supported version range is: [{features.OLDEST}, {features.NEWEST}]."
        )
    return (
        f"Version {text} was requested but the minor version is not supported by this service. "
        f"The supported version range is: [{features.OLDEST}, {features.NEWEST}]."
    )


def document(status: int, text: str, *, code: str | None = None, retry_after: int | None = None) -> HttpResponse:
    """``code`` tells refusals of one status apart without reading prose: the name of the error. Ironic has no such
    key; its clients read ``faultstring`` and leave others alone."""
    fault = {"faultcode": "Client" if status < 500 else "Server", "faultstring": text, "debuginfo": None}
    if code is not None:
        fault["code"] = code
    response = _wrapped(status, fault)
    if retry_after is not None:
        response.headers["Retry-After"] = str(retry_after)
    return response


def routing(status: int, text: str = "") -> HttpResponse:
    return _wrapped(status, {"code": status, "title": TITLES[status], "description": text})


def _wrapped(status: int, fault: dict[str, Any]) -> HttpResponse:
    return HttpResponse(
        orjson.dumps({"error_message": orjson.dumps(fault).decode()}), status=status, content_type="application/json"
    )
