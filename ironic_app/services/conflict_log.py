"""The log of refusals: attempts to take or release a node become part of its story, all else a ConflictRecord."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db.models import Model

from claimsite.foundation.errors import DomainError, Kind
from claimsite.foundation.origin import Origin
from claimsite.foundation.refusals import RefusalLog
from ironic_app.models import ConflictRecord, OwnershipEvent
from ironic_app.services import ownership_log


def _describe(operation: str, error: DomainError, origin: Origin, arguments: Mapping[str, Any]) -> Model:
    if "attempt" in error.facts:
        return ownership_log.refusal(attempt=error.facts["attempt"], error=error, origin=origin)
    return ConflictRecord(
        operation=operation,
        reason=type(error).__name__,
        text=str(error),
        facts={name: value for name, value in error.facts.items() if isinstance(value, str | int | None)},
        node_uuid=str(error.facts.get("node", ""))[:36],
        attempts=error.attempts,
        **ownership_log.by(origin),
    )


_LOG = RefusalLog(
    kinds={Kind.CONFLICT, Kind.STALE},
    describe=_describe,
    # What happened to nodes is kept.
    piles=lambda: [ConflictRecord.objects.all(), OwnershipEvent.objects.filter(event="refused")],
)
records_refusals = _LOG.records
record = _LOG.record
prune = _LOG.prune
