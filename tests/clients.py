"""Clients that speak a version of a service's API, as the real ones do."""

import json
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.test import Client


class ServiceClient:
    """Speaks to one service of the site: addresses are relative to where it is mounted, bodies are sent as JSON.

    A bug in the server shows as the answer that a client would get (500), never as an exception in the test.
    """

    service: str
    prefix_setting: str

    def __init__(self) -> None:
        self.client = Client(raise_request_exception=False)

    def get(self, url: str, **options: Any) -> Any:
        return self.send("GET", url, **options)

    def put(self, url: str, body: Any = None, **options: Any) -> Any:
        return self.send("PUT", url, body, **options)

    def post(self, url: str, body: Any = None, **options: Any) -> Any:
        return self.send("POST", url, body, **options)

    def patch(self, url: str, body: Any = None, **options: Any) -> Any:
        return self.send("PATCH", url, body, **options)

    def delete(self, url: str, body: Any = None, **options: Any) -> Any:
        return self.send("DELETE", url, body, **options)

    def send(
        self,
        method: str,
        url: str,
        body: Any = None,
        *,
        version: str | None = "newest",
        token: str | None = "admin",
        headers: dict[str, str] | None = None,
        content_type: str = "application/json",
    ) -> Any:
        """One request.

        ``body``: text or bytes go out as they are, None is no body at all, anything else is written as JSON.
        ``version``: None sends no version header, so the server takes its oldest. ``token``: None sends none.
        ``headers`` come on top and win.
        """
        if version == "newest":
            version = self.newest_version()
        sent = {"Accept": "application/json"}
        if version is not None:
            sent |= self.version_header(version)
        if token is not None:
            sent["X-Auth-Token"] = token
        data = b"" if body is None else body if isinstance(body, str | bytes) else json.dumps(body)
        return self.client.generic(method, self.path(url), data, content_type, headers=sent | (headers or {}))

    def path(self, url: str) -> str:
        """The address within the site. A link that the service gave (``/placement/…``, ``http://…``) also works."""
        prefix = f"/{getattr(settings, self.prefix_setting).strip('/')}".rstrip("/")
        parts = urlsplit(url)
        path = parts.path if not parts.path or parts.path.startswith("/") else f"/{parts.path}"
        if not path.startswith(f"{prefix}/"):
            path = prefix + path
        return f"{path}?{parts.query}" if parts.query else path

    def version_header(self, version: str) -> dict[str, str]:
        raise NotImplementedError

    def newest_version(self) -> str:
        raise NotImplementedError


class PlacementClient(ServiceClient):
    prefix_setting = "PLACEMENT_PREFIX"

    def version_header(self, version: str) -> dict[str, str]:
        return {"OpenStack-API-Version": f"placement {version}"}

    def newest_version(self) -> str:
        return "1.39"


class BaremetalClient(ServiceClient):
    prefix_setting = "BAREMETAL_PREFIX"
    _newest: str | None = None

    def version_header(self, version: str) -> dict[str, str]:
        return {"X-OpenStack-Ironic-API-Version": version}

    def newest_version(self) -> str:
        """What the service itself says is the newest, asked once."""
        if BaremetalClient._newest is None:
            answer = self.client.get(self.path("/v1"), headers={"X-Auth-Token": "admin"})
            BaremetalClient._newest = answer.headers["X-OpenStack-Ironic-API-Maximum-Version"]
        return BaremetalClient._newest
