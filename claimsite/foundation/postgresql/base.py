"""Django's PostgreSQL backend, with less asked of the server.

Django sends ``SELECT 1`` before the first statement of every request: for most reads that is as much work for both ends
as the request's own statement. A server that goes away, is told to end a session or changes its role closes the
connection, and then there is something to read on a connection on which nobody waits for an answer.

And it sends every statement as text, which the server parses and plans each time: for the short statements of a claim
that is two thirds of the server's work. ``ready`` lets a connection prepare them once.
"""

from __future__ import annotations

import select
from typing import Any

from django.conf import settings
from django.db.backends.postgresql import base

MOST_STATEMENTS = 300
"""That a connection keeps ready. A plan takes some ten kilobytes of the server."""
MOST_VALUES = 100
"""Of a statement that is worth keeping: longer ones come in too many lengths to come back."""


class DatabaseWrapper(base.DatabaseWrapper):
    _ready: dict[str, str]

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        self._ready = {}
        return super().get_new_connection(conn_params)

    def ready(self, statement: str, count: int) -> str:
        """What to send instead of a ``statement`` with ``count`` values, each a bare ``%s``, to the same effect.

        A connection is open already. What the statement reads must name its columns: with ``*`` a column more would
        make the server refuse what it has prepared.
        """
        if not settings.PREPARED_STATEMENTS:
            return statement
        known = self._ready.get(statement)
        if known is not None:
            return known
        if count > MOST_VALUES or len(self._ready) >= MOST_STATEMENTS:
            return statement
        name = f"claimsite_{len(self._ready)}"
        text = statement % tuple(f"${number}" for number in range(1, count + 1))
        with self.wrap_database_errors, self.connection.cursor() as cursor:
            cursor.execute(f"PREPARE {name} AS {text}")
        values = f"({', '.join(['%s'] * count)})" if count else ""
        self._ready[statement] = f"EXECUTE {name} {values}"
        return self._ready[statement]

    def is_usable(self) -> bool:
        """Whether statements can be sent. After an error, or if there is anything to read, the server is asked."""
        if self.connection is None or self.errors_occurred or self.connection.closed or self._has_something_to_read():
            return bool(super().is_usable())
        return True

    def _has_something_to_read(self) -> bool:
        poll = select.poll()
        poll.register(self.connection.fileno(), select.POLLIN)
        return bool(poll.poll(0))
