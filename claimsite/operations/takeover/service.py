"""What taking over a service is, whichever it is.

Nothing is taken away there and nothing that is here already is changed: what differs is told. So a run that broke off
is simply started again, and goes on where it was.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable
from typing import Any, ClassVar, Protocol

from claimsite.foundation.errors import DomainError, Kind
from claimsite.foundation.origin import Origin
from claimsite.replay.client import Answer


class Remote(Protocol):
    version: str

    def get(self, path: str) -> Answer: ...


class NoService(DomainError):
    """What answers is not the service, or not one that can be taken over."""

    kind = Kind.UNAVAILABLE
    message = "{path} was answered with {status}: {detail}"


@dataclasses.dataclass(slots=True)
class Report:
    taken: Counter[str] = dataclasses.field(default_factory=Counter)
    present: Counter[str] = dataclasses.field(default_factory=Counter)
    """What was here already, just so."""
    waiting: list[str] = dataclasses.field(default_factory=list)
    """What was on its way there and left out: a later run takes it, once it has arrived."""
    hidden: Counter[str] = dataclasses.field(default_factory=Counter)
    """The secrets that the service does not show, and of how many things."""
    faults: list[str] = dataclasses.field(default_factory=list)
    """What could not be taken, and why; what is different here."""

    @property
    def is_complete(self) -> bool:
        return not self.faults and not self.waiting


@dataclasses.dataclass(slots=True)
class Takeover:
    """``is_rehearsal``: ask and compare, and write nothing."""

    remote: Remote
    origin: Origin
    is_rehearsal: bool = False
    stepped: Callable[[str, int, int | None], None] = lambda name, done, total: None
    """Told between one thing and the next: what sort, how many are done, of how many. Breaks off by raising."""
    report: Report = dataclasses.field(default_factory=Report)

    expected: ClassVar[str]
    """Which service that is, and which version it must have at least."""

    def run(self) -> Report:
        """Raises NoService, and what the remote raises when it can't be asked."""
        raise NotImplementedError

    def ask(self, path: str, key: str) -> Any:
        """What the answer has under ``key``."""
        return self.document(path, key)[key]

    def document(self, path: str, key: str) -> dict[str, Any]:
        """The answer, which has ``key`` in it."""
        answer = self.remote.get(path)
        if answer.status != 200:
            raise NoService(path=path, status=answer.status, detail=answer.detail or f"no {self.expected}")
        if not isinstance(answer.document, dict) or answer.document.get(key) is None:
            raise NoService(path=path, status=answer.status, detail=f"no {key} in it: no {self.expected}")
        return answer.document

    def write(self, what: str, name: str, write: Callable[[str], Any]) -> bool:
        """Whether it was written (or would be). A refusal is told, and the rest goes on."""
        if not self.is_rehearsal:
            try:
                write(name)
            except DomainError as error:
                self.report.faults.append(f"{what} {name}: {error}")
                return False
        self.report.taken[what] += 1
        return True
