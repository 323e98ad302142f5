"""The production server and the conductor as children of a command: started, waited for, stopped."""

from __future__ import annotations

import contextlib
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Self

import urllib3
from django.conf import settings

from claimsite import health
from claimsite.foundation.address import address

START_SECONDS = 60
STOP_SECONDS = 40


class DoesNotStart(Exception):
    """The server ended, or was not ready in time; the text has the end of its log."""


def is_ready() -> bool:
    """Whether our site answers at our address, whoever started it. Raises DoesNotStart if it is another site."""
    try:
        answer = urllib3.request("GET", f"{address()}/readiness", timeout=5, retries=False)
        told = answer.json() if answer.status == 200 else {}
    except (urllib3.exceptions.HTTPError, ValueError):
        return False
    if not isinstance(told, dict) or "fingerprint" not in told:
        return False
    if told["fingerprint"] != health.fingerprint():
        raise DoesNotStart(
            f"A site runs at {address()} already, on another database. Stop it, or set CLAIMSITE_BIND for this one."
        )
    return True


def must_be_free() -> None:
    """Raises DoesNotStart if somebody else listens at our address: better said before anything is loaded."""
    url = urllib3.util.parse_url(address())
    with contextlib.suppress(OSError):
        socket.create_connection(((url.host or "").strip("[]"), url.port or 80), timeout=5).close()
        raise DoesNotStart(
            f"Something else listens on {settings.BIND}. Stop it, or listen elsewhere: CLAIMSITE_BIND=127.0.0.1:8001"
        )


class Child:
    """``with Child(…): …`` has a program running, its output in ``log``. It is stopped at the end, whatever that is."""

    def __init__(self, *arguments: str, log: str) -> None:
        self.arguments = arguments
        self.log = Path(settings.VAR_DIR, log)
        self.process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        with self.log.open("wb") as log:
            # A session of its own: Ctrl-C in the terminal is for us, and we stop the child when we are done with it.
            self.process = subprocess.Popen(
                [sys.executable, *self.arguments],
                cwd=settings.BASE_DIR,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        try:
            self.started(self.process)
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def started(self, process: subprocess.Popen[bytes]) -> None:
        """To be done before anybody relies on it. What it raises stops the child."""

    def wait(self) -> int:
        """Until the child ends by itself; its exit status."""
        assert self.process is not None
        return self.process.wait()

    def stop(self) -> None:
        """Lets it finish what it is at."""
        if self.process is None or self.process.poll() is not None:
            return
        self.process.terminate()
        try:
            self.process.wait(timeout=STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Server(Child):
    """The site. Raises DoesNotStart."""

    def __init__(self) -> None:
        super().__init__("-m", "gunicorn", log="server.log")

    def started(self, process: subprocess.Popen[bytes]) -> None:
        deadline = time.monotonic() + START_SECONDS
        while not is_ready():
            if process.poll() is not None or time.monotonic() > deadline:
                told = "\n".join(self.log.read_text(errors="replace").splitlines()[-12:])
                raise DoesNotStart(f"The server does not start on {settings.BIND}. The end of {self.log}:\n{told}")
            time.sleep(0.1)


class Conductor(Child):
    """What takes the nodes from state to state, in a process of its own."""

    def __init__(self) -> None:
        super().__init__("manage.py", "run_conductor", log="conductor.log")
