"""Does it fit? A pure function over what was read under the providers' locks."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import TypeAlias

from placement_app import errors

StockKey: TypeAlias = tuple[str, str]
"""Provider uuid, resource class."""


@dataclasses.dataclass(slots=True)
class Stock:
    """One inventory as it stands under its provider's lock."""

    inventory_id: int
    total: int
    reserved: int
    min_unit: int
    max_unit: int
    step_size: int
    allocation_ratio: float
    used: int

    @property
    def capacity(self) -> float:
        return (self.total - self.reserved) * self.allocation_ratio


def check(
    stocks: Mapping[StockKey, Stock],
    *,
    wanted: Iterable[tuple[StockKey, int]],
    released: Mapping[StockKey, int],
) -> dict[StockKey, int]:
    """The new ``used`` of every stock that is touched.

    ``wanted`` are the single amounts of all claims of one request: each must keep the unit rules, and their sum must
    fit on top of what others hold, i.e. ``used`` less ``released``. A provider that is over its capacity already (its
    inventory was lowered) accepts what leaves it no fuller than it was.

    Raises UnitsViolated and CapacityExceeded; every key of ``wanted`` must be in ``stocks``.
    """
    result = {key: stocks[key].used - amount for key, amount in released.items()}
    for key, amount in wanted:
        stock = stocks[key]
        if not stock.min_unit <= amount <= stock.max_unit or amount % stock.step_size:
            raise errors.UnitsViolated(
                provider=key[0],
                resource_class=key[1],
                amount=amount,
                min_unit=stock.min_unit,
                max_unit=stock.max_unit,
                step_size=stock.step_size,
            )
        result[key] = result.get(key, stock.used) + amount
    for key, used in result.items():
        stock = stocks[key]
        if used > stock.capacity and used > stock.used:
            others = stock.used - released.get(key, 0)
            raise errors.CapacityExceeded(
                provider=key[0],
                resource_class=key[1],
                amount=used - others,
                used=others,
                capacity=int(stock.capacity),
            )
    return result
