"""Real threads with connections of their own, let loose at the same moment."""

import threading
from collections.abc import Callable, Sequence
from typing import Any

from django.db import connection


def race(*runners: Callable[[], Any]) -> Sequence[Any]:
    """What each returned, in order. An exception in one of them is raised here, when all have ended."""
    gate = threading.Barrier(len(runners))
    results: list[Any] = [None] * len(runners)
    raised: list[Exception] = []

    def run(lane: int) -> None:
        try:
            connection.ensure_connection()
            gate.wait()
            results[lane] = runners[lane]()
        except Exception as error:
            raised.append(error)
            gate.abort()
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(lane,)) for lane in range(len(runners))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if raised:
        raise raised[0]
    return results
