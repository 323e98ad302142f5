"""Records of refusals, which survive the transactions that were rolled back for them.

Decorators in a visible order do it: ``records_refusals`` outside, ``waits_for_node`` and ``write_transaction``
(durable) inside. So the record is written when everything of the refused write is gone, and only once however often
it was tried.
"""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable
from datetime import timedelta
from typing import Any, ParamSpec, TypeVar

from django.conf import settings
from django.db import DatabaseError
from django.db.models import QuerySet
from django.utils import timezone

from claimsite.foundation.errors import DomainError, Kind
from claimsite.foundation.origin import Origin
from ironic_app.models import ConflictRecord, OwnershipEvent
from ironic_app.services import ownership_log

logger = logging.getLogger(__name__)

P = ParamSpec("P")
R = TypeVar("R")

_PRUNE_EVERY = 500


def records_refusals(operation: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Leave a record of every conflict and every stale write, and let the same error through.

    The verb must take ``origin``. A record that cannot be written is logged and changes nothing for the caller.
    """

    def decorate(verb: Callable[P, R]) -> Callable[P, R]:
        @functools.wraps(verb)
        def run(*args: P.args, **kwargs: P.kwargs) -> R:
            try:
                return verb(*args, **kwargs)
            except DomainError as error:
                if error.kind in {Kind.CONFLICT, Kind.STALE}:
                    origin: Any = kwargs["origin"]
                    record(operation, error, origin)
                raise

        return run

    return decorate


def record(operation: str, error: DomainError, origin: Origin) -> None:
    """A refused attempt to take or release a node becomes part of its story; everything else a ConflictRecord."""
    try:
        if "attempt" in error.facts:
            event = ownership_log.refusal(attempt=error.facts["attempt"], error=error, origin=origin)
            event.save(force_insert=True)
            if event.pk % _PRUNE_EVERY == 0:
                prune()
            return
        row = ConflictRecord.objects.create(
            operation=operation,
            reason=type(error).__name__,
            text=str(error),
            facts={name: value for name, value in error.facts.items() if isinstance(value, str | int | None)},
            node_uuid=str(error.facts.get("node", ""))[:36],
            attempts=error.attempts,
            **ownership_log.by(origin),
        )
        if row.pk % _PRUNE_EVERY == 0:
            prune()
    except DatabaseError:
        logger.exception("A refusal of %s could not be recorded: %s", operation, error)


def prune() -> int:
    """Drop refusals that are older or more than the settings allow; how many went. What happened to nodes is kept."""
    return sum(map(_prune, (ConflictRecord.objects.all(), OwnershipEvent.objects.filter(event="refused"))))


def _prune(rows: QuerySet[Any]) -> int:
    oldest_kept = timezone.now() - timedelta(days=settings.CONFLICT_RECORDS_MAX_DAYS)
    by_age, _ = rows.filter(created_at__lt=oldest_kept).delete()
    newest_too_many = rows.order_by("-pk").values_list("pk", flat=True)[settings.CONFLICT_RECORDS_MAX_COUNT :].first()
    by_count, _ = rows.filter(pk__lte=newest_too_many).delete() if newest_too_many is not None else (0, {})
    return by_age + by_count
