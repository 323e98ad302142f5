"""Which aggregates a provider is in. An aggregate is nothing but its uuid: it is there while somebody is in it."""

from __future__ import annotations

from collections.abc import Sequence

from claimsite.foundation.origin import Origin
from claimsite.foundation.transactions import write_transaction
from placement_app import locks
from placement_app.models import ProviderAggregate
from placement_app.services import generations, provider_history, reading
from placement_app.services.conflict_log import records_conflicts


def of_provider(*, provider: str) -> tuple[int, list[str]]:
    """The provider's generation and aggregates, in the order in which they were given. Raises ProviderNotFound."""
    return reading.aggregates(provider)


@records_conflicts("aggregates.replace")
@write_transaction
def replace(
    *, provider: str, aggregates: Sequence[str], generation: int | None = None, origin: Origin
) -> tuple[int, list[str]]:
    """The provider is in exactly these aggregates, which are distinct; with the generation it has then.

    A writer that knows no generation for aggregates (None) is not held to one, and moves none.
    Raises ProviderNotFound, ProviderGenerationConflict.
    """
    row = locks.provider(provider)
    if generation is not None:
        generations.check(row, generation)
    before = list(row.aggregates.order_by("pk").values_list("aggregate_uuid", flat=True))
    if before != list(aggregates):
        row.aggregates.all().delete()
        ProviderAggregate.objects.bulk_create(ProviderAggregate(provider=row, aggregate_uuid=it) for it in aggregates)
    if generation is not None:
        generations.advance(row)
    provider_history.record(
        row,
        provider_history.Subject.AGGREGATES,
        before=provider_history.names(before),
        after=provider_history.names(aggregates),
        origin=origin,
    )
    return row.generation, list(aggregates)
