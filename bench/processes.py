"""What processes cost: CPU seconds and memory, read from /proc (Linux)."""

from __future__ import annotations

import os
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")


def _stat(pid: int) -> list[str] | None:
    """The fields of /proc/<pid>/stat from the third on: a name may contain anything."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None


def family(ancestor: int) -> list[int]:
    """The process and everything that descends from it."""
    children: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):
        if name.isdigit() and (fields := _stat(int(name))):
            children.setdefault(int(fields[1]), []).append(int(name))
    found, ahead = [], [ancestor]
    while ahead:
        found.append(ahead.pop())
        ahead += children.get(found[-1], [])
    return found


def cpu_seconds(ancestor: int) -> float:
    """CPU time of the process and all that descends from it, those included that have ended by now."""
    ticks = 0
    for pid in family(ancestor):
        if fields := _stat(pid):
            ticks += sum(int(field) for field in fields[11:15])
    return ticks / TICKS


def machine_cpu_seconds() -> float:
    """CPU time that anybody on this machine has used."""
    fields = Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]
    user, nice, system, _idle, _waiting, interrupt, soft, *_ = map(int, fields)
    return (user + nice + system + interrupt + soft) / TICKS


def own_memory(pid: int) -> int:
    """Bytes that the process would free if it ended: its share of what it shares is counted in parts (PSS)."""
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) * 1024
    return 0
