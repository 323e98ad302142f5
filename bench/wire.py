"""HTTP/1.1 over one kept connection, with as little work for the client as can be: it shares the machine."""

from __future__ import annotations

import dataclasses
import socket
from typing import Any

LONGEST_HEAD = 64 * 1024


@dataclasses.dataclass(frozen=True, slots=True)
class Request:
    method: str
    path: str
    body: bytes | None = None
    tag: Any = None
    """Whatever the scenario wants back with the answer."""


@dataclasses.dataclass(frozen=True, slots=True)
class Answer:
    status: int
    body: bytes


class Connection:
    """Opened when it is needed, and opened again when the server has closed it."""

    def __init__(self, port: int, headers: dict[str, str]) -> None:
        self.port = port
        self.headers = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        self.socket: socket.socket | None = None

    def send(self, request: Request) -> Answer:
        """Raises OSError if the server can't be reached, or goes away in the middle of an answer."""
        message = self._message(request)
        if self.socket is not None:
            try:
                return self._exchange(self.socket, message)
            except ConnectionError:
                # Closed between two requests.
                self.close()
        self.socket = socket.create_connection(("127.0.0.1", self.port), timeout=300)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return self._exchange(self.socket, message)

    def close(self) -> None:
        if self.socket is not None:
            self.socket.close()
            self.socket = None

    def _message(self, request: Request) -> bytes:
        body = request.body or b""
        head = f"{request.method} {request.path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{self.headers}"
        if request.body is not None:
            head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
        return f"{head}\r\n".encode() + body

    def _exchange(self, connection: socket.socket, message: bytes) -> Answer:
        connection.sendall(message)
        received = b""
        while b"\r\n\r\n" not in received:
            received += self._more(connection)
        head, _, body = received.partition(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        status = int(first.split(" ", 2)[1])
        body = self._body(connection, status, headers, body)
        if headers.get("connection", "").lower() == "close":
            self.close()
        return Answer(status, body)

    def _body(self, connection: socket.socket, status: int, headers: dict[str, str], body: bytes) -> bytes:
        if status == 204:
            return b""
        if "content-length" not in headers:
            raise ValueError(f"An answer without a length: {status} {headers}")
        parts, missing = [body], int(headers["content-length"]) - len(body)
        while missing > 0:
            part = self._more(connection)
            parts.append(part)
            missing -= len(part)
        return b"".join(parts)

    def _more(self, connection: socket.socket) -> bytes:
        # Else one packet of an answer waits 40 ms for the acknowledgement of another; and it has to be said every time.
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)
        part = connection.recv(LONGEST_HEAD)
        if not part:
            raise ConnectionResetError("The server closed the connection.")
        return part
