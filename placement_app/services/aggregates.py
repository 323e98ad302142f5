"""Which aggregates a provider is in. An aggregate is nothing but its uuid: it is there while somebody is in it."""

from __future__ import annotations

from collections.abc import Sequence

from claimsite.foundation.origin import Origin
from claimsite.foundation.transactions import write_transaction
from placement_app import locks
from placement_app.models import ProviderAggregate, ResourceProvider
from placement_app.services import generations, providers
from placement_app.services.conflict_log import records_conflicts


def of_provider(*, provider: str) -> tuple[ResourceProvider, list[str]]:
    """The provider and its aggregates, in the order in which they were given. Raises ProviderNotFound."""
    # The provider first: see ``inventories.of_provider``.
    row = providers.get(uuid=provider)
    return row, _aggregates(row)


@records_conflicts("aggregates.replace")
@write_transaction
def replace(
    *, provider: str, aggregates: Sequence[str], generation: int | None = None, origin: Origin
) -> tuple[ResourceProvider, list[str]]:
    """The provider is in exactly these aggregates. ``aggregates`` are distinct.

    A writer that knows no generation for aggregates (None) is not held to one, and moves none.
    Raises ProviderNotFound, ProviderGenerationConflict.
    """
    row = locks.provider(provider)
    if generation is not None:
        generations.check(row, generation)
    if _aggregates(row) != list(aggregates):
        row.aggregates.all().delete()
        ProviderAggregate.objects.bulk_create(ProviderAggregate(provider=row, aggregate_uuid=it) for it in aggregates)
    if generation is not None:
        generations.advance(row)
    return row, list(aggregates)


def _aggregates(provider: ResourceProvider) -> list[str]:
    return list(provider.aggregates.order_by("pk").values_list("aggregate_uuid", flat=True))
