"""The order in which rows are locked, in one place: consumers by uuid, then providers by key.

Every write that touches claims comes through here, deletes and reshapes too; a second order anywhere would be a
deadlock. New consumers are inserted before existing ones are locked: an insert can only wait for the same
uuid, and whoever holds that is past this point.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterable

from django.db import connection
from django.utils import timezone

from claimsite.foundation.transactions import needs_transaction
from placement_app.models import Consumer, ResourceProvider


@dataclasses.dataclass(slots=True)
class LockedProvider:
    id: int
    uuid: str
    generation: int


@needs_transaction
def insert_consumers(consumers: Iterable[Consumer]) -> set[str]:
    """Insert those that do not exist yet. The uuids that this call inserted: their rows are ours."""
    inserted = set()
    now = connection.ops.adapt_datetimefield_value(timezone.now())
    with connection.cursor() as cursor:
        for consumer in sorted(consumers, key=lambda consumer: consumer.uuid):
            cursor.execute(
                "INSERT INTO placement_app_consumer"
                " (uuid, generation, project_id, user_id, consumer_type, created_at, updated_at)"
                " VALUES (%s, %s, %s, %s, %s, %s, %s) ON CONFLICT (uuid) DO NOTHING",
                [
                    consumer.uuid,
                    consumer.generation,
                    consumer.project_id,
                    consumer.user_id,
                    consumer.consumer_type,
                    now,
                    now,
                ],
            )
            if cursor.rowcount == 1:
                inserted.add(consumer.uuid)
    return inserted


@needs_transaction
def consumers(uuids: Collection[str]) -> dict[str, Consumer]:
    """Those of the consumers that exist, locked in order of their uuid."""
    if not uuids:
        return {}
    rows = Consumer.objects.select_for_update().filter(uuid__in=uuids).order_by("uuid")
    return {consumer.uuid: consumer for consumer in rows}


@needs_transaction
def providers(uuids: Collection[str]) -> dict[str, LockedProvider]:
    """Those of the providers that exist, locked in order of their key.

    NO KEY: what refers to a provider (new allocations of others) need not wait for us.
    """
    if not uuids:
        return {}
    rows = (
        ResourceProvider.objects.select_for_update(no_key=True)
        .filter(uuid__in=uuids)
        .order_by("pk")
        .values_list("id", "uuid", "generation")
    )
    return {uuid: LockedProvider(id=pk, uuid=uuid, generation=generation) for pk, uuid, generation in rows}
