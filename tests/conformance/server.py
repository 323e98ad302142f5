"""A server of this site for the suite: gunicorn on 127.0.0.1, Placement at the root, an SQLite file of its own."""

from __future__ import annotations

import contextlib
import os
import random
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx

ENVIRONMENT = {
    "POLICY_FILE": "CLAIMSITE_POLICY_FILE",
    "POLICY_ENFORCE_NEW_DEFAULTS": "CLAIMSITE_POLICY_ENFORCE_NEW_DEFAULTS",
    "CORS_ALLOWED_ORIGINS": "CLAIMSITE_CORS_ALLOWED_ORIGIN",
}
"""Setting → the variable that fills it."""
START_SECONDS = 60
# Below the range from which systems hand out ports to clients.
PORTS = range(21300, 21400)


@contextlib.contextmanager
def serving(settings: Mapping[str, Any], threads: int = 2) -> Iterator[str]:
    """The address of a fresh server with these settings, which is stopped and removed at the end."""
    with tempfile.TemporaryDirectory(prefix="claimsite-conformance-") as folder:
        port = _free_port()
        environment = os.environ | {
            "CLAIMSITE_DATABASE_URL": f"sqlite:///{folder}/claimsite.sqlite3",
            "CLAIMSITE_PLACEMENT_PREFIX": "",
            **{ENVIRONMENT[name]: _as_text(value) for name, value in settings.items()},
        }
        subprocess.run([sys.executable, "manage.py", "migrate", "--verbosity=0"], env=environment, check=True)
        log = Path(folder, "log")
        command = ["gunicorn", f"--bind=127.0.0.1:{port}", f"--threads={threads}", f"--log-file={log}"]
        server = subprocess.Popen([sys.executable, "-m", *command, "claimsite.wsgi"], env=environment)
        try:
            _wait_for(f"http://127.0.0.1:{port}/", server, log)
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()
            server.wait()


def _as_text(value: Any) -> str:
    return ",".join(value) if isinstance(value, list) else str(value).lower() if isinstance(value, bool) else str(value)


def _free_port() -> int:
    for port in random.sample(PORTS, k=len(PORTS)):
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise RuntimeError(f"No free port among {PORTS}")


def _wait_for(address: str, server: subprocess.Popen[bytes], log: Path) -> None:
    for _ in range(START_SECONDS * 5):
        with contextlib.suppress(httpx.TransportError):
            httpx.get(address)
            return
        if server.poll() is not None:
            break
        time.sleep(0.2)
    raise RuntimeError(f"The server does not answer:\n{log.read_text()}")
