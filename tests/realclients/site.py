"""This site for the clients: gunicorn and a conductor on 127.0.0.1, on what CLAIMSITE_TEST_DATABASE names."""

from __future__ import annotations

import contextlib
import os
import random
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import psycopg2

from tests import postgres

# Below the range from which systems hand out ports to clients.
PORTS = range(21700, 21780)
START_SECONDS = 90
# Long enough to be seen by clients that look every second or two.
DELAYS = ("deploying=1", "cleaning=1", "deleting=0.5", "verifying=0.5", "power=0.5", "rescuing=0.5", "unrescuing=0.5")


@contextlib.contextmanager
def running_site() -> Iterator[str]:
    """The address of a fresh site that is stopped and removed at the end."""
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="claimsite-realclients-")))
        port = _free_port()
        environment = os.environ | {
            "CLAIMSITE_DATABASE_URL": stack.enter_context(_database(folder)),
            "CLAIMSITE_BIND": f"127.0.0.1:{port}",
            "CLAIMSITE_CONDUCTOR_DELAYS": ",".join(DELAYS),
        }
        manage = [sys.executable, "manage.py"]
        subprocess.run([*manage, "migrate", "--verbosity=0"], env=environment, check=True)
        log = stack.enter_context((folder / "log").open("w+"))
        for command in ([sys.executable, "-m", "gunicorn"], [*manage, "run_conductor", "--hostname", "conductor-1"]):
            process = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
            stack.callback(_stop, process)
        address = f"http://127.0.0.1:{port}"
        _wait_for(f"{address}/baremetal/v1/conductors", log.name)
        yield address


@contextlib.contextmanager
def _database(folder: Path) -> Iterator[str]:
    if os.environ.get(postgres.CHOICE, "sqlite") != "postgres":
        yield f"sqlite:///{folder}/claimsite.sqlite3"
        return
    programs = postgres.programs()
    if programs is None:
        sys.exit("No PostgreSQL found.")
    server = postgres.Server(programs)
    server.start()
    try:
        with contextlib.closing(psycopg2.connect(f"{server.address.rpartition('/')[0]}/postgres")) as connection:
            connection.autocommit = True
            connection.cursor().execute("CREATE DATABASE claimsite")
        yield server.address
    finally:
        server.stop()


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(timeout=30)
    except subprocess.TimeoutExpired:
        process.kill()


def _free_port() -> int:
    for port in random.sample(PORTS, k=len(PORTS)):
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise RuntimeError(f"No free port among {PORTS}")


def _wait_for(address: str, log: str) -> None:
    """Until the conductor has signed on."""
    request = urllib.request.Request(address, headers={"X-OpenStack-Ironic-API-Version": "1.49"})
    for _ in range(START_SECONDS * 5):
        with contextlib.suppress(urllib.error.URLError, ConnectionError), urllib.request.urlopen(request) as answer:
            if b"conductor-1" in answer.read():
                return
        time.sleep(0.2)
    raise RuntimeError(f"The site does not start:\n{Path(log).read_text()}")
