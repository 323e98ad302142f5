"""Rows → a table for people, one for the documentation, and JSON for programs."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

from bench.measuring import Round, Row, percentile

COLUMNS = (
    "",
    "scenario",
    "peer/s",
    "site/s",
    "ratio min / med / max",
    "goal",
    "met",
    "p50 ms",
    "p99 ms",
    "CPU ms a request",
    "CPU ratio",
    "refused or wrong",
)


KEPT = ("per_second", "server_cpu", "database_cpu", "others", "statuses", "fault")
"""What the JSON says of each round."""


def cells(row: Row) -> list[str]:
    """One text for each of COLUMNS."""
    ratios = row.ratios
    p50, p99 = (
        " → ".join(short(percentile(rounds, percent)) for rounds in (row.peer, row.site)) for percent in (50, 99)
    )
    return [
        row.key,
        row.title,
        short(_rate(row.peer)),
        short(_rate(row.site)),
        spread(ratios) if ratios else "–",
        f"≥ {row.goal:g}" + (f", p95 ≤ 1/{row.p95_goal:g}" if row.p95_goal else ""),
        _verdict(row),
        p50,
        p99,
        f"{_cpu(row.peer)} → {_cpu(row.site)}",
        short(row.cpu_ratio),
        "; ".join(filter(None, (_trouble("peer", row.peer), _trouble("site", row.site)))),
    ]


def show(rows: Iterable[Row], console: Console) -> None:
    table = Table(title="openstack-placement and Ironic (peer) → claimsite (site)", header_style="bold")
    for name in COLUMNS:
        table.add_column(name, justify="left" if name in {"", "scenario", "refused or wrong"} else "right")
    for row in rows:
        style = "green" if _verdict(row) == "yes" else "yellow"
        table.add_row(*cells(row), style=style)
    console.print(table)


def markdown(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table."""
    lines = ["| " + " | ".join(columns) + " |", "|" + " --- |" * len(columns)]
    lines += ["| " + " | ".join(cell.replace("|", "/") for cell in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def as_data(rows: Iterable[Row]) -> list[dict[str, Any]]:
    return [_row(row) for row in rows]


def _row(row: Row) -> dict[str, Any]:
    return {
        "key": row.key,
        "title": row.title,
        "goal": row.goal,
        "ratios": row.ratios,
        "cpu_ratio": row.cpu_ratio,
        "met": _verdict(row),
        **{name: _side(rounds) for name, rounds in (("peer", row.peer), ("site", row.site))},
    }


def _side(rounds: Sequence[Round]) -> dict[str, Any]:
    return {
        **{f"p{percent}_milliseconds": percentile(rounds, percent) for percent in (50, 95, 99)},
        "rounds": [{name: getattr(one, name) for name in KEPT} for one in rounds],
    }


def _verdict(row: Row) -> str:
    if any(one.fault for one in row.site):
        return "WRONG"
    if not row.ratios:
        return "–"
    return "yes" if row.reached >= 1 else f"{row.reached:.0%}"


def _rate(rounds: Sequence[Round]) -> float:
    return statistics.median(one.per_second for one in rounds) if rounds else 0.0


def _cpu(rounds: Sequence[Round]) -> str:
    """Server + database."""
    if not rounds:
        return "–"
    server, database = (
        statistics.median(getattr(one, name) for one in rounds) for name in ("server_cpu", "database_cpu")
    )
    return f"{short(server)} + {short(database)}"


def _trouble(name: str, rounds: Sequence[Round]) -> str:
    statuses: Counter[int] = sum((one.statuses for one in rounds), Counter())
    refused = {status: count for status, count in sorted(statuses.items()) if status >= 400 or not status}
    parts = [f"{count / statuses.total():.0%} {status}" for status, count in refused.items()]
    if wrong := [one.fault for one in rounds if one.fault]:
        reason = " ".join(wrong[0].split())[:120]
        parts.append(f"wrong in {len(wrong)} of {len(rounds)} ({reason})")
    return f"{name}: {', '.join(parts)}" if parts else ""


def database_cpu(rounds: Sequence[Round]) -> str:
    return short(statistics.median(one.database_cpu for one in rounds))


def spread(values: Sequence[float]) -> str:
    return f"{short(min(values))} / {short(statistics.median(values))} / {short(max(values))}"


def short(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"
