from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from placement_app.services.inventories import Record

INTEGERS = ("total", "reserved", "min_unit", "max_unit", "step_size")


def record(data: Mapping[str, Any]) -> Record:
    """One inventory of a validated body; keys that are no part of it are passed over."""
    # JSON writes the integer ten as 10 or as 10.0.
    values: dict[str, Any] = {name: int(data[name]) for name in INTEGERS if name in data}
    if "allocation_ratio" in data:
        values["allocation_ratio"] = float(data["allocation_ratio"])
    return Record(**values)


def records(data: Mapping[str, Mapping[str, Any]]) -> dict[str, Record]:
    """Inventories by class."""
    return {resource_class: record(each) for resource_class, each in data.items()}


def generation(data: Mapping[str, Any]) -> int:
    return int(data["resource_provider_generation"])
