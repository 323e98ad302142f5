"""Inventories: how much of which resource class a provider has.

Rows are changed in place: each carries how much of it is claimed (``used``), which inventory writes leave alone.
"""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Collection, Iterable, Mapping

from django.db import connection
from django.utils import timezone

from claimsite.foundation.origin import Origin
from claimsite.foundation.transactions import needs_transaction, write_transaction
from placement_app import errors, locks
from placement_app.models import Inventory, ResourceClass, ResourceProvider
from placement_app.models.inventories import MAX_INTEGER
from placement_app.services import generations, provider_history, reading
from placement_app.services.conflict_log import records_conflicts
from placement_app.services.reading import ShownInventory

logger = logging.getLogger(__name__)


@dataclasses.dataclass(frozen=True, slots=True)
class Record:
    """What an inventory of one class shall say. Fields left out have their defaults: a write never keeps old ones."""

    total: int
    reserved: int = 0
    min_unit: int = 1
    max_unit: int = MAX_INTEGER
    step_size: int = 1
    allocation_ratio: float = 1.0

    @property
    def shown_capacity(self) -> int:
        return int((self.total - self.reserved) * self.allocation_ratio)


_FIELDS = tuple(field.name for field in dataclasses.fields(Record))


def record_of(inventory: Inventory) -> Record:
    """The record that would write the inventory as it is."""
    return Record(**{field: getattr(inventory, field) for field in _FIELDS})


# --- reads ----------------------------------------------------------------------------------------------------------
def of_provider(*, provider: str) -> tuple[int, list[ShownInventory]]:
    """The provider's generation and all its inventories. Raises ProviderNotFound."""
    return reading.inventories(provider)


def get(*, provider: str, resource_class: str) -> tuple[int, ShownInventory]:
    """The provider's generation and one inventory. Raises ProviderNotFound, InventoryNotFound."""
    generation, found = reading.inventories(provider)
    for inventory in found:
        if inventory.resource_class_id == resource_class:
            return generation, inventory
    raise errors.InventoryNotFound(resource_class=resource_class, provider=provider)


# --- verbs ----------------------------------------------------------------------------------------------------------
@records_conflicts("inventories.create")
@write_transaction
def create(
    *, provider: str, resource_class: str, record: Record, reserved_may_fill: bool = True, origin: Origin
) -> tuple[int, Inventory]:
    """Inventory of one more class; with the provider's new generation.

    ``reserved_may_fill``: whether all of an inventory may be reserved.
    Raises ProviderNotFound, NothingLeft, UnknownClassInNewInventory, InventoryExists.
    """
    row = locks.provider(provider)
    _check_something_left(row, {resource_class: record}, attempt="create", reserved_may_fill=reserved_may_fill)
    if not locks.names(ResourceClass, [resource_class]):
        raise errors.UnknownClassInNewInventory(provider=provider, resource_class=resource_class)
    if row.inventories.filter(resource_class__name=resource_class).exists():
        raise errors.InventoryExists(provider=provider, resource_class=resource_class)
    values = dataclasses.asdict(record)
    inventory = Inventory.objects.create(provider=row, resource_class_id=resource_class, **values)
    generations.advance(row)
    tell(row, {}, {resource_class: values}, origin)
    return row.generation, inventory


@records_conflicts("inventories.replace_all")
@write_transaction
def replace_all(
    *,
    provider: str,
    generation: int,
    records: Mapping[str, Record],
    reserved_may_fill: bool = True,
    origin: Origin,
) -> tuple[int, list[Inventory]]:
    """Inventory of exactly these classes; with the provider's new generation.

    It may be less than what is claimed of a class, but none of it may go whole.

    Raises ProviderNotFound, ProviderGenerationConflict, NothingLeft, UnknownClassInInventory, InventoryInUse.
    """
    row = locks.provider(provider)
    generations.check(row, generation)
    _check_something_left(row, records, attempt="update", reserved_may_fill=reserved_may_fill)
    written = write(row, records)
    generations.advance(row)
    tell(row, written.before, facts_of(written.inventories), origin)
    return row.generation, written.inventories


@records_conflicts("inventories.replace")
@write_transaction
def replace(
    *,
    provider: str,
    generation: int,
    resource_class: str,
    record: Record,
    reserved_may_fill: bool = True,
    origin: Origin,
) -> tuple[int, Inventory]:
    """Another inventory of a class that the provider has; with the provider's new generation.

    Raises ProviderNotFound, ProviderGenerationConflict, NothingLeft, ResourceClassNotFound, NoInventoryToUpdate.
    """
    row = locks.provider(provider)
    generations.check(row, generation)
    _check_something_left(row, {resource_class: record}, attempt="update", reserved_may_fill=reserved_may_fill)
    inventory = row.inventories.filter(resource_class__name=resource_class).first()
    if inventory is None:
        if not ResourceClass.objects.filter(name=resource_class).exists():
            raise errors.ResourceClassNotFound(resource_class=resource_class)
        raise errors.NoInventoryToUpdate(provider=provider, resource_class=resource_class)
    before = facts_of([inventory])
    _change(row, inventory, dataclasses.asdict(record))
    generations.advance(row)
    tell(row, before, facts_of([inventory]), origin)
    return row.generation, inventory


