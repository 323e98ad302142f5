"""Whose a consumer is."""

from __future__ import annotations

from claimsite.foundation.origin import Origin
from claimsite.foundation.statements import Batch
from claimsite.foundation.transactions import write_transaction
from placement_app import errors, locks
from placement_app.claims import Expected, Owner
from placement_app.models import Consumer
from placement_app.services import allocations, ledger
from placement_app.services.conflict_log import records_conflicts


@records_conflicts("consumers.move")
@write_transaction
def move(*, consumer_uuid: str, owner: Owner, expected: Expected, origin: Origin) -> Consumer:
    """The consumer, with all it holds, belongs to another project or user. Its generation moves: its clients learn.

    Raises AllocationsNotFound if there is no such consumer; ConsumerGenerationConflict if it is not at the
    ``expected`` generation.
    """
    consumer = locks.consumers([consumer_uuid]).get(consumer_uuid)
    if consumer is None:
        raise errors.AllocationsNotFound(consumer=consumer_uuid)
    allocations.check_generation(consumer_uuid, consumer, expected)
    before = Owner(consumer.project_id, consumer.user_id)
    consumer.generation += 1
    consumer.project_id, consumer.user_id = owner.project_id, owner.user_id
    batch = Batch()
    ledger.update_consumer(batch, consumer)
    batch.send()
    ledger.insert_move(consumer, before, origin)
    return consumer
