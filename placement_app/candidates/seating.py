"""Whether needs that compete can all be seated, without trying every order of them.

Ten like groups for nine like devices are refused at once, instead of after nine factorial tries.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from placement_app.candidates.snapshot import Provider


def can_seat(guests: Sequence[Sequence[Provider]], seats: Callable[[Provider], int]) -> bool:
    """Whether each guest gets a seat at one of the tables that it would sit at (a matching in a bipartite graph)."""
    seated: dict[Provider, list[int]] = {}

    def seat(guest: int, asked: set[Provider]) -> bool:
        for table in guests[guest]:
            if table in asked:
                continue
            asked.add(table)
            sitting = seated.setdefault(table, [])
            if len(sitting) < seats(table):
                sitting.append(guest)
                return True
            for place, other in enumerate(sitting):
                if seat(other, asked):
                    sitting[place] = guest
                    return True
        return False

    return all(seat(guest, set()) for guest in range(len(guests)))
