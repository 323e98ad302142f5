"""The qualities of a machine, by the names that Placement and Ironic share."""

from __future__ import annotations

from collections.abc import Iterator

from claimsite.machines import names
from claimsite.machines.record import Machine

_ARCHITECTURES = {"x86_64": "HW_ARCH_X86_64", "aarch64": "HW_ARCH_AARCH64", "ppc64le": "HW_ARCH_PPC64LE"}
_VIRTUALIZATION = {"ivt": "HW_CPU_X86_VMX", "amd-v": "HW_CPU_X86_SVM"}
_FABRICS = {"InfiniBand": "CUSTOM_NETWORK_INFINIBAND", "Omni-Path": "CUSTOM_NETWORK_OMNI_PATH"}


def of(machine: Machine) -> frozenset[str]:
    """The traits of the machine: the same whoever keeps them."""
    return frozenset(_traits(machine))


def _traits(machine: Machine) -> Iterator[str]:
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
