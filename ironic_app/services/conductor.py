"""The conductor at work: one round of everything that is due, and the process that makes round after round."""

from __future__ import annotations

import functools
import logging
import queue
import threading
import time
from collections.abc import Callable

from django.conf import settings
from django.db import DatabaseError, InterfaceError, connection

from claimsite.foundation.errors import DomainError
from ironic_app.services import conductors, drivers, matching, recovery, transitions
from ironic_app.services.transitions import Worker

logger = logging.getLogger(__name__)

_BATCH = 100


def run_once(*, worker: Worker) -> int:
    """Do whatever is due until nothing is due any more; the number of steps it took.

    Work that takes time is begun here and ended by a later round.
    """
    steps = recovery.put_right(worker=worker)
    while done := _round(worker):
        steps += done
    return steps


def _round(worker: Worker) -> int:
    nodes = [
        transitions.advance(node_uuid=uuid, worker=worker) for uuid in transitions.due(worker=worker, limit=_BATCH)
    ]
    waiting = [matching.match(uuid=uuid) for uuid in matching.due(limit=_BATCH)]
    return sum(nodes) + sum(waiting)


class ConductorProcess:
    """Looks for work every ``poll_seconds`` and shares it out among ``threads``, until ``stop`` is set.

    One thread only looks and sends heartbeats: a conductor whose work is stuck is still alive, and one whose database
    is gone is not. Trouble with the database is logged and waited out; it never ends the process.
    """

    def __init__(self, *, worker: Worker, threads: int, poll_seconds: float, stop: threading.Event) -> None:
        self.worker = worker
        self.poll_seconds = poll_seconds
        self.stop = stop
        self._jobs: queue.SimpleQueue[tuple[str, Callable[[], object]] | None] = queue.SimpleQueue()
        self._under_way: set[str] = set()
        self._threads = [threading.Thread(target=self._work, name=f"conductor-{n}") for n in range(threads)]
        self._next_heartbeat = 0.0

    def run(self) -> None:
        self._guarded(self._sign_on)
        for thread in self._threads:
            thread.start()
        try:
            while not self.stop.is_set():
                self._guarded(self._look)
                self.stop.wait(self.poll_seconds)
        finally:
            for _ in self._threads:
                self._jobs.put(None)
            for thread in self._threads:
                thread.join()
            self._guarded(self._sign_off)
            connection.close()

    def _work(self) -> None:
        try:
            while (job := self._jobs.get()) is not None:
                name, call = job
                self._guarded(call)
                self._under_way.discard(name)
        finally:
            connection.close()

    def _sign_on(self) -> None:
        conductors.sign_on(
            hostname=self.worker.hostname,
            conductor_group=self.worker.conductor_group,
            drivers=drivers.names(),
        )

    def _sign_off(self) -> None:
        transitions.let_go(worker=self.worker)
        conductors.sign_off(hostname=self.worker.hostname)

    def _look(self) -> None:
        now = time.monotonic()
        if now >= self._next_heartbeat:
            if not conductors.heartbeat(hostname=self.worker.hostname):
                self._sign_on()
            self._next_heartbeat = now + settings.CONDUCTOR_TIMEOUT_SECONDS / 4
            self._submit("put right", functools.partial(recovery.put_right, worker=self.worker))
        room = _BATCH - len(self._under_way)
        if room <= 0:
            return
        for uuid in transitions.due(worker=self.worker, limit=room):
            self._submit(uuid, functools.partial(transitions.advance, node_uuid=uuid, worker=self.worker))
        for uuid in matching.due(limit=room):
            self._submit(uuid, functools.partial(matching.match, uuid=uuid))

    def _submit(self, name: str, job: Callable[[], object]) -> None:
        if name not in self._under_way:
            self._under_way.add(name)
            self._jobs.put((name, job))

    def _guarded(self, job: Callable[[], object]) -> None:
        try:
            job()
        except DomainError as error:
            logger.warning("Conductor %s: %s", self.worker.hostname, error)
        except (DatabaseError, InterfaceError) as error:
            logger.warning("Conductor %s: the database failed: %s", self.worker.hostname, error)
            connection.close()
        except Exception:
            logger.exception("Conductor %s: a step failed", self.worker.hostname)
