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
from django.db import OperationalError, transaction

from claimsite.foundation.errors import Busy, DatabaseRaceLost, LostRace

logger = logging.getLogger(__name__)

P = ParamSpec("P")
R = TypeVar("R")

# PostgreSQL's names for "another transaction was preferred": serialization_failure, deadlock_detected.
_LOST_RACE_STATES = {"40001", "40P01"}
# lock_not_available: lock_timeout ran out, so waiting once more would only double the caller's wait.
_LOCK_TIMEOUT_STATES = {"55P03"}
_LONGEST_PAUSE_SECONDS = 0.05


_attempt: contextvars.ContextVar[int] = contextvars.ContextVar("attempt", default=1)


def current_attempt() -> int:
    """Which try of the running write this is, for the records it leaves."""
    return _attempt.get()


def write_transaction(verb: Callable[P, R]) -> Callable[P, R]:
    """Run ``verb`` in a durable transaction; try again, a bounded number of times, when it lost a race.

    Durable means that it refuses to run inside another transaction, so a conflict record written after it can never be
    rolled back by a caller. The number of retries is the setting ALLOCATION_CONFLICT_RETRY_COUNT.

    Raises whatever ``verb`` raises, with ``attempts`` set on a LostRace whose tries are spent; Busy when a lock was not
    free in time.
    """

    @functools.wraps(verb)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        deadline = time.monotonic() + settings.LOCK_WAIT_SECONDS
        for attempt in itertools.count(1):
            _attempt.set(attempt)
            try:
                with transaction.atomic(durable=True):
                    return verb(*args, **kwargs)
            except (LostRace, OperationalError) as error:
                lost = _as_lost_race(error)
                lost.attempts = attempt
                if attempt > settings.ALLOCATION_CONFLICT_RETRY_COUNT or time.monotonic() > deadline:
                    logger.warning("%s gave up after %d tries: %s", verb.__qualname__, attempt, lost)
                    raise lost from error
                logger.debug("%s lost a race, try %d: %s", verb.__qualname__, attempt, lost)
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


def _as_lost_race(error: LostRace | OperationalError) -> LostRace:
    if isinstance(error, LostRace):
        return error
    state = sql_state(error)
    if state in _LOST_RACE_STATES or "database is locked" in str(error):
        return DatabaseRaceLost()
    if state in _LOCK_TIMEOUT_STATES:
        raise Busy from error
    raise error


def sql_state(error: BaseException) -> str | None:
    """The SQLSTATE beneath a Django database error (psycopg2 says ``pgcode``, others say ``sqlstate``)."""
    cause = error.__cause__
    return getattr(cause, "pgcode", None) or getattr(cause, "sqlstate", None)
