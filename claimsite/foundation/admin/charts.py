"""Counts over time, as columns: HTML that anybody can read, drawn by a script where the look brings Chart.js."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from claimsite.foundation.admin import show


@dataclasses.dataclass(frozen=True, slots=True)
class Columns:
    title: str
    labels: Sequence[str]
    values: Sequence[int]

    @property
    def most(self) -> int:
        return max(self.values, default=0)

    @property
    def total(self) -> int:
        return sum(self.values)

    @property
    def bars(self) -> list[dict[str, object]]:
        return [
            {"label": label, "value": value, "height": round(100 * value / self.most) if self.most else 0}
            for label, value in zip(self.labels, self.values, strict=True)
        ]

    @property
    def data(self) -> str:
        """For the script."""
        return json.dumps({"title": self.title, "labels": list(self.labels), "values": list(self.values)})


def over_time(
    title: str, counts: Iterable[tuple[datetime, int]], *, start: datetime, end: datetime, step: timedelta
) -> Columns:
    """Columns of ``step`` each from ``start`` to ``end``; the moments of ``counts`` may be finer than that."""
    number = max(-(-(end - start) // step), 1)
    values = [0] * number
    for moment, count in counts:
        place = (moment - start) // step
        values[min(max(place, 0), number - 1)] += count
    has_days = step >= timedelta(hours=6)
    labels = [_label(start + place * step, has_days=has_days) for place in range(number)]
    return Columns(title, labels, values)


def _label(moment: datetime, *, has_days: bool) -> str:
    exact = show.utc(moment)
    return f"{exact[5:10]} {exact[11:16]}" if has_days else exact[11:16]
