"""Several clients at once, each taking the next request in order of arrival as soon as it is free."""

from __future__ import annotations

import dataclasses
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from claimsite.replay.claims import Manner, Outcome, serve
from claimsite.replay.client import Placement
from claimsite.replay.trace import Request

T = TypeVar("T")
R = TypeVar("R")


@dataclasses.dataclass(slots=True)
class Replay:
    """What a run gave: an outcome for each request that was started, in order of their ends."""

    outcomes: list[Outcome] = dataclasses.field(default_factory=list)
    seconds: float = 0.0
    interrupted: bool = False


def replay(
    placement: Placement,
    requests: Sequence[Request],
    *,
    clients: int,
    manner: Manner,
    ended: Callable[[Outcome], None],
) -> Replay:
    """Serve the requests with so many clients. ``ended`` is called for each, never by two threads at once.

    An interrupt (Ctrl-C) lets every client finish the request it is at. Raises Unreachable when the service is gone.
    """
    result = Replay()
    queue = iter(requests)
    turn = threading.Lock()
    stop = threading.Event()

    def work(client: int) -> None:
        try:
            while not stop.is_set():
                with turn:
                    request = next(queue, None)
                if request is None:
                    return
                outcome = serve(placement, request, client=client, manner=manner)
                with turn:
                    result.outcomes.append(outcome)
                    ended(outcome)
        except BaseException:
            stop.set()
            raise

    begun = time.perf_counter()
    with ThreadPoolExecutor(clients, thread_name_prefix="client") as pool:
        workers = [pool.submit(work, client) for client in range(clients)]
        try:
            for worker in workers:
                worker.result()
        except KeyboardInterrupt:
            result.interrupted = True
        finally:
            stop.set()
    result.seconds = time.perf_counter() - begun
    return result


def each(work: Callable[[T], R], items: Iterable[T], *, clients: int) -> list[R]:
    """The results of ``work`` for all items, in their order, so many at a time. Raises what ``work`` raises."""
    with ThreadPoolExecutor(clients, thread_name_prefix="client") as pool:
        return list(pool.map(work, items))
