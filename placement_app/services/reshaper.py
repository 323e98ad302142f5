"""Inventories and the allocations on them move together: one transaction, all or nothing.

A host that learns of its NUMA nodes moves inventory from itself to new children, and with it what is claimed of it.
Neither half is possible alone: inventory in use cannot go, and allocations need inventory.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence

from claimsite.foundation.origin import Origin
from claimsite.foundation.transactions import write_transaction
from placement_app import errors
from placement_app.claims import Claim
from placement_app.models import ResourceProvider
from placement_app.services import allocations, inventories, ledger
from placement_app.services.conflict_log import records_conflicts
from placement_app.services.inventories import Record


@dataclasses.dataclass(frozen=True, slots=True)
class Shape:
    """All the inventory that a provider is to have, and the generation that the writer has seen."""

    generation: int
    records: Mapping[str, Record]


@records_conflicts("reshaper.reshape")
@write_transaction
def reshape(*, shapes: Mapping[str, Shape], claims: Sequence[Claim], origin: Origin) -> None:
    """Give the providers these inventories and the consumers these claims.

    ``shapes``: provider uuid → shape. Claims are judged against old and new inventory together; what no longer has a
    place is removed after, and must not be claimed any more. Providers and consumers not named stay as they are.

    Raises ReshapedProviderUnknown, ProviderGenerationConflict, InventoryInUse, UnknownClassInInventory, and what
    ``allocations.replace`` raises.
    """
    # Looked at before the locks too, for the order of refusals: a consumer's generation comes after a provider's.
    _check_providers(shapes, ResourceProvider.objects.filter(uuid__in=shapes).values_list("uuid", "generation"))
    locked = allocations.lock(claims, also_providers=shapes.keys())
    _check_providers(shapes, [(provider.uuid, provider.generation) for provider in locked.providers.values()])
    rows = ResourceProvider.objects.in_bulk(list(shapes), field_name="uuid")
    before = {
        uuid: inventories.write(rows[uuid], shape.records, keep_others=True).before for uuid, shape in shapes.items()
    }
    if filled := [locked.providers[uuid] for uuid, shape in shapes.items() if shape.records]:
        ledger.raise_generations(filled)
    allocations.write(locked, claims, origin=origin)
    after = {uuid: inventories.write(rows[uuid], shape.records).inventories for uuid, shape in shapes.items()}
    ledger.raise_generations([locked.providers[uuid] for uuid in shapes])
    for uuid, row in rows.items():
        row.generation = locked.providers[uuid].generation
        inventories.tell(row, before[uuid], inventories.facts_of(after[uuid]), origin)


def _check_providers(shapes: Mapping[str, Shape], found: Iterable[tuple[str, int]]) -> None:
    generations = dict(found)
    for uuid, shape in shapes.items():
        if uuid not in generations:
            raise errors.ReshapedProviderUnknown(provider=uuid)
        if generations[uuid] != shape.generation:
            raise errors.ProviderGenerationConflict(provider=uuid, actual=generations[uuid], given=shape.generation)
