"""Django's PostgreSQL backend, which finds out whether a kept connection still stands without asking the server.

Django sends ``SELECT 1`` before the first statement of every request: for most reads that is as much work for both ends
as the request's own statement. A server that goes away, is told to end a session or changes its role closes the
connection, and then there is something to read on a connection on which nobody waits for an answer.
"""

from __future__ import annotations

import select

from django.db.backends.postgresql import base


class DatabaseWrapper(base.DatabaseWrapper):
    def is_usable(self) -> bool:
        """Whether statements can be sent. After an error, or if there is anything to read, the server is asked."""
        if self.connection is None or self.errors_occurred or self.connection.closed or self._has_something_to_read():
            return bool(super().is_usable())
        return True

    def _has_something_to_read(self) -> bool:
        poll = select.poll()
        poll.register(self.connection.fileno(), select.POLLIN)
        return bool(poll.poll(0))
