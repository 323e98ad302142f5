"""What is known of one machine, whatever file it came from."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping


@dataclasses.dataclass(frozen=True, slots=True)
class Disk:
    gb: int
    kind: str
    """``HDD`` or ``SSD``."""
    interface: str


@dataclasses.dataclass(frozen=True, slots=True)
class NetworkCard:
    mac: str
    gbps: int
    interface: str
    """``Ethernet``, ``InfiniBand``, ``Omni-Path`` …"""
    enabled: bool


@dataclasses.dataclass(frozen=True, slots=True)
class Machine:
    """One physical machine. An empty text or an empty tuple means "the file does not say"."""

    source: str
    """Which collection it belongs to: ``openb``, ``grid5000``."""
    name: str
    cpus: int
    """Logical processors, so threads where there are threads."""
    memory_mb: int
    gpus: Mapping[str, int]
    """How many of each model."""
    gpus_are_shared: bool = False
    """Whether one GPU may serve several claims, in thousandths."""
    is_bare_metal: bool = False
    """Whether it is given out whole, as a node with an owner."""
    cores: int = 0
    architecture: str = ""
    cpu_vendor: str = ""
    cpu_model: str = ""
    microarchitecture: str = ""
    virtualization: str = ""
    chassis: str = ""
    site: str = ""
    cluster: str = ""
    """Machines of one cluster are alike: whoever asks for one gets any. Bare metal always has one."""
    disks: tuple[Disk, ...] = ()
    cards: tuple[NetworkCard, ...] = ()

    @property
    def gpu_count(self) -> int:
        return sum(self.gpus.values())

    @property
    def disk_gb(self) -> int:
        return sum(disk.gb for disk in self.disks)
