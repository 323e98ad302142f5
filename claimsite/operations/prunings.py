"""Forgetting on purpose: refusals and history that are older than anybody will ask for."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from claimsite.foundation.transactions import write_transaction
from ironic_app.models import ConflictRecord as NodeConflict
from ironic_app.models import NodeHistory, OwnershipEvent
from placement_app.models import ClaimEvent, ConflictRecord, ProviderEvent

AT_ONCE = 2000
"""Rows in one transaction: claims wait no longer than that takes."""


@dataclasses.dataclass(frozen=True, slots=True)
class Pile:
    name: str
    rows: QuerySet[Any]


def conflicts(before: datetime) -> list[Pile]:
    """What was refused."""
    refused = OwnershipEvent.objects.filter(event=OwnershipEvent.Event.REFUSED)
    return [
        Pile("conflicts of claims", ConflictRecord.objects.filter(created_at__lt=before)),
        Pile("conflicts of nodes", NodeConflict.objects.filter(created_at__lt=before)),
        Pile("refused attempts to take a node", refused.filter(created_at__lt=before)),
    ]


def history(before: datetime) -> list[Pile]:
    """What happened."""
    happened = OwnershipEvent.objects.exclude(event=OwnershipEvent.Event.REFUSED)
    return [
        Pile("history of claims", ClaimEvent.objects.filter(created_at__lt=before)),
        Pile("history of providers", ProviderEvent.objects.filter(created_at__lt=before)),
        Pile("history of the ownership of nodes", happened.filter(created_at__lt=before)),
        Pile("history of nodes", NodeHistory.objects.filter(created_at__lt=before)),
    ]


def prune(pile: Pile) -> Iterator[int]:
    """Delete the pile part by part; how many went with each. Safe to break off, and to run twice at once."""
    while gone := _prune_part(rows=pile.rows):
        yield gone


@write_transaction
def _prune_part(*, rows: QuerySet[Any]) -> int:
    keys = list(rows.order_by("pk").values_list("pk", flat=True)[:AT_ONCE])
    return int(rows.model.objects.filter(pk__in=keys).delete()[0]) if keys else 0
