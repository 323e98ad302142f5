"""What a service holds, row by row, in a form in which two services can be compared."""

from __future__ import annotations

import dataclasses
from typing import Any

Rows = list[tuple[Any, ...]]


@dataclasses.dataclass(frozen=True)
class State:
    providers: Rows
    inventories: Rows
    traits: Rows
    aggregates: Rows
    allocations: Rows
    consumers: Rows
    vocabulary: Rows

    def difference(self, other: State) -> list[str]:
        """What only one of the two has: ``-`` for this one, ``+`` for the other."""
        told = []
        for field in dataclasses.fields(self):
            mine, theirs = set(getattr(self, field.name)), set(getattr(other, field.name))
            told += [f"- {field.name} {row}" for row in sorted(mine - theirs, key=repr)]
            told += [f"+ {field.name} {row}" for row in sorted(theirs - mine, key=repr)]
        return told
