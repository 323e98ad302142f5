"""Is this installation well: what can be seen from here, each with the cure if it is not."""

from __future__ import annotations

import dataclasses
import enum
import shutil
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.core.checks import run_checks
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

from claimsite.foundation.checks import TAG
from ironic_app.models import Node, Transition
from ironic_app.services import conductors

LARGEST_SKEW = timedelta(seconds=2)
LONGEST_IDLE = timedelta(minutes=1)
"""A transaction that nobody works on for so long keeps others waiting."""
LONGEST_WAIT = timedelta(minutes=1)
"""Work on nodes that nobody has taken up for so long."""
MANY_ROWS = 1000


class Verdict(enum.StrEnum):
    WELL = "ok"
    WARNING = "warn"
    ILL = "FAIL"


@dataclasses.dataclass(frozen=True, slots=True)
class Diagnosis:
    verdict: Verdict
    subject: str
    text: str
    cure: str = ""


def examine() -> Iterator[Diagnosis]:
    """Raises DatabaseError, InterfaceError where the database can't be asked: what was seen by then is told before."""
    yield from _settings()
    yield from _database()
    yield from _migrations()
    if connection.vendor == "postgresql":
        for look in _OF_POSTGRESQL:
            yield look()
    else:
        yield _disk()
    yield _conductors()


def _settings() -> Iterator[Diagnosis]:
    messages = run_checks(tags=[TAG])
    for message in messages:
        verdict = Verdict.ILL if message.is_serious() else Verdict.WARNING
        yield Diagnosis(verdict, "settings", f"{message.id}: {message.msg}", message.hint or "")
    if not messages:
        yield Diagnosis(Verdict.WELL, "settings", "they are safe")


def _database() -> Iterator[Diagnosis]:
    version = ".".join(map(str, connection.get_database_version()))
    if connection.vendor == "postgresql":
        yield Diagnosis(Verdict.WELL, "database", f"PostgreSQL {version}")
        return
    [(mode,)] = _ask("PRAGMA journal_mode")
    told = f"SQLite {version}, one writer at a time, journal {mode}"
    if mode == "wal":
        yield Diagnosis(Verdict.WELL, "database", told)
    else:
        cure = "put the file on a disk of this machine: readers and the writer stop each other"
        yield Diagnosis(Verdict.WARNING, "database", told, cure)


def _migrations() -> Iterator[Diagnosis]:
    executor = MigrationExecutor(connection)
    missing = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if missing:
        names = ", ".join(f"{migration.app_label}.{migration.name}" for migration, _ in missing)
        yield Diagnosis(Verdict.ILL, "migrations", f"missing: {names}", "manage.py migrate")
    else:
        yield Diagnosis(Verdict.WELL, "migrations", "all applied")


# --- PostgreSQL -------------------------------------------------------------------------------------------------------
def _primary() -> Diagnosis:
    [(is_standby, is_read_only)] = _ask("SELECT pg_is_in_recovery(), current_setting('transaction_read_only') = 'on'")
    if is_standby or is_read_only:
        text = "it is a standby" if is_standby else "it takes no writes"
        return Diagnosis(Verdict.ILL, "primary", text, "point CLAIMSITE_DATABASE_URL at the primary")
    return Diagnosis(Verdict.WELL, "primary", "it takes writes")


def _clock() -> Diagnosis:
    before = timezone.now()
    [(there,)] = _ask("SELECT clock_timestamp()")
    skew = max(before - there, there - timezone.now(), timedelta())
    text = f"{skew.total_seconds():.1f} s apart from the database's"
    if skew > LARGEST_SKEW:
        return Diagnosis(Verdict.WARNING, "clock", text, "let both follow the same time server: ages are told by it")
    return Diagnosis(Verdict.WELL, "clock", text)


def _sessions() -> Diagnosis:
    [(used, most)] = _ask("SELECT count(*), current_setting('max_connections')::int FROM pg_stat_activity")
    text = f"{used:,} of {most:,} sessions"
    if used > most * 0.8:
        return Diagnosis(Verdict.WARNING, "sessions", text, "fewer workers or threads, or more max_connections")
    return Diagnosis(Verdict.WELL, "sessions", text)


def _idle_transactions() -> Diagnosis:
    rows = _ask(
        "SELECT pid, application_name FROM pg_stat_activity WHERE datname = current_database()"
        " AND state LIKE 'idle in transaction%%' AND state_change < now() - %s ORDER BY pid",
        LONGEST_IDLE,
    )
    if rows:
        told = ", ".join(f"pid {pid} ({name or 'unnamed'})" for pid, name in rows)
        cure = "end what holds them, or SELECT pg_terminate_backend(pid): claims may wait for their locks"
        return Diagnosis(Verdict.WARNING, "transactions", f"open and idle for more than a minute: {told}", cure)
    return Diagnosis(Verdict.WELL, "transactions", "none is open and idle")


def _statistics() -> Diagnosis:
    rows = _ask(
        "SELECT relname FROM pg_stat_user_tables WHERE n_live_tup > %s"
        " AND last_analyze IS NULL AND last_autoanalyze IS NULL ORDER BY relname",
        MANY_ROWS,
    )
    if rows:
        told = ", ".join(name for (name,) in rows)
        return Diagnosis(Verdict.WARNING, "statistics", f"none of {told}", "ANALYZE: it plans as if they were empty")
    return Diagnosis(Verdict.WELL, "statistics", "it knows its tables")


_OF_POSTGRESQL: Sequence[Callable[[], Diagnosis]] = (_primary, _clock, _sessions, _idle_transactions, _statistics)


# --- beside the database ----------------------------------------------------------------------------------------------
def _disk() -> Diagnosis:
    usage = shutil.disk_usage(Path(connection.settings_dict["NAME"]).parent)
    text = f"{usage.free // 2**20:,} MiB free beside the database"
    if usage.free < usage.total * 0.05:
        return Diagnosis(Verdict.WARNING, "disk", text, "make room: a full disk takes no claims")
    return Diagnosis(Verdict.WELL, "disk", text)


def _conductors() -> Diagnosis:
    alive = conductors.alive()
    if alive:
        return Diagnosis(Verdict.WELL, "conductors", f"{len(alive):,} alive")
    waiting = Transition.objects.filter(due_at__lt=timezone.now() - LONGEST_WAIT).count()
    if waiting:
        text = f"none is alive, and {waiting:,} nodes wait for one"
        return Diagnosis(Verdict.ILL, "conductors", text, "manage.py run_conductor")
    if Node.objects.exists():
        text = "none is alive: nodes keep their states"
        return Diagnosis(Verdict.WARNING, "conductors", text, "manage.py run_conductor, if they shall change")
    return Diagnosis(Verdict.WELL, "conductors", "none is alive, and there is no node")


def _ask(sql: str, *parameters: Any) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters or None)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    return rows
