from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from placement_app.models import Inventory
from placement_app.services.reading import ShownInventory


def record(inventory: Inventory | ShownInventory) -> dict[str, Any]:
    return {
        "total": inventory.total,
        "reserved": inventory.reserved,
        "min_unit": inventory.min_unit,
        "max_unit": inventory.max_unit,
        "step_size": inventory.step_size,
        "allocation_ratio": inventory.allocation_ratio,
    }


def one(generation: int, inventory: Inventory | ShownInventory) -> dict[str, Any]:
    return {**record(inventory), "resource_provider_generation": generation}


def several(generation: int, inventories: Iterable[Inventory | ShownInventory]) -> dict[str, Any]:
    return {
        "resource_provider_generation": generation,
        "inventories": {inventory.resource_class_id: record(inventory) for inventory in inventories},
    }
