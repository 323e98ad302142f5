"""Who and what plays in the generated sequences: few, so that they meet often."""

from __future__ import annotations

import random
import uuid
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")

NAMESPACE = uuid.UUID("c0a7e4d2-94a5-4c67-8f49-3a1d1a4c7f10")


def _uuids(kind: str, count: int) -> list[str]:
    return [str(uuid.uuid5(NAMESPACE, f"{kind}{i}")) for i in range(count)]


PROVIDERS = _uuids("provider", 9)
AGGREGATES = _uuids("aggregate", 4)
CONSUMERS = _uuids("consumer", 5)
STRANGER = _uuids("stranger", 1)[0]
PROJECTS = ["project-a", "project-b"]
USERS = ["user-a", "user-b"]
TYPES = ["INSTANCE", "MIGRATION"]
CLASSES = ["VCPU", "MEMORY_MB", "DISK_GB", "SRIOV_NET_VF", "CUSTOM_GOLD"]
SHARES = "MISC_SHARES_VIA_AGGREGATE"
TRAITS = ["HW_CPU_X86_AVX", "HW_NUMA_ROOT", "COMPUTE_NODE", "CUSTOM_A", "CUSTOM_B"]
VERSIONS = [f"1.{minor}" for minor in range(40)]


class Dice(random.Random):
    def some(self, of: Sequence[T], most: int | None = None, least: int = 0) -> list[T]:
        most = len(of) if most is None else min(most, len(of))
        return self.sample(list(of), self.randint(min(least, most), most))

    def chance(self, probability: float) -> bool:
        return self.random() < probability

    def version(self, oldest: int = 0, newest_too: float = 0.6) -> str:
        """Mostly the newest; else any from ``oldest`` on."""
        return "1.39" if self.chance(newest_too) else f"1.{self.randint(oldest, 39)}"
