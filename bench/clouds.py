"""What is in the databases: plain descriptions, from which both sides are loaded alike."""

from __future__ import annotations

import dataclasses
import uuid
from collections.abc import Iterator

SPACE = uuid.UUID("c1a1b51e-0000-4000-8000-000000000000")
AVX2, SGX, DISABLED = "HW_CPU_X86_AVX2", "HW_CPU_X86_SGX", "COMPUTE_STATUS_DISABLED"
SHARES = "MISC_SHARES_VIA_AGGREGATE"


def uuid_of(name: str) -> str:
    return str(uuid.uuid5(SPACE, name))


@dataclasses.dataclass(frozen=True, slots=True)
class Inventory:
    total: int
    reserved: int = 0
    max_unit: int = 2147483647
    allocation_ratio: float = 1.0


@dataclasses.dataclass(frozen=True, slots=True)
class Provider:
    name: str
    inventories: dict[str, Inventory]
    parent: str | None = None
    root: str | None = None
    """Names; None: its own."""
    traits: tuple[str, ...] = ()
    aggregates: tuple[str, ...] = ()

    @property
    def uuid(self) -> str:
        return uuid_of(self.name)


@dataclasses.dataclass(frozen=True, slots=True)
class Cloud:
    name: str
    providers: tuple[Provider, ...]


# Where one provider is fought for, and where there is exactly so much. They have a class of their own.
HOT = Provider("hot", {"PCPU": Inventory(1_000_000)})
RACE_CAPACITY = 100
RACE = Provider("race", {"PCPU": Inventory(RACE_CAPACITY)})

HOST = {
    "VCPU": Inventory(64, allocation_ratio=16.0, max_unit=64),
    "MEMORY_MB": Inventory(1_048_576, reserved=512),
    "DISK_GB": Inventory(40_000),
}


def flat(count: int) -> Cloud:
    """Hosts alone: half with AVX2, a hundredth with SGX, a tenth disabled, in ten aggregates."""
    return Cloud(f"flat_{count}", tuple(_hosts(count)))


def contended(count: int) -> Cloud:
    """The same with what is fought for. What is claimed changes answers, so searches have a cloud of their own."""
    return Cloud(f"contended_{count}", (*_hosts(count), HOT, RACE))


def _hosts(count: int) -> Iterator[Provider]:
    for index in range(count):
        marks = ((AVX2, index % 2 == 0), (SGX, index % 100 == 3), (DISABLED, index % 10 == 1))
        yield Provider(
            f"host-{index}",
            HOST,
            traits=tuple(trait for trait, has in marks if has),
            aggregates=(aggregate(index % 10),),
        )


def aggregate(number: int) -> str:
    return uuid_of(f"aggregate-{number}")


def trees(count: int) -> Cloud:
    """Hosts with two NUMA nodes, each with two network cards that give out virtual functions."""
    return Cloud(f"trees_{count}", tuple(provider for index in range(count) for provider in _tree(f"host-{index}")))


def _tree(host: str) -> Iterator[Provider]:
    yield Provider(host, {"DISK_GB": Inventory(4_000)})
    for numa in (f"{host}-numa-{number}" for number in range(2)):
        yield Provider(
            numa,
            {"VCPU": Inventory(32, allocation_ratio=4.0), "MEMORY_MB": Inventory(131_072)},
            parent=host,
            root=host,
            traits=("HW_NUMA_ROOT",),
        )
        for card in (f"{numa}-card-{number}" for number in range(2)):
            yield Provider(
                card, {"SRIOV_NET_VF": Inventory(8)}, parent=numa, root=host, traits=("HW_NIC_SRIOV_MULTIQUEUE",)
            )


def sharing(hosts: int, *, hosts_a_pool: int = 100) -> Cloud:
    """Hosts without disks, and shared storage for every hundred of them."""
    without_disk = {name: inventory for name, inventory in HOST.items() if name != "DISK_GB"}
    pools = range(hosts // hosts_a_pool)
    return Cloud(
        f"sharing_{hosts}",
        (
            *(
                Provider(f"host-{index}", without_disk, aggregates=(aggregate(index // hosts_a_pool),))
                for index in range(hosts)
            ),
            *(
                Provider(
                    f"pool-{index}",
                    {"DISK_GB": Inventory(1_000_000)},
                    traits=(SHARES,),
                    aggregates=(aggregate(index),),
                )
                for index in pools
            ),
        ),
    )
