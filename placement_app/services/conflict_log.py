"""The log of conflicts, which survives the transactions that were rolled back for them.

Decorators in a visible order do it: ``records_conflicts`` outside, ``write_transaction`` (durable) inside. So the
record is written when everything of the refused write is gone, and nobody can wrap both in a transaction that
would take the record down with it.
"""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any, ParamSpec, TypeVar

from django.conf import settings
from django.db import DatabaseError
from django.utils import timezone

from claimsite.foundation.errors import DomainError, Kind
from claimsite.foundation.origin import Origin
from placement_app.claims import Claim
from placement_app.models import ConflictRecord

logger = logging.getLogger(__name__)

P = ParamSpec("P")
R = TypeVar("R")

# Every so many records the old ones go: bounded without a timer, and no single refusal pays for much.
_PRUNE_EVERY = 500


def records_conflicts(operation: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Leave a ConflictRecord for every refusal of kind CONFLICT, and let the same error through.

    The verb must take ``origin``. A record that cannot be written is logged and changes nothing for the caller.
    """

    def decorate(verb: Callable[P, R]) -> Callable[P, R]:
        @functools.wraps(verb)
        def run(*args: P.args, **kwargs: P.kwargs) -> R:
            try:
                return verb(*args, **kwargs)
            except DomainError as error:
                if error.kind is Kind.CONFLICT:
                    record(operation, error, _origin(kwargs), claims=_claims(kwargs))
                raise

        return run

    return decorate


def record(operation: str, error: DomainError, origin: Origin, claims: Sequence[Claim] = ()) -> None:
    """``claims`` are what was wanted: the story of a refusal is told with them, long after."""
    facts: dict[str, Any] = {
        name: value for name, value in error.facts.items() if isinstance(value, str | int | float | None)
    }
    if claims:
        provider = str(facts.get("provider", ""))
        concerned = _concerned(claims, str(facts.get("consumer", "")), provider)
        facts |= {
            "consumer": concerned.consumer_uuid,
            "wanted": {uuid: dict(amounts) for uuid, amounts in concerned.resources.items()},
            "project": concerned.owner.project_id,
            "user": concerned.owner.user_id,
        }
    try:
        row = ConflictRecord.objects.create(
            operation=operation,
            reason=type(error).__name__,
            code=error.code,
            text=str(error),
            facts=facts,
            consumer_uuid=str(facts.get("consumer", ""))[:36],
            provider_uuid=str(facts.get("provider", ""))[:36],
            attempts=error.attempts,
            door=origin.door.value,
            actor=origin.actor[:255],
            request_id=origin.request_id[:255],
        )
        if row.pk % _PRUNE_EVERY == 0:
            prune(newest=row.pk)
    except DatabaseError:
        logger.exception("A conflict of %s could not be recorded: %s", operation, error)


def prune(*, newest: int) -> int:
    """Drop what is older or more than the settings allow; how many went."""
    oldest_kept = timezone.now() - timedelta(days=settings.CONFLICT_RECORDS_MAX_DAYS)
    by_age, _ = ConflictRecord.objects.filter(created_at__lt=oldest_kept).delete()
    by_count, _ = ConflictRecord.objects.filter(pk__lte=newest - settings.CONFLICT_RECORDS_MAX_COUNT).delete()
    return by_age + by_count


def _concerned(claims: Sequence[Claim], consumer: str, provider: str) -> Claim:
    """The claim that was refused: the named consumer's, or else the first that wants something of the provider."""
    named = [claim for claim in claims if claim.consumer_uuid == consumer]
    wanting = [claim for claim in claims if provider in claim.resources]
    return (named or wanting or list(claims))[0]


def _claims(arguments: dict[str, Any]) -> Sequence[Claim]:
    claims: Sequence[Claim] = arguments.get("claims", ())
    return claims


def _origin(arguments: dict[str, Any]) -> Origin:
    origin = arguments["origin"]
    assert isinstance(origin, Origin)
    return origin
