"""Records of refusals, which survive the transactions that were rolled back for them.

Decorators in a visible order do it: the log's ``records`` outside, ``write_transaction`` (durable) inside. So the
record is written when everything of the refused write is gone, only once however often it was tried, and nobody can
wrap both in a transaction that would take the record down with it.
"""

from __future__ import annotations

import dataclasses
import functools
import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import timedelta
from typing import Any, Final, ParamSpec, Protocol, TypeVar

from django.conf import settings
from django.db import DatabaseError
from django.db.models import Model, QuerySet
from django.utils import timezone

from claimsite.foundation import statements
from claimsite.foundation.errors import DomainError, Kind
from claimsite.foundation.origin import Origin

logger = logging.getLogger(__name__)

P = ParamSpec("P")
R = TypeVar("R")

PRUNE_EVERY: Final = 500
"""So many records later the old ones go: bounded without a timer, and no single refusal pays for much."""


class Describe(Protocol):
    def __call__(self, operation: str, error: DomainError, origin: Origin, arguments: Mapping[str, Any]) -> Model:
        """The record, not saved yet. ``arguments``: those of the verb that was refused."""


@dataclasses.dataclass(frozen=True, slots=True)
class RefusalLog:
    kinds: Collection[Kind]
    """Which refusals are recorded."""
    describe: Describe
    piles: Callable[[], Sequence[QuerySet[Any]]]
    """The rows that refusals make, by table: each is kept within the settings' bounds of age and number."""

    def records(self, operation: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
        """Leave a record of each refusal of the verb, and let the same error through. The verb must take ``origin``."""

        def decorate(verb: Callable[P, R]) -> Callable[P, R]:
            @functools.wraps(verb)
            def run(*args: P.args, **kwargs: P.kwargs) -> R:
                try:
                    return verb(*args, **kwargs)
                except DomainError as error:
                    if error.kind in self.kinds:
                        arguments: dict[str, Any] = kwargs
                        self.record(operation, error, arguments["origin"], arguments)
                    raise

            return run

        return decorate

    def record(
        self, operation: str, error: DomainError, origin: Origin, arguments: Mapping[str, Any] | None = None
    ) -> None:
        """A record that can't be written is logged, and changes nothing for the caller."""
        try:
            row = self.describe(operation, error, origin, arguments or {})
            statements.insert(row)
            if row.pk % PRUNE_EVERY == 0:
                self.prune()
        except DatabaseError:
            logger.exception("A refusal of %s could not be recorded: %s", operation, error)

    def prune(self) -> int:
        """Drop what is older or more than the settings allow; how many went."""
        return sum(map(_prune, self.piles()))


def _prune(rows: QuerySet[Any]) -> int:
    oldest_kept = timezone.now() - timedelta(days=settings.CONFLICT_RECORDS_MAX_DAYS)
    by_age, _ = rows.filter(created_at__lt=oldest_kept).delete()
    newest_too_many = rows.order_by("-pk").values_list("pk", flat=True)[settings.CONFLICT_RECORDS_MAX_COUNT :].first()
    by_count, _ = rows.filter(pk__lte=newest_too_many).delete() if newest_too_many is not None else (0, {})
    return by_age + by_count
