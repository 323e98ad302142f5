"""The site as a WSGI application in a test: what a server calls, without Django's test client in between."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections


@contextlib.contextmanager
def application_in_a_test() -> Iterator[Callable[..., Any]]:
    """Built from the settings now in force. Its requests share the test's connection and transaction."""
    # The beginning or end of a request would close the connection, and with it the transaction that is rolled back.
    signals = (request_started, request_finished)
    for signal in signals:
        signal.disconnect(close_old_connections)
    try:
        yield get_wsgi_application()
    finally:
        for signal in signals:
            signal.connect(close_old_connections)