@records_conflicts("inventories.remove")
@write_transaction
def remove(*, provider: str, resource_class: str, origin: Origin) -> None:
    """Raises ProviderNotFound, InventoryNotFoundForDelete, InventoryInUse."""
    row = locks.provider(provider)
    inventory = row.inventories.filter(resource_class__name=resource_class).first()
    if inventory is None:
        raise errors.InventoryNotFoundForDelete(resource_class=resource_class, provider=provider)
    if inventory.used > 0:
        raise errors.InventoryInUse(
            provider=provider,
            classes=resource_class,
            attempt=f"Unable to delete inventory of class {resource_class}",
        )
    before = facts_of([inventory])
    inventory.delete()
    generations.advance(row)
    tell(row, before, {}, origin)


@records_conflicts("inventories.clear")
@write_transaction
def clear(*, provider: str, origin: Origin) -> None:
    """Remove all inventory of the provider. Raises ProviderNotFound, InventoryInUse."""
    row = locks.provider(provider)
    written = write(row, {})
    generations.advance(row)
    tell(row, written.before, {}, origin)


# --- beneath the verbs ----------------------------------------------------------------------------------------------
Facts = Mapping[str, Mapping[str, float]]
"""Resource class → the fields of its record."""


@dataclasses.dataclass(frozen=True, slots=True)
class Written:
    before: Facts
    inventories: list[Inventory]
    """What the provider has now."""


@needs_transaction
def write(provider: ResourceProvider, records: Mapping[str, Record], *, keep_others: bool = False) -> Written:
    """Make the inventory of the locked ``provider`` what ``records`` say; classes not named go, unless kept.

    Moves no generation and leaves no line in the history. Raises UnknownClassInInventory, InventoryInUse.
    """
    rows = Inventory.objects.raw(
        "SELECT * FROM placement_app_inventory WHERE provider_id = %s ORDER BY id", [provider.pk]
    )
    existing = {inventory.resource_class_id: inventory for inventory in rows}
    before = facts_of(existing.values())
    if added := records.keys() - existing.keys():
        unknown = added - locks.names(ResourceClass, added)
        if unknown:
            raise errors.UnknownClassInInventory(provider=provider.uuid, classes=", ".join(sorted(unknown)))
    if not keep_others:
        _remove(provider, [existing.pop(name) for name in existing.keys() - records.keys()])
    _put(provider, records, existing)
    return Written(before, list(existing.values()))


def facts_of(inventories: Iterable[Inventory]) -> Facts:
    return {
        inventory.resource_class_id: {field: getattr(inventory, field) for field in _FIELDS}
        for inventory in inventories
    }


@needs_transaction
def tell(provider: ResourceProvider, before: Facts, after: Facts, origin: Origin) -> None:
    provider_history.record(provider, provider_history.Subject.INVENTORIES, before=before, after=after, origin=origin)


def _remove(provider: ResourceProvider, inventories: Collection[Inventory]) -> None:
    in_use = [inventory.resource_class_id for inventory in inventories if inventory.used > 0]
    if in_use:
        names = ResourceClass.objects.filter(name__in=in_use).order_by("pk").values_list("name", flat=True)
        raise errors.InventoryInUse(provider=provider.uuid, classes=", ".join(names))
    if inventories:
        Inventory.objects.filter(pk__in=[inventory.pk for inventory in inventories]).delete()


def _put(provider: ResourceProvider, records: Mapping[str, Record], existing: dict[str, Inventory]) -> None:
    """Write the records that say something new, and put what is added into ``existing``."""
    added: list[Inventory] = []
    for name, record in records.items():
        inventory = existing.get(name)
        values = dataclasses.asdict(record)
        if inventory is None:
            added.append(Inventory(provider=provider, resource_class_id=name, **values))
        elif any(getattr(inventory, field) != value for field, value in values.items()):
            _change(provider, inventory, values)
    if added:
        existing |= {inventory.resource_class_id: inventory for inventory in Inventory.objects.bulk_create(added)}


def _change(provider: ResourceProvider, inventory: Inventory, values: Mapping[str, float]) -> None:
    for field, value in values.items():
        setattr(inventory, field, value)
    inventory.updated_at = timezone.now()
    now = connection.ops.adapt_datetimefield_value(inventory.updated_at)
    # ``used`` is not among the columns: it belongs to the claims.
    columns = ", ".join(f"{field} = %s" for field in values)
    with connection.cursor() as cursor:
        cursor.execute(
            f"UPDATE placement_app_inventory SET {columns}, updated_at = %s WHERE id = %s",
            [*values.values(), now, inventory.pk],
        )
    if inventory.is_overdrawn(inventory.used):
        logger.warning(
            "Provider %s is over capacity for %s: %d used of %g",
            provider.uuid,
            inventory.resource_class_id,
            inventory.used,
            inventory.capacity,
        )


def _check_something_left(
    provider: ResourceProvider, records: Mapping[str, Record], *, attempt: str, reserved_may_fill: bool
) -> None:
    least = 0 if reserved_may_fill else 1
    for name, record in records.items():
        if record.shown_capacity < least:
            raise errors.NothingLeft(
                attempt=attempt,
                provider=provider.uuid,
                resource_class=name,
                reserved_may_fill=reserved_may_fill,
            )
