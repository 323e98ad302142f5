"""Refusals → Placement's error document, in the format that the client asked for."""

from __future__ import annotations

import html
import logging
from typing import Any

import orjson
from django.core.exceptions import RequestDataTooBig, SuspiciousOperation
from django.db import Error as DatabaseFault
from django.http import HttpResponse
from rest_framework import exceptions
from rest_framework.request import Request

from claimsite.foundation.errors import DomainError, Kind
from claimsite.foundation.openstack.bodies import InvalidBody, InvalidQuery
from claimsite.foundation.openstack.microversion import Microversion
from claimsite.foundation.openstack.negotiation import VersionUnacceptable, VersionUnparsable
from claimsite.foundation.openstack.request_id import request_id
from claimsite.foundation.transactions import is_unavailable
from placement_app.api import features
from placement_app.errors import codes

logger = logging.getLogger(__name__)

STATUS = {
    Kind.INVALID: 400,
    Kind.FORBIDDEN: 403,
    Kind.NOT_FOUND: 404,
    Kind.CONFLICT: 409,
    Kind.STALE: 412,
    Kind.UNAVAILABLE: 503,
}
TITLES = {
    400: "Bad Request",
    401: "Unauthorized",
    403: "Forbidden",
    404: "Not Found",
    405: "Method Not Allowed",
    406: "Not Acceptable",
    409: "Conflict",
    413: "Request Entity Too Large",
    415: "Unsupported Media Type",
    500: "Internal Server Error",
    503: "Service Unavailable",
}
# The sentence before the particular text. Clients match on those of 404 and 405.
STOCK_SENTENCES = {
    400: "The request is malformed or asks for something impossible.",
    401: "The request carries no valid token.",
    403: "The caller is not allowed to do this.",
    404: "The resource could not be found.",
    405: "The method {method} is not allowed for this resource.",
    406: "The answer cannot be given in the way that was asked for.",
    409: "The present state does not allow this.",
    413: "The request is larger than the service accepts.",
    415: "The request's media type is not supported.",
    500: "The service failed to handle the request.",
    503: "The service cannot do this right now.",
}


class Refusal(Exception):
    """A refusal that only HTTP can have got wrong, with its status and text."""

    def __init__(self, status: int, text: str, code: str = codes.UNDEFINED) -> None:
        self.status = status
        self.text = text
        self.code = code
        super().__init__(text)


def handle(error: Exception, context: dict[str, Any]) -> HttpResponse:  # noqa: C901 (one flat table)
    """DRF's exception handler for every view of this app; it never lets one through."""
    view, request = context["view"], context["request"]
    version: Microversion | None = getattr(view, "microversion", None)
    headers: dict[str, str] = {}
    extra: dict[str, str] = {}
    code = codes.UNDEFINED
    match error:
        case DomainError():
            status, text, code = STATUS[error.kind], str(error), error.code
            # Only what ends by itself says so: the database is busy, a conductor works on a node.
            if (seconds := getattr(error, "retry_after_seconds", None)) is not None:
                headers["Retry-After"] = str(seconds)
        case Refusal():
            status, text, code = error.status, error.text, error.code
        case InvalidBody() | InvalidQuery():
            status, text = 400, str(error)
        case VersionUnparsable():
            status, text = 400, f"invalid version string: {error}"
        case VersionUnacceptable():
            status, text = 406, f"Unacceptable version header: {error}"
            extra = {"max_version": str(features.NEWEST), "min_version": str(features.OLDEST)}
        case exceptions.NotAuthenticated() | exceptions.AuthenticationFailed():
            status, text = 401, "Authentication required"
            headers["WWW-Authenticate"] = "Keystone"
        case exceptions.MethodNotAllowed():
            status, text = 405, ""
            headers["Allow"] = ", ".join(view.allowed_methods)
        case SuspiciousOperation():
            status, text = (
                (413, "") if isinstance(error, RequestDataTooBig) else (400, "The request is not acceptable.")
            )
        case exceptions.APIException():
            status, text = error.status_code, str(error.detail)
        case DatabaseFault() if is_unavailable(error):
            logger.warning("Database unavailable: %s", error)
            status, text = 503, "The database cannot be reached."
            headers["Retry-After"] = "2"
        case _:
            logger.exception("Unexpected error in request %s", request_id(request._request), exc_info=error)
            status, text = 500, "An unexpected error happened; the log has the details under the request id."
    stock = STOCK_SENTENCES[status].format(method=request.method)
    document = {
        "status": status,
        "title": TITLES[status],
        "detail": f"{stock}\n\n {text}  ",
        "request_id": request_id(request._request),
        **extra,
    }
    if version is not None and version >= features.ERROR_CODES:
        document["code"] = f"placement.{code}"
    response = _in_the_format_asked_for(request, status, stock, text, document)
    for name, value in headers.items():
        response.headers[name] = value
    if version is not None:
        view.add_version_headers(response)
    return response


def _in_the_format_asked_for(
    request: Request, status: int, stock: str, text: str, document: dict[str, Any]
) -> HttpResponse:
    """JSON, unless the client's Accept has no room for JSON and some for HTML or plain text."""
    accept = request.META.get("HTTP_ACCEPT", "")
    if accept and not accepts(accept, "application/json"):
        if accepts(accept, "text/html"):
            title = f"{status} {TITLES[status]}"
            page = (
                f"<html><head><title>{title}</title></head><body><h1>{title}</h1>"
                f"<p>{html.escape(stock)}</p><p>{html.escape(text, quote=False)}</p></body></html>"
            )
            return HttpResponse(page, status=status, content_type="text/html; charset=UTF-8")
        if accepts(accept, "text/plain"):
            plain = f"{status} {TITLES[status]}\n\n{stock}\n\n{text}\n"
            return HttpResponse(plain, status=status, content_type="text/plain; charset=UTF-8")
    return HttpResponse(orjson.dumps({"errors": [document]}), status=status, content_type="application/json")


def accepts(accept: str, media_type: str) -> bool:
    """Whether an Accept header has room for ``media_type`` (``q`` is only looked at for zero).

    A header that names something else than media types says nothing, and nothing is refused for it.
    """
    kind = media_type.partition("/")[0]
    for item in accept.split(","):
        name, *parameters = (part.strip().lower() for part in item.split(";"))
        if name and "/" not in name:
            return True
        if name in {media_type, f"{kind}/*", "*/*"} and "q=0" not in parameters:
            return True
    return False
