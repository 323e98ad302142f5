"""The providers and claims that files of the suite start with, as plain data.

Names, amounts and traits are facts that the files check. A provider is known to a file by an environment variable
(``World.variable`` says how it is formed from the provider's name), an aggregate by its own name.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

SHARES = "MISC_SHARES_VIA_AGGREGATE"


@dataclass(frozen=True)
class Provider:
    """One provider; ``inventories`` hold a total, or a whole record where other fields matter."""

    name: str
    inventories: dict[str, int | dict[str, float]] = field(default_factory=dict)
    traits: tuple[str, ...] = ()
    aggregates: tuple[str, ...] = ()
    children: tuple[Provider, ...] = ()
    parent: str | None = None

    def with_descendants(self, parent: str | None = None) -> Iterator[Provider]:
        yield Provider(self.name, self.inventories, self.traits, self.aggregates, parent=parent)
        for child in self.children:
            yield from child.with_descendants(self.name)


@dataclass(frozen=True)
class Claim:
    """What one consumer holds. ``consumer``, ``project`` and ``user`` are environment variables."""

    consumer: str
    provider: str
    resources: dict[str, int]
    user: str = "USER_ID"
    project: str = "PROJECT_ID"


@dataclass(frozen=True)
class World:
    trees: tuple[Provider, ...] = ()
    claims: tuple[Claim, ...] = ()
    variable: str = "{NAME}_UUID"

    def providers(self) -> Iterator[Provider]:
        """Parents before their children."""
        for tree in self.trees:
            yield from tree.with_descendants()

    def variable_of(self, provider: str) -> str:
        return self.variable.format(NAME=provider.upper(), name=provider)


def provider(
    name: str, *children: Provider, traits: str = "", aggregates: str = "", **inventories: int | dict[str, float]
) -> Provider:
    return Provider(name, inventories, tuple(traits.split()), tuple(aggregates.split()), children)


EMPTY = World()

# Two consumers of one user and one of another, on one provider that the file calls RP.
ALLOCATIONS = World(
    trees=(
        provider(
            "rp",
            DISK_GB={"total": 2048, "step_size": 10, "min_unit": 10, "max_unit": 1000},
            VCPU=10,
        ),
    ),
    claims=(
        Claim("CONSUMER_0", "rp", {"DISK_GB": 1000}),
        Claim("CONSUMER_ID", "rp", {"VCPU": 6}),
        Claim("ALT_CONSUMER_ID", "rp", {"DISK_GB": 20, "VCPU": 1}, user="ALT_USER_ID"),
    ),
)


def _host_with_functions(number: int, traits: str = "", **disk: int | dict[str, float]) -> Provider:
    """A compute node with two NUMA nodes, each with one physical function."""
    return provider(
        f"cn{number}",
        *(
            provider(f"numa{number}_{i}", provider(f"pf{number}_{i}", SRIOV_NET_VF={"total": 8, "max_unit": 8}))
            for i in (1, 2)
        ),
        traits=traits,
        aggregates="AGG_UUID",
        VCPU={"total": 24, "max_unit": 24, "allocation_ratio": 16.0},
        MEMORY_MB={"total": 131072, "max_unit": 131072, "allocation_ratio": 1.5},
        **disk,
    )


_DISK: dict[str, float] = {"total": 2000, "max_unit": 2000, "reserved": 100}

# Two hosts, one without a disk of its own, and two pools that both can use.
SHARED_STORAGE = World(
    trees=(
        _host_with_functions(1, traits="HW_CPU_X86_SSE HW_CPU_X86_SSE2"),
        _host_with_functions(2, DISK_GB=_DISK),
        provider("ss", traits=SHARES, aggregates="AGG_UUID", DISK_GB=_DISK),
        provider("ss2", traits=SHARES, aggregates="AGG_UUID", DISK_GB=_DISK),
    )
)

_CORES: dict[str, float] = {"total": 24, "max_unit": 24, "allocation_ratio": 16.0}

# Hosts whose cores are in their NUMA nodes. One pool serves both hosts, one serves a single NUMA node.
NUMA_AGGREGATE = World(
    trees=(
        provider(
            "cn1",
            provider("numa1_1", aggregates="AGGC_UUID", VCPU=_CORES),
            provider("numa1_2", VCPU=_CORES),
            aggregates="AGGA_UUID",
        ),
        provider(
            "cn2",
            provider("numa2_1", VCPU=_CORES),
            provider("numa2_2", VCPU=_CORES),
            aggregates="AGGA_UUID AGGB_UUID",
        ),
        provider("ss1", traits=SHARES, aggregates="AGGA_UUID", DISK_GB=_DISK),
        provider("ss2", traits=SHARES, aggregates="AGGC_UUID", DISK_GB=_DISK),
    )
)

_STORAGE_POOL = provider("ss1", traits=SHARES, aggregates="AGGA_UUID", DISK_GB=2000)

# Everything below the root: cores and memory in NUMA nodes with devices, bandwidth below two agents.
_NUMA_HOST = provider(
    "cn1",
    provider(
        "numa0",
        provider("fpga0", FPGA=1),
        provider("pgpu0", VGPU=8),
        traits="HW_NUMA_ROOT",
        VCPU=4,
        MEMORY_MB={"total": 2048, "max_unit": 2048, "min_unit": 512, "step_size": 256},
    ),
    provider(
        "numa1",
        provider("fpga1_0", FPGA=1),
        provider("fpga1_1", FPGA=1),
        traits="HW_NUMA_ROOT CUSTOM_FOO",
        VCPU=4,
        MEMORY_MB={"total": 2048, "max_unit": 1024, "min_unit": 256},
    ),
    provider(
        "sriov_agent",
        provider("esn1", traits="CUSTOM_PHYSNET1", NET_BW_EGR_KILOBIT_PER_SEC=10000),
        provider("esn2", traits="CUSTOM_PHYSNET2", NET_BW_EGR_KILOBIT_PER_SEC=20000),
        traits="CUSTOM_VNIC_TYPE_DIRECT",
    ),
    provider(
        "ovs_agent",
        provider("br_int", traits="CUSTOM_PHYSNET0", NET_BW_EGR_KILOBIT_PER_SEC=1000),
        traits="CUSTOM_VNIC_TYPE_NORMAL",
    ),
    traits="COMPUTE_VOLUME_MULTI_ATTACH",
    aggregates="AGGA_UUID",
)


def _nic(number: int, functions: int, virtual_functions: int) -> Provider:
    """A network card: its physical functions lie in networks 1 and 2 in turn."""
    return provider(
        f"nic{number}",
        *(
            provider(f"pf{number}_{i + 1}", traits=f"CUSTOM_PHYSNET{i % 2 + 1}", CUSTOM_VF=virtual_functions)
            for i in range(functions)
        ),
        traits="CUSTOM_HW_NIC_ROOT",
    )


# Cores, memory and disk at the root; three network cards.
_NIC_HOST = provider(
    "cn2",
    _nic(1, functions=2, virtual_functions=4),
    _nic(2, functions=4, virtual_functions=2),
    _nic(3, functions=1, virtual_functions=8),
    traits="CUSTOM_FOO",
    aggregates="AGGA_UUID",
    VCPU=8,
    MEMORY_MB={"total": 2048, "max_unit": 2048, "min_unit": 1024, "step_size": 128},
    DISK_GB=1000,
)
_NUMA_CLAIMS = (Claim("NUMA_CONSUMER", "numa0", {"VCPU": 2}), Claim("NIC_CONSUMER", "cn2", {"VCPU": 3}))

NUMA_NETWORK = World(trees=(_STORAGE_POOL, _NUMA_HOST, _NIC_HOST), claims=_NUMA_CLAIMS)

# The same hosts as grandchildren of one provider without anything.
DEEP_NUMA_NETWORK = World(
    trees=(provider("gp1", provider("p1", _NUMA_HOST), provider("p2", _NIC_HOST)), _STORAGE_POOL),
    claims=_NUMA_CLAIMS,
)

NON_SHARED_STORAGE = World(
    trees=tuple(provider(name, VCPU=24, MEMORY_MB=131072, DISK_GB=2000) for name in ("cn1", "cn2", "cn3"))
)

# Three hosts side by side; two disk pools and a network that some of them share.
GRANULAR = World(
    trees=(
        provider(
            "cn_left",
            traits="HW_CPU_X86_AVX HW_CPU_X86_AVX2 HW_GPU_API_DXVA HW_NIC_DCB_PFC CUSTOM_FOO",
            aggregates="AGGA",
            VCPU=8,
            MEMORY_MB=4096,
            DISK_GB=500,
            VGPU=8,
            SRIOV_NET_VF=8,
            CUSTOM_NET_MBPS=4000,
        ),
        provider(
            "cn_middle",
            traits="HW_CPU_X86_AVX HW_CPU_X86_AVX2 HW_CPU_X86_SSE HW_NIC_ACCEL_TLS",
            aggregates="AGGA AGGB",
            VCPU=8,
            MEMORY_MB=4096,
            SRIOV_NET_VF=8,
            CUSTOM_NET_MBPS=4000,
        ),
        provider(
            "cn_right",
            traits="HW_CPU_X86_MMX HW_GPU_API_DXVA CUSTOM_DISK_SSD",
            aggregates="AGGB AGGC",
            VCPU=8,
            MEMORY_MB=4096,
            DISK_GB=500,
            VGPU={"total": 8, "max_unit": 2},
        ),
        provider("shr_disk_1", traits=f"{SHARES} CUSTOM_DISK_SSD", aggregates="AGGA", DISK_GB=1000),
        provider("shr_disk_2", traits=SHARES, aggregates="AGGA AGGB", DISK_GB=1000),
        provider("shr_net", traits=SHARES, aggregates="AGGC", SRIOV_NET_VF=16, CUSTOM_NET_MBPS=40000),
    ),
    variable="{NAME}",
)

_DIRECT = "CUSTOM_VNIC_TYPE_DIRECT CUSTOM_VNIC_TYPE_DIRECT_PHYSICAL CUSTOM_VNIC_TYPE_MACVTAP"


def _link(name: str, kinds: str, network: str, kilobits: int) -> Provider:
    return provider(
        name,
        traits=f"{kinds} CUSTOM_PHYSNET_{network}",
        NET_BW_EGR_KILOBIT_PER_SEC=kilobits,
        NET_BW_IGR_KILOBIT_PER_SEC=kilobits,
    )


def _quality_of_service_host(number: int, bridges: str, functions: str, bridge_speed: int, card_speed: int) -> Provider:
    """A host with a bridge for each network of ``bridges`` and a physical function for each of ``functions``."""
    name = f"compute{number}"
    return provider(
        name,
        provider(
            f"{name}:ovs_agent",
            *(
                _link(f"{name}:br_ex{i or ''}", "CUSTOM_VNIC_TYPE_NORMAL", network, bridge_speed)
                for i, network in zip((0, 2), bridges.split(), strict=False)
            ),
            traits="CUSTOM_VNIC_TYPE_NORMAL",
            NET_PACKET_RATE_KILOPACKET_PER_SEC=1000,
        ),
        provider(
            f"{name}:sriov_agent",
            *(_link(f"{name}:pf{i}", _DIRECT, network, card_speed) for i, network in enumerate(functions.split())),
            traits=_DIRECT,
        ),
        VCPU=8,
        MEMORY_MB=4096,
        DISK_GB=500,
    )


# A network in two segments: one host outside, one in each, one slow host in both.
MULTI_SEGMENT = World(
    trees=(
        _quality_of_service_host(0, "OTHER", "OTHER", 5000, 10000),
        _quality_of_service_host(1, "MSN_S1", "MSN_S1", 5000, 10000),
        _quality_of_service_host(2, "MSN_S2", "MSN_S2", 5000, 10000),
        _quality_of_service_host(3, "MSN_S1 MSN_S2", "MSN_S1 MSN_S2", 1000, 1000),
    ),
    variable="{name}",
)
