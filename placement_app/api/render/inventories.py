from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from placement_app.models import Inventory, ResourceProvider


def record(inventory: Inventory) -> dict[str, Any]:
    return {
        "total": inventory.total,
        "reserved": inventory.reserved,
        "min_unit": inventory.min_unit,
        "max_unit": inventory.max_unit,
        "step_size": inventory.step_size,
        "allocation_ratio": inventory.allocation_ratio,
    }


def one(provider: ResourceProvider, inventory: Inventory) -> dict[str, Any]:
    return {**record(inventory), "resource_provider_generation": provider.generation}


def several(provider: ResourceProvider, inventories: Iterable[Inventory]) -> dict[str, Any]:
    return {
        "resource_provider_generation": provider.generation,
        "inventories": {inventory.resource_class_id: record(inventory) for inventory in inventories},
    }
