"""One request, and one answer in a form in which two services can be compared."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import quote, unquote_to_bytes

Application = Callable[..., Any]
Query = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Generation:
    """Stands in a body for the generation of a provider or a consumer at that moment, give or take ``plus``.

    A consumer that doesn't exist has None.
    """

    of: str
    plus: int = 0


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    query: Query | str = ()
    """Names and values, or text that goes out as it is."""
    body: Any = b""
    """Bytes go out as they are, everything else as JSON."""
    version: str | None = "1.39"
    headers: Mapping[str, str] = field(default_factory=dict)
    """On top of the usual ones; an empty value takes one away."""

    def with_generations(self, current: Callable[[str], int | None]) -> Request:
        return self if isinstance(self.body, bytes) else replace(self, body=_filled(self.body, current))

    @property
    def query_text(self) -> str:
        if isinstance(self.query, str):
            return self.query
        return "&".join(f"{quote(name)}={quote(value, safe=',:!')}" for name, value in self.query)

    def values(self, name: str) -> list[str]:
        return [value for key, value in self.query if key == name] if not isinstance(self.query, str) else []


def _filled(body: Any, current: Callable[[str], int | None]) -> Any:
    match body:
        case Generation():
            generation = current(body.of)
            return generation if generation is None or not body.plus else generation + body.plus
        case dict():
            return {key: _filled(value, current) for key, value in body.items()}
        case list() | tuple():
            return [_filled(value, current) for value in body]
    return body


@dataclass(frozen=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    content: bytes

    @property
    def document(self) -> Any:
        """The body as plain data: None if there is none, text if it is not JSON."""
        if not self.content:
            return None
        try:
            return json.loads(self.content)
        except ValueError:
            return self.content.decode(errors="replace")

    @property
    def error_code(self) -> str | None:
        document = self.document
        return document["errors"][0].get("code") if isinstance(document, dict) and "errors" in document else None

    def __str__(self) -> str:
        return f"{self.status} {dict(self.headers)}\n{self.content[:3000].decode(errors='replace')}"


def send(application: Application, request: Request) -> Answer:
    """Straight into a WSGI application, the same environment for whichever it is."""
    content = request.body if isinstance(request.body, bytes) else json.dumps(request.body).encode()
    headers = {"X-Auth-Token": "admin", "Accept": "application/json"}
    if content:
        headers["Content-Type"] = "application/json"
        headers["Content-Length"] = str(len(content))
    if request.version is not None:
        headers["OpenStack-API-Version"] = f"placement {request.version}"
    headers |= request.headers
    environ: dict[str, Any] = {
        "REQUEST_METHOD": request.method,
        "SCRIPT_NAME": "",
        "PATH_INFO": unquote_to_bytes(request.path).decode("latin-1"),
        "QUERY_STRING": request.query_text,
        "SERVER_NAME": "testserver",
        "SERVER_PORT": "80",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "HTTP_HOST": "testserver",
        "REMOTE_ADDR": "127.0.0.1",
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": "http",
        "wsgi.input": io.BytesIO(content),
        "wsgi.errors": io.StringIO(),
        "wsgi.multithread": False,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
    }
    for name, value in headers.items():
        key = name.upper().replace("-", "_")
        if value:
            environ[key if key.startswith("CONTENT_") else f"HTTP_{key}"] = value
    return _answer(application, environ)


def _answer(application: Application, environ: dict[str, Any]) -> Answer:
    begun: list[Any] = []

    def start_response(status: str, headers: list[tuple[str, str]], exc_info: Any = None) -> Callable[[bytes], None]:
        begun[:] = [status, headers]
        return lambda _: None

    chunks = application(environ, start_response)
    try:
        content = b"".join(chunks)
    finally:
        if hasattr(chunks, "close"):
            chunks.close()
    status, headers = begun
    return Answer(int(status.split()[0]), {name.lower(): value for name, value in headers}, content)


def canonical(document: Any) -> Any:
    """Lists as sets: the order is nowhere defined where it is not tested by the suite."""
    match document:
        case dict():
            return {key: canonical(value) for key, value in document.items()}
        case list():
            return sorted((canonical(item) for item in document), key=lambda item: json.dumps(item, sort_keys=True))
    return document
