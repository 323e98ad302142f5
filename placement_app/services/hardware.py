"""What Placement knows of a machine: its resources, traits and groups. Pure."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping

from claimsite.machines import names
from claimsite.machines.record import Machine
from placement_app.models.inventories import MAX_INTEGER

_ARCHITECTURES = {"x86_64": "HW_ARCH_X86_64", "aarch64": "HW_ARCH_AARCH64", "ppc64le": "HW_ARCH_PPC64LE"}
_VIRTUALIZATION = {"ivt": "HW_CPU_X86_VMX", "amd-v": "HW_CPU_X86_SVM"}
_FABRICS = {"InfiniBand": "CUSTOM_NETWORK_INFINIBAND", "Omni-Path": "CUSTOM_NETWORK_OMNI_PATH"}

Stock = Mapping[str, int]
"""The fields of an inventory that a machine decides: ``total``, ``max_unit``, ``step_size``."""


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
        traits=frozenset(_traits(machine)),
        aggregates=tuple(
            names.derived_uuid(kind, machine.source, name) for kind, group in groups.items() for name in group if name
        ),
    )


def _inventories(machine: Machine) -> dict[str, Stock]:
    portions = {"VCPU": machine.cpus, "MEMORY_MB": machine.memory_mb, "DISK_GB": machine.disk_gb}
    if machine.gpus_are_shared:
        portions[names.GPU_MILLI] = 1000 * machine.gpu_count
    else:
        portions["PGPU"] = machine.gpu_count
    return {
        name: {
            "total": total,
            "max_unit": total,
            "step_size": names.GPU_MILLI_STEP if name == names.GPU_MILLI else 1,
        }
        for name, total in portions.items()
        if 0 < total <= MAX_INTEGER
    }


def _traits(machine: Machine) -> Iterable[str]:
    known = [_ARCHITECTURES.get(machine.architecture), _VIRTUALIZATION.get(machine.virtualization)]
    yield from filter(None, known)
    if machine.cores and machine.cpus > machine.cores:
        yield "HW_CPU_HYPERTHREADING"
    yield from (f"STORAGE_DISK_{disk.kind}" for disk in machine.disks)
    yield from (_FABRICS[card.interface] for card in machine.cards if card.interface in _FABRICS)
    yield from (names.custom(names.GPU_MODEL, model) for model in machine.gpus)
    for kind, words in (
        ("CPU_MODEL", machine.cpu_model),
        ("CPU_ARCHITECTURE", machine.microarchitecture),
        ("CLUSTER", machine.cluster),
        ("SITE", machine.site),
    ):
        if words:
            yield names.custom(f"CUSTOM_{kind}_", words)
