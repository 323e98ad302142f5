"""What Placement knows of a machine: its resources, traits and groups. Pure."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from claimsite.machines import names, traits
from claimsite.machines.record import Machine
from placement_app.models.inventories import MAX_INTEGER

Stock = Mapping[str, int]
"""The fields of an inventory that a machine decides: ``total``, ``max_unit``, ``step_size``; of one that is given out
whole also what is ``reserved`` of its parts: all."""


@dataclasses.dataclass(frozen=True, slots=True)
class Description:
    """What Placement knows of a machine."""

    uuid: str
    name: str
    inventories: Mapping[str, Stock]
    traits: frozenset[str]
    aggregates: tuple[str, ...]


def describe(machine: Machine) -> Description:
    """Pure; the same machine has the same uuid on every site."""
    groups = {"gpu-model": list(machine.gpus), "site": [machine.site], "cluster": [machine.cluster]}
    return Description(
        uuid=names.derived_uuid("machine", machine.source, machine.name),
        name=machine.name,
        inventories=_inventories(machine),
        traits=traits.of(machine),
        aggregates=tuple(
            names.derived_uuid(kind, machine.source, name) for kind, group in groups.items() for name in group if name
        ),
    )


def _inventories(machine: Machine) -> Mapping[str, Stock]:
    portions = {"VCPU": machine.cpus, "MEMORY_MB": machine.memory_mb, "DISK_GB": machine.disk_gb}
    if machine.gpus_are_shared:
        portions[names.GPU_MILLI] = 1000 * machine.gpu_count
    else:
        portions["PGPU"] = machine.gpu_count
    stocks = {
        name: {
            "total": total,
            "max_unit": total,
            "step_size": names.GPU_MILLI_STEP if name == names.GPU_MILLI else 1,
        }
        for name, total in portions.items()
        if 0 < total <= MAX_INTEGER
    }
    return _whole(machine, stocks) if machine.is_bare_metal else stocks


def _whole(machine: Machine, parts: Mapping[str, dict[str, int]]) -> dict[str, Stock]:
    """What may be claimed is the machine: one of its class. Its parts are shown, but nobody gets a part of it, or two
    could hold the same machine, one by its class and one by its CPUs."""
    unit = {"total": 1, "max_unit": 1, "step_size": 1}
    return {
        names.placement_class(machine.cluster): unit,
        **{name: {**stock, "reserved": stock["total"]} for name, stock in parts.items()},
    }
