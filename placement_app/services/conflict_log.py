"""The log of conflicts: what was refused, and what had been wanted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from claimsite.foundation.errors import DomainError, Kind
from claimsite.foundation.origin import Origin
from claimsite.foundation.refusals import RefusalLog
from placement_app.claims import Claim
from placement_app.models import ConflictRecord


def _describe(operation: str, error: DomainError, origin: Origin, arguments: Mapping[str, Any]) -> ConflictRecord:
    """With the claims that were wanted: the story of a refusal is told with them, long after."""
    facts: dict[str, Any] = {
        name: value for name, value in error.facts.items() if isinstance(value, str | int | float | None)
    }
    if "consumer_uuid" in arguments:
        facts.setdefault("consumer", arguments["consumer_uuid"])
    if claims := arguments.get("claims", ()):
        concerned = _concerned(claims, str(facts.get("consumer", "")), str(facts.get("provider", "")))
        facts |= {
            "consumer": concerned.consumer_uuid,
            "wanted": {uuid: dict(amounts) for uuid, amounts in concerned.resources.items()},
            "project": concerned.owner.project_id,
            "user": concerned.owner.user_id,
        }
    return ConflictRecord(
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


def _concerned(claims: Sequence[Claim], consumer: str, provider: str) -> Claim:
    """The claim that was refused: the named consumer's, or else the first that wants something of the provider."""
    named = [claim for claim in claims if claim.consumer_uuid == consumer]
    wanting = [claim for claim in claims if provider in claim.resources]
    return (named or wanting or list(claims))[0]


_LOG = RefusalLog(kinds={Kind.CONFLICT}, describe=_describe, piles=lambda: [ConflictRecord.objects.all()])
records_conflicts = _LOG.records
record = _LOG.record
prune = _LOG.prune
