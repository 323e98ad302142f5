"""Things that happen at the same moment, over real connections."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor

from django.db import connection


def together(actions: Iterable[Callable[[], object]]) -> list:
    """Run all actions at the same moment, each in a thread with a connection of its own; their results in order."""
    actions = list(actions)
    barrier = threading.Barrier(len(actions))

    def run(action):
        try:
            barrier.wait(timeout=30)
            return action()
        finally:
            connection.close()

    with ThreadPoolExecutor(len(actions)) as pool:
        return list(pool.map(run, actions))
