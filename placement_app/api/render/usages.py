from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from placement_app.services.reading import ShownInventory
from placement_app.services.usages import Usage

ALL = "all"
UNKNOWN = "unknown"
"""What consumers without a type are shown under. No type can be called so: types are written in capitals."""


def of_provider(generation: int, inventories: Iterable[ShownInventory]) -> dict[str, Any]:
    return {
        "resource_provider_generation": generation,
        "usages": {inventory.resource_class_id: inventory.used for inventory in inventories},
    }


def by_consumer_type(usages: Mapping[str | None, Usage], asked_for: str | None) -> dict[str, Any]:
    """``asked_for``: one type, "unknown", "all" for the sum over all types, or None for each type on its own."""
    shown = {UNKNOWN if consumer_type is None else consumer_type: usage for consumer_type, usage in usages.items()}
    if asked_for == ALL:
        shown = {ALL: _sum(usages.values())} if usages else {}
    elif asked_for is not None:
        shown = {name: usage for name, usage in shown.items() if name == asked_for}
    return {
        "usages": {name: {**usage.amounts, "consumer_count": usage.consumer_count} for name, usage in shown.items()}
    }


def _sum(usages: Iterable[Usage]) -> Usage:
    total = Usage()
    for usage in usages:
        total.consumer_count += usage.consumer_count
        for resource_class, amount in usage.amounts.items():
            total.amounts[resource_class] = total.amounts.get(resource_class, 0) + amount
    return total
