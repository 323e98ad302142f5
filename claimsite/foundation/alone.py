"""One at a time on a database: whoever comes second is told who is at it.

Nothing relies on it for being right, since every act is conditional on what was reported. It spares people two reports
that contradict each other. So a pool that gives each transaction another connection only weakens it.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import socket
import zlib
from collections.abc import Iterator
from pathlib import Path

from django.db import DatabaseError, InterfaceError, connection
from django.utils import timezone

from claimsite.foundation.errors import DomainError, Kind


class NotAlone(DomainError):
    kind = Kind.CONFLICT
    message = "Another {what} is running: {holder}. Nothing was done."


@contextlib.contextmanager
def alone(what: str) -> Iterator[None]:
    """Raises NotAlone."""
    if connection.vendor == "postgresql":
        with _advisory_lock(what):
            yield
    else:
        with file_lock(Path(f"{connection.settings_dict['NAME']}.{what}.lock"), what):
            yield


@contextlib.contextmanager
def file_lock(path: Path, what: str) -> Iterator[None]:
    """Gone with the process, however it ends; the file stays. Raises NotAlone."""
    with path.open("a+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            raise NotAlone(what=what, holder=file.read().strip()) from None
        file.truncate(0)
        file.write(f"{_self()}, since {timezone.now():%H:%M:%SZ}")
        file.flush()
        yield


@contextlib.contextmanager
def _advisory_lock(what: str) -> Iterator[None]:
    """Gone with the database's session, however it ends. Raises NotAlone."""
    key = zlib.crc32(f"claimsite {what}".encode())
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s), current_setting('application_name')", [key])
        is_free, name = cursor.fetchone()
        if not is_free:
            raise NotAlone(what=what, holder=_holder(key))
        cursor.execute("SELECT set_config('application_name', %s, false)", [_self()])
    try:
        yield
    finally:
        # A session that broke has taken the lock along.
        with contextlib.suppress(DatabaseError, InterfaceError), connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_unlock(%s), set_config('application_name', %s, false)", [key, name])


def _holder(key: int) -> str:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT application_name, backend_start FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE granted "
            "AND locktype = 'advisory' AND classid = 0 AND objid = %s AND objsubid = 1 "
            "AND database = (SELECT oid FROM pg_database WHERE datname = current_database())",
            [key],
        )
        found = cursor.fetchone()
    return f"{found[0]}, since {found[1]:%H:%M:%SZ}" if found else "it has just ended"


def _self() -> str:
    return f"process {os.getpid()} on {socket.gethostname()}"
