"""Django's SQLite backend, with one queue of writers a process.

SQLite has one writer at a time. Threads that wait for it *inside* SQLite can stall each other for whole seconds: the
lock holder may run Python's garbage collector, which finalises a cursor of a waiting thread's connection, and that
needs the very mutex which the waiter holds while it sleeps. Queueing before ``BEGIN IMMEDIATE``, or before a single
statement that writes on its own, removes the meeting.
"""

from __future__ import annotations

import contextlib
import threading
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from django.db.backends.sqlite3 import base
from django.db.utils import OperationalError

_queues: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)
_WRITES = ("INSERT", "UPDATE", "DELETE", "REPLACE")


# The stubs leave out the methods that backends override: hence the ignored types.
class DatabaseWrapper(base.DatabaseWrapper):
    _turn: threading.Lock | None = None
    """The queue at whose head this connection is."""

    def create_cursor(self, name: str | None = None) -> Cursor:
        cursor: Cursor = self.connection.cursor(factory=lambda connection: Cursor(connection, self))
        return cursor

    def _start_transaction_under_autocommit(self) -> None:
        self._enter_queue()
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

    def needs_turn(self, query: str) -> bool:
        """Whether ``query`` is about to write outside a transaction."""
        return self._turn is None and query.lstrip()[:7].upper().startswith(_WRITES)

    @contextlib.contextmanager
    def turn(self) -> Iterator[None]:
        self._enter_queue()
        try:
            yield
        finally:
            self._leave_queue()

    def _enter_queue(self) -> None:
        queue = _queues[str(self.settings_dict["NAME"])]
        timeout = float(self.settings_dict["OPTIONS"].get("timeout", 5))
        if not queue.acquire(timeout=timeout):
            raise OperationalError(f"database is locked: no turn to write within {timeout:g} s")
        self._turn = queue

    def _leave_queue(self) -> None:
        queue, self._turn = self._turn, None
        if queue is not None:
            queue.release()


class Cursor(base.SQLiteCursorWrapper):
    def __init__(self, connection: Any, wrapper: DatabaseWrapper) -> None:
        super().__init__(connection)
        self._wrapper = wrapper
        self._returned: list[Any] | None = None

    def execute(self, query: str, params: Any = None) -> Cursor:
        self._returned = None
        if not self._wrapper.needs_turn(query):
            super().execute(query, params)
            return self
        with self._wrapper.turn():
            super().execute(query, params)
            if self.description is not None:
                # INSERT … RETURNING is only committed once its rows are read: within this turn, then.
                self._returned = super().fetchall()
        return self

    def executemany(self, query: str, param_list: Any) -> Cursor:
        self._returned = None
        if not self._wrapper.needs_turn(query):
            super().executemany(query, param_list)
            return self
        with self._wrapper.turn():
            super().executemany(query, param_list)
        return self

    def fetchone(self) -> Any:
        if self._returned is None:
            return super().fetchone()
        return self._returned.pop(0) if self._returned else None

    def fetchmany(self, size: int | None = 1) -> list[Any]:
        if self._returned is None:
            return super().fetchmany(size)
        rows, self._returned = self._returned[:size], self._returned[size:]
        return rows

    def fetchall(self) -> list[Any]:
        if self._returned is None:
            return super().fetchall()
        rows, self._returned = self._returned, []
        return rows

    def __iter__(self) -> Any:
        return super().__iter__() if self._returned is None else iter(self.fetchall())
