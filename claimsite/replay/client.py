"""Clients of Placement and Ironic: keep-alive connections, one microversion, no opinion on what an answer means."""

from __future__ import annotations

import dataclasses
import json
import time
from typing import Any, ClassVar
from urllib.parse import urlencode

import urllib3

from claimsite.foundation.openstack.bodies import InvalidBody, parse_json

VERSION = "1.39"
IRONIC_VERSION = "1.115"
"""The newest that is known to show nothing but what is understood here."""
RELEASING_VERSION = "1.27"
"""The newest version that replaces a consumer's claims without being told its generation."""

# A server that is busy says when to come back; past this it is not busy but broken.
LONGEST_BUSY_SECONDS = 60.0
TIMEOUT = urllib3.Timeout(connect=5, read=60)


class Unreachable(Exception):
    """The service could not be asked at all, or answered what no Placement answers."""


class Unknown(Unreachable):
    """The connection broke after a write was sent: nobody knows whether it was done."""


@dataclasses.dataclass(frozen=True, slots=True)
class Answer:
    status: int
    document: Any
    seconds: float
    busy: int = 0
    """How often the service said 503 before it gave this answer."""

    @property
    def code(self) -> str:
        """The wire code of a refusal, such as ``placement.concurrent_update``."""
        return str(self._error.get("code", ""))

    @property
    def detail(self) -> str:
        return " ".join(str(self._error.get("detail") or self._fault).split())

    @property
    def _error(self) -> dict[str, Any]:
        errors = self.document.get("errors") if isinstance(self.document, dict) else None
        return errors[0] if errors else {}

    @property
    def _fault(self) -> str:
        """What Ironic says, which wraps its errors in a text of JSON."""
        text = self.document.get("error_message", "") if isinstance(self.document, dict) else ""
        try:
            inner = json.loads(text)
        except (TypeError, ValueError):
            return str(text)
        return str(inner.get("faultstring") or inner.get("title", "")) if isinstance(inner, dict) else str(text)


class Service:
    """``url`` is where the service's root document is, such as ``http://127.0.0.1:8000/placement``. Thread-safe.

    Raises Unreachable for what is no address.
    """

    service_type: ClassVar[str]
    version: str

    def __init__(self, url: str, *, token: str = "admin", connections: int = 1) -> None:
        self.url = url.rstrip("/")
        self.token = token
        try:
            self._root = urllib3.util.parse_url(self.url).path or ""
            # Not a manager of pools: finding the pool of each URL anew takes a third of what a request costs here.
            self._pool = urllib3.connection_from_url(self.url, maxsize=connections, block=True, timeout=TIMEOUT)
        except urllib3.exceptions.HTTPError as error:
            raise Unreachable(f"{self.url} can't be reached: {error}") from error

    def get(self, path: str, **query: str | int | list[str]) -> Answer:
        """Raises Unreachable."""
        asked = f"{path}?{urlencode(query, doseq=True)}" if query else path
        # The server may have closed an idle connection at the very moment of asking; asking again changes nothing.
        for _ in range(2):
            try:
                return self._send("GET", asked)
            except Unknown:
                continue
        return self._send("GET", asked)

    def put(self, path: str, body: Any) -> Answer:
        """Raises Unreachable, and Unknown if the connection broke underway."""
        return self._send("PUT", path, body)

    def post(self, path: str, body: Any, *, version: str = "") -> Answer:
        """Raises Unreachable, and Unknown if the connection broke underway."""
        return self._send("POST", path, body, version=version)

    def _send(self, method: str, path: str, body: Any = None, *, version: str = "") -> Answer:
        headers = {
            "X-Auth-Token": self.token,
            "OpenStack-API-Version": f"{self.service_type} {version or self.version}",
            "Accept": "application/json",
        }
        data = None
        if body is not None:
            headers["Content-Type"] = "application/json"
            data = json.dumps(body).encode()
        begun = time.perf_counter()
        busy = 0
        while True:
            answer = self._exchange(method, path, headers, data)
            seconds = time.perf_counter() - begun
            if answer.status != 503 or seconds > LONGEST_BUSY_SECONDS:
                return Answer(answer.status, _document(answer.data), seconds, busy)
            busy += 1
            time.sleep(float(answer.headers.get("Retry-After", 1)))

    def _exchange(self, method: str, path: str, headers: dict[str, str], data: bytes | None) -> Any:
        try:
            return self._pool.urlopen(
                method, self._root + path, body=data, headers=headers, redirect=False, retries=False
            )
        except (urllib3.exceptions.NewConnectionError, urllib3.exceptions.ConnectTimeoutError) as error:
            raise Unreachable(f"{self.url} can't be reached: {error}") from error
        except urllib3.exceptions.HTTPError as error:
            raise Unknown(f"{method} {path}: the connection broke: {error}") from error


class Placement(Service):
    service_type = "placement"
    version = VERSION


class Ironic(Service):
    """``version`` is to be set to what the service has."""

    service_type = "baremetal"
    version = "1.1"


def _document(data: bytes) -> Any:
    """None for what is no JSON, or has something in it that no column holds."""
    try:
        return parse_json(data) if data else None
    except InvalidBody:
        return None
