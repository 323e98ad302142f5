"""What has to be done before the first request: the tables are brought up to date, by one process at a time."""

from __future__ import annotations

import contextlib
import fcntl
from collections.abc import Iterator
from pathlib import Path

from django.core.management import call_command
from django.db import connection, connections

# Any number will do, as long as nobody else takes it for a lock of the same database.
_LOCK = 1779725


def prepare() -> None:
    """Apply the migrations that are missing. Several servers may start at once: the others wait and find nothing to do.

    Leaves no connection behind, so that worker processes can be forked afterwards.
    """
    try:
        with _alone():
            call_command("migrate", verbosity=0, interactive=False)
    finally:
        connections.close_all()


@contextlib.contextmanager
def _alone() -> Iterator[None]:
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = 0")
            cursor.execute("SELECT pg_advisory_lock(%s)", [_LOCK])
        # Released with the connection.
        yield
        return
    path = Path(f"{connection.settings_dict['NAME']}.starting")
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
