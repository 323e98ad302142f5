"""Sees early that needs can't all be seated, where trying every order of them would take ages.

Ten like groups for nine like devices are refused at once, instead of after nine factorial tries.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from placement_app.candidates.groups import Plan
from placement_app.candidates.snapshot import Provider


class Lookahead:
    """A necessary condition, never a sufficient one: it may let a hopeless case through, but refuses no other."""

    def __init__(self, plan: Plan, options: Sequence[Sequence[Provider]]) -> None:
        self.plan = plan
        self.options = options

    def is_hopeless(self, chosen: Sequence[Provider]) -> bool:
        """Whether the needs after ``chosen`` can't be served any more, whatever is chosen for them."""
        return self._cannot_isolate(chosen) or any(
            self._cannot_supply(resource_class, chosen) for resource_class in self.plan.contended
        )

    def _cannot_isolate(self, chosen: Sequence[Provider]) -> bool:
        if not self.plan.isolate:
            return False
        first = self.plan.first_suffixed
        taken = chosen[first:]
        guests = [self.options[index] for index in range(max(first, len(chosen)), len(self.options))]
        return not can_seat(guests, lambda provider: 0 if provider in taken else 1)

    def _cannot_supply(self, resource_class: str, chosen: Sequence[Provider]) -> bool:
        demands = self.plan.contended[resource_class]
        waiting = [demand for demand in demands if demand.index >= len(chosen)]
        if not waiting:
            return False
        least = min(demand.amount for demand in waiting)

        def seats(provider: Provider) -> int:
            stock = provider.stocks[resource_class]
            taken = sum(d.amount for d in demands if d.index < len(chosen) and chosen[d.index] is provider)
            return max(0, int((min(stock.max_unit, stock.capacity - stock.used) - taken) // least))

        return not can_seat([self.options[demand.index] for demand in waiting], seats)


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
