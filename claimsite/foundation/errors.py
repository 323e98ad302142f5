"""How a service says no. Kinds and facts here, status codes and documents in the doors."""

from __future__ import annotations

import enum
from typing import Any, ClassVar


class Kind(enum.Enum):
    """What sort of refusal it is. A door turns it into its own terms (HTTP status, exit code, admin message)."""

    INVALID = "invalid"
    FORBIDDEN = "forbidden"
    NOT_FOUND = "not found"
    CONFLICT = "conflict"
    STALE = "stale"
    UNAVAILABLE = "unavailable"


class DomainError(Exception):
    """A refusal: its kind, a wire code, and the facts that its text is made of.

    The text is derived once and handed to ``Exception``, so logs, admin messages and commands read it as the API does.
    """

    kind: ClassVar[Kind]
    code: ClassVar[str] = "undefined_code"
    message: ClassVar[str]
    attempts: int = 1
    """How often the write was tried before this error was let out (see ``transactions.write_transaction``)."""

    def __init__(self, **facts: Any) -> None:
        self.facts = facts
        super().__init__(self.message.format(**facts))


class LostRace(DomainError):
    """Something this write had read changed before it could write. Nothing is stored, and trying again makes sense.

    Only ``transactions.write_transaction`` catches it, and only a caller whose tries are spent ever sees it.
    """

    kind = Kind.CONFLICT
    code = "concurrent_update"


class DatabaseRaceLost(LostRace):
    """The database itself gave up this transaction in favour of another (deadlock, serialization failure)."""

    message = "Another request changed the same data at the same time. Read it again and retry."


class Busy(DomainError):
    """A lock was waited for and not had in time. Nothing is stored."""

    kind = Kind.UNAVAILABLE
    message = "The service is busy: a lock was not free in time. Nothing was changed; please retry."
    retry_after_seconds: ClassVar[int] = 2
