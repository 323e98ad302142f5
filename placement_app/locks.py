"""The order in which rows are locked, in one place: consumers by uuid, providers by key, words of the vocabulary.

Every write that touches claims comes through here, deletes and reshapes too; a second order anywhere would be a
deadlock. New consumers are inserted before existing ones are locked: an insert can only wait for the same
uuid, and whoever holds that is past this point.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterable

from django.db import DEFAULT_DB_ALIAS, connection
from django.utils import timezone

from claimsite.foundation import statements
from claimsite.foundation.statements import Batch, marks
from claimsite.foundation.transactions import needs_transaction
from placement_app import errors
from placement_app.models import Consumer, ResourceClass, ResourceProvider, Trait

# What a write needs to know of a consumer: its times are set, and never asked for.
CONSUMER_COLUMNS = ("uuid", "generation", "project_id", "user_id", "consumer_type")


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
    for consumer in sorted(consumers, key=lambda consumer: consumer.uuid):
        count = statements.send(
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
        if count == 1:
            inserted.add(consumer.uuid)
    return inserted


@needs_transaction
def consumers(uuids: Collection[str]) -> dict[str, Consumer]:
    """Those of the consumers that exist, locked in order of their uuid."""
    if not uuids:
        return {}
    # Every write of an existing consumer comes through here: so no time is spent on making the statement.
    lock = " FOR UPDATE" if connection.features.has_select_for_update else ""
    rows = statements.rows(
        f"SELECT {', '.join(CONSUMER_COLUMNS)} FROM placement_app_consumer"
        f" WHERE uuid IN ({marks(uuids)}) ORDER BY uuid{lock}",
        list(uuids),
    )
    return {row[0]: Consumer.from_db(DEFAULT_DB_ALIAS, CONSUMER_COLUMNS, row) for row in rows}


@needs_transaction
def providers(uuids: Collection[str]) -> dict[str, LockedProvider]:
    """Those of the providers that exist, locked in order of their key.

    NO KEY: what refers to a provider (new allocations of others) need not wait for us.
    """
    if not uuids:
        return {}
    # Every claim comes through here: so no time is spent on making the statement.
    lock = " FOR NO KEY UPDATE" if connection.features.has_select_for_update else ""
    rows = statements.rows(
        "SELECT id, uuid, generation FROM placement_app_resourceprovider"
        f" WHERE uuid IN ({marks(uuids)}) ORDER BY id{lock}",
        list(uuids),
    )
    return {row[1]: LockedProvider(*row) for row in rows}


def add_holder(batch: Batch, consumer_uuid: str) -> tuple[str, list[str]]:
    """Let the batch lock the consumer, and then the providers of what it holds in order of their key.

    Returns the SQL, and its values, by which what comes after them in the batch names the consumer. It names none that
    was not there to be locked: one that is made between two statements of a batch is nobody's to read.
    """
    if not connection.features.has_select_for_update:
        return "%s", [consumer_uuid]
    batch.add(
        "SELECT set_config('claimsite.holder',"
        " (SELECT uuid FROM placement_app_consumer WHERE uuid = %s FOR UPDATE), true)",
        [consumer_uuid],
    )
    holder = "current_setting('claimsite.holder')"
    batch.add(
        "SELECT id FROM placement_app_resourceprovider WHERE id IN"
        f" (SELECT provider_id FROM placement_app_allocation WHERE consumer_uuid = {holder})"
        " ORDER BY id FOR NO KEY UPDATE"
    )
    return holder, []


@needs_transaction
def provider(uuid: str) -> ResourceProvider:
    """The provider, locked until the transaction ends. Raises ProviderNotFound."""
    # Every write of what a provider has starts here: so no time is spent on making the statement.
    lock = " FOR NO KEY UPDATE" if connection.features.has_select_for_update else ""
    rows = ResourceProvider.objects.raw(
        f"SELECT * FROM placement_app_resourceprovider WHERE uuid = %s{lock}",
        [uuid],
    )
    for row in rows:
        return row
    raise errors.ProviderNotFound(provider=uuid)


@needs_transaction
def trees(uuids: Collection[str]) -> dict[str, ResourceProvider]:
    """All members, by uuid, of the trees to which the providers ``uuids`` belong; unknown ones are not among them.

    All are locked in one statement, so whoever changes the shape of one of these trees waits.
    Raises TreeChangedUnderneath.
    """
    members = ResourceProvider.objects.filter(
        root__in=ResourceProvider.objects.filter(uuid__in=uuids).values("root")
    ).order_by("pk")
    locked = {member.uuid: member for member in members.select_for_update(no_key=True)}
    # While we waited for a lock a tree may have gained, lost or become another one.
    if set(members.values_list("uuid", flat=True)) != locked.keys():
        raise errors.TreeChangedUnderneath(providers=", ".join(uuids))
    return locked


@needs_transaction
def names(model: type[ResourceClass] | type[Trait], wanted: Collection[str]) -> set[str]:
    """Those of the names that exist. Until the transaction ends, nobody can delete or rename them.

    The lock is a shared one, which Django has no word for: many providers may take up one name at the same time.
    """
    if not wanted:
        return set()
    rows = model.objects.filter(name__in=wanted).order_by("pk").values_list("name", flat=True)
    if not connection.features.has_select_for_update:
        return set(rows)
    statement, parameters = rows.query.sql_with_params()
    with connection.cursor() as cursor:
        cursor.execute(f"{statement} FOR KEY SHARE", parameters)
        return {name for (name,) in cursor.fetchall()}
