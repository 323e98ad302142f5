"""The one way to write: a durable transaction that is tried again when it lost a race.

Retrying happens around the outermost transaction and nowhere else. A retry inside an open transaction would see the
rows of its own failed try, and count them as somebody's earlier usage.
"""

from __future__ import annotations

import contextvars
import functools
import itertools
import logging
import random
import time
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from django.conf import settings
from django.db import InterfaceError, OperationalError, transaction

from claimsite.foundation.errors import Busy, DatabaseRaceLost, DomainError, LostRace

logger = logging.getLogger(__name__)

P = ParamSpec("P")
R = TypeVar("R")

# PostgreSQL's names for "another transaction was preferred": serialization_failure, deadlock_detected.
_LOST_RACE_STATES = {"40001", "40P01"}
# lock_not_available: lock_timeout ran out, so waiting once more would only double the caller's wait. SQLite has no code
# of its own for it; here it says so after its timeout only, since no transaction starts as a reader and writes later.
_LOCK_TIMEOUT_STATES = {"55P03"}
_LOCK_TIMEOUT_TEXT = "database is locked"
# read_only_sql_transaction: after a fail-over this is no longer the primary.
_READ_ONLY_STATES = {"25006"}
# program_limit_exceeded: a statement that this server will never run.
_MISTAKE_CLASSES = {"54"}
_LONGEST_PAUSE_SECONDS = 0.05


_attempt: contextvars.ContextVar[int] = contextvars.ContextVar("attempt", default=1)


def current_attempt() -> int:
    """Which try of the running write this is, for the records it leaves."""
    return _attempt.get()


def write_transaction(verb: Callable[P, R]) -> Callable[P, R]:
    """Run ``verb`` in a durable transaction; try again, a bounded number of times, when it lost a race.

    Durable means that it refuses to run inside another transaction, so a conflict record written after it can never be
    rolled back by a caller. The number of retries is the setting ALLOCATION_CONFLICT_RETRY_COUNT.

    Raises whatever ``verb`` raises, with ``attempts`` set on a refusal; Busy when a lock was not free in time.
    """

    @functools.wraps(verb)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        deadline = time.monotonic() + settings.LOCK_WAIT_SECONDS
        for attempt in itertools.count(1):
            _attempt.set(attempt)
            try:
                with transaction.atomic(durable=True):
                    return verb(*args, **kwargs)
            except (DomainError, OperationalError) as error:
                refusal = error if isinstance(error, DomainError) else _as_refusal(error)
                refusal.attempts = attempt
                is_last = attempt > settings.ALLOCATION_CONFLICT_RETRY_COUNT or time.monotonic() > deadline
                if is_last and isinstance(refusal, LostRace):
                    logger.warning("%s gave up after %d tries: %s", verb.__qualname__, attempt, refusal)
                if is_last or not isinstance(refusal, LostRace):
                    if refusal is error:
                        raise
                    raise refusal from error
                logger.debug("%s lost a race, try %d: %s", verb.__qualname__, attempt, refusal)
            # Full jitter: racers that collided once should not come back in step.
            time.sleep(random.uniform(0, min(_LONGEST_PAUSE_SECONDS, 0.002 * 2**attempt)))
        raise AssertionError("unreachable")

    return run


def needs_transaction(function: Callable[P, R]) -> Callable[P, R]:
    """For what lives beneath a verb: refuse to run without the verb's transaction."""

    @functools.wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        if not transaction.get_connection().in_atomic_block:
            raise RuntimeError(f"{function.__qualname__} needs the transaction of a service verb.")
        return function(*args, **kwargs)

    return run


def _as_refusal(error: OperationalError) -> DatabaseRaceLost | Busy:
    """What the database means by it. Raises ``error`` itself when it is neither of the two."""
    state = sql_state(error)
    if state in _LOST_RACE_STATES:
        return DatabaseRaceLost()
    if state in _LOCK_TIMEOUT_STATES or _LOCK_TIMEOUT_TEXT in str(error):
        return Busy()
    raise error


def is_unavailable(error: BaseException) -> bool:
    """Whether the database can't answer for now: it is down, full, read-only or in a change of primary.

    False for what would go wrong on a healthy database as well, such as a table that is missing.
    """
    state = sql_state(error)
    if state in _READ_ONLY_STATES:
        return True
    if not isinstance(error, OperationalError | InterfaceError):
        return False
    if state is not None:
        return state[:2] not in _MISTAKE_CLASSES
    return getattr(error.__cause__, "sqlite_errorname", None) != "SQLITE_ERROR"


def sql_state(error: BaseException) -> str | None:
    """The SQLSTATE beneath a Django database error (psycopg2 says ``pgcode``, others say ``sqlstate``)."""
    cause = error.__cause__
    return getattr(cause, "pgcode", None) or getattr(cause, "sqlstate", None)
