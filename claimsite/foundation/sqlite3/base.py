"""Django's SQLite backend, with one queue of writers a process.

SQLite has one writer at a time. Threads that wait for it *inside* SQLite can stall each other for whole seconds: the
lock holder may run Python's garbage collector, which finalises a cursor of a waiting thread's connection, and that
needs the very mutex which the waiter holds while it sleeps. Queueing before ``BEGIN IMMEDIATE`` removes the meeting.
"""

from __future__ import annotations

import threading
from collections import defaultdict

from django.db.backends.sqlite3 import base
from django.db.utils import OperationalError

_queues: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)


# The stubs leave out the methods that backends override: hence the four ignored types.
class DatabaseWrapper(base.DatabaseWrapper):
    _holds_queue = False

    def _start_transaction_under_autocommit(self) -> None:
        timeout = float(self.settings_dict["OPTIONS"].get("timeout", 5))
        if not self._queue.acquire(timeout=timeout):
            raise OperationalError(f"database is locked: no turn to write within {timeout:g} s")
        self._holds_queue = True
        try:
            super()._start_transaction_under_autocommit()  # type: ignore[misc]
        except BaseException:
            self._leave_queue()
            raise

    # If COMMIT itself fails, Django rolls back next, and that leaves the queue.
    def _commit(self) -> None:
        super()._commit()  # type: ignore[misc]
        self._leave_queue()

    def _rollback(self) -> None:
        try:
            super()._rollback()  # type: ignore[misc]
        finally:
            self._leave_queue()

    def _close(self) -> None:
        try:
            super()._close()  # type: ignore[misc]
        finally:
            self._leave_queue()

    @property
    def _queue(self) -> threading.Lock:
        return _queues[str(self.settings_dict["NAME"])]

    def _leave_queue(self) -> None:
        if self._holds_queue:
            self._holds_queue = False
            self._queue.release()
