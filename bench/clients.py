"""Clients in processes of their own: what they do must not be counted as, or wait for, what the measuring does."""

from __future__ import annotations

import contextlib
import dataclasses
import multiprocessing
import threading
import time
from collections.abc import Iterable, Sequence
from multiprocessing.connection import Connection as Pipe
from multiprocessing.synchronize import Barrier
from typing import Any

from bench.wire import Connection, Request

PROCESSES = 2
LONGEST_KEPT = 400
"""Bytes of the body of a refusal, for the report."""


@dataclasses.dataclass(frozen=True, slots=True)
class Done:
    tag: Any
    status: int
    seconds: float
    size: int
    refusal: str


@dataclasses.dataclass(frozen=True, slots=True)
class Load:
    done: list[Done]
    seconds: float
    """From the first request to the last answer."""


def run(port: int, headers: dict[str, str], plans: Sequence[Iterable[Request]], seconds: float) -> Load:
    """Each plan is a client, which sends its requests one after the other until they or the time are spent.

    Every client sends one request at least.
    """
    context = multiprocessing.get_context("fork")
    count = min(PROCESSES, len(plans))
    barrier = context.Barrier(count)
    pipes, processes = [], []
    for index in range(count):
        here, there = context.Pipe(duplex=False)
        process = context.Process(
            target=_crowd, args=(port, headers, plans[index::count], seconds, barrier, there), daemon=True
        )
        process.start()
        there.close()
        pipes.append(here)
        processes.append(process)
    results = [pipe.recv() for pipe in pipes]
    for process in processes:
        process.join()
    done = [one for _, _, several in results for one in several]
    return Load(done, max(end for _, end, _ in results) - min(start for start, _, _ in results))


def _crowd(
    port: int,
    headers: dict[str, str],
    plans: Sequence[Iterable[Request]],
    seconds: float,
    barrier: Barrier,
    results: Pipe,
) -> None:
    done: list[list[Done]] = [[] for _ in plans]
    barrier.wait()
    start = time.monotonic()
    threads = [
        threading.Thread(target=_client, args=(Connection(port, headers), plan, start + seconds, mine))
        for plan, mine in zip(plans, done, strict=True)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    results.send((start, time.monotonic(), [one for mine in done for one in mine]))


def _client(connection: Connection, plan: Iterable[Request], deadline: float, done: list[Done]) -> None:
    with contextlib.closing(connection):
        for request in plan:
            start = time.monotonic()
            try:
                answer = connection.send(request)
            except OSError as error:
                done.append(Done(request.tag, 0, time.monotonic() - start, 0, str(error)))
                connection.close()
            else:
                end = time.monotonic()
                refusal = answer.body[:LONGEST_KEPT].decode("latin-1") if answer.status >= 400 else ""
                done.append(Done(request.tag, answer.status, end - start, len(answer.body), refusal))
            if time.monotonic() > deadline:
                return
