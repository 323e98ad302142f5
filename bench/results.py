"""All that a run has found out."""

from __future__ import annotations

import dataclasses
from typing import Any

from bench import report
from bench.floor import Floor
from bench.measuring import Row
from bench.pages import Page


@dataclasses.dataclass(slots=True)
class Results:
    facts: dict[str, Any]
    """Of the machine and the run."""
    rows: list[Row] = dataclasses.field(default_factory=list)
    floors: list[Floor] = dataclasses.field(default_factory=list)
    pages: list[Page] = dataclasses.field(default_factory=list)
    missing: list[str] = dataclasses.field(default_factory=list)
    """What could not be measured, and why."""
    start_seconds: dict[str, list[float]] = dataclasses.field(default_factory=dict)
    """Name of a server → time until its first answer, each time it was started."""
    worker_memory: dict[str, int] = dataclasses.field(default_factory=dict)
    """Name of a server → bytes of its largest worker."""

    @property
    def is_wrong(self) -> bool:
        faults = [one.fault for row in self.rows for one in row.site if one.fault]
        return bool(self.missing or faults) or not all(page.is_quick for page in self.pages)

    def started(self, name: str, seconds: float) -> None:
        self.start_seconds.setdefault(name, []).append(seconds)

    def took(self, name: str, memory: int) -> None:
        self.worker_memory[name] = max(self.worker_memory.get(name, 0), memory)

    def as_data(self) -> dict[str, Any]:
        return {
            "facts": self.facts,
            "rows": report.as_data(self.rows),
            "floors": [dataclasses.asdict(floor) for floor in self.floors],
            "pages": [dataclasses.asdict(page) for page in self.pages],
            "missing": self.missing,
            "start_seconds": self.start_seconds,
            "worker_memory_bytes": self.worker_memory,
        }
