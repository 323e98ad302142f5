"""A replay's summary as a page for a terminal."""

from __future__ import annotations

from typing import Any

from rich import box
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from claimsite.machines import names
from claimsite.replay.summary import TOGETHER

BAR_WIDTH = 40
EIGHTHS = " ▏▎▍▌▋▊▉"
CLASSES = {"VCPU": "CPU cores", "MEMORY_MB": "memory", names.GPU_MILLI: "GPUs", "DISK_GB": "disk", "PGPU": "whole GPUs"}


def show(console: Console, report: dict[str, Any]) -> None:
    for title, part in (
        ("Requests", _requests(report)),
        ("How full", _fill(report)),
        ("How fast", _speed(report)),
        ("Races", _races(report)),
        ("What must hold", _invariants(report)),
    ):
        console.print()
        console.print(Text(title, style="bold"))
        console.print(part)
    console.print()
    console.print(_verdict(report))


def _requests(report: dict[str, Any]) -> RenderableType:
    refused = report["refused"]
    table = _table("<", ">", "<")
    table.add_row("claimed", _count(report["claimed"]), Text(_share(report["claimed"], report["served"]), "green"))
    table.add_row("no room", _count(refused["no_room"]), _share(refused["no_room"], report["served"]))
    for reason, count in refused["no_room_why"].items():
        table.add_row("", _count(count), Text(_reason(reason), "dim"))
    table.add_row("outrun", _count(refused["outrun"]), Text("others were faster at every candidate", "dim"))
    if refused["failed"]:
        table.add_row("failed", _count(refused["failed"]), Text("the service gave an answer it should not give", "red"))
    return table


def _reason(reason: str) -> str:
    if reason == TOGETHER:
        return "everything was free somewhere, but nowhere together"
    return f"no machine had enough {' and no machine enough '.join(_class(name) for name in reason.split('+'))} free"


def _fill(report: dict[str, Any]) -> RenderableType:
    classes = _table("<", "<", ">", "<")
    for row in report["fill"]:
        classes.add_row(_class(row["resource_class"]), *_bar(row, *_unit(row["resource_class"])))
    models = _table("<", "<", ">", "<")
    for row in report["gpu_models"]:
        models.add_row(row["model"], *_bar(row, 1000, f"on {row['machines']:,} machines"))
    return Group(classes, Text("GPUs by model", style="dim"), models) if report["gpu_models"] else classes


def _unit(resource_class: str) -> tuple[int, str]:
    if resource_class == "MEMORY_MB":
        return 1024, "GiB"
    return (1000, "") if resource_class == names.GPU_MILLI else (1, "")


def _bar(row: dict[str, Any], unit: int, word: str) -> tuple[Text, Text, Text]:
    share = row["used"] / row["capacity"] if row["capacity"] else 0.0
    eighths = round(share * BAR_WIDTH * 8)
    full, part = divmod(min(eighths, BAR_WIDTH * 8), 8)
    bar = "█" * full + (EIGHTHS[part] if part else "")
    style = "green" if share < 0.75 else "yellow" if share <= 1 else "red"
    return (
        Text.assemble((bar, style), ("·" * (BAR_WIDTH - len(bar)), "dim")),
        Text(f"{share:.1%}", "bold"),
        Text(f"{row['used'] / unit:,.0f} of {row['capacity'] / unit:,.0f} {word}", "dim"),
    )


def _speed(report: dict[str, Any]) -> RenderableType:
    rate = Text.assemble(
        (f"{report['claims_per_second']:,.0f} claims/s", "bold"),
        f"  {report['clients']} clients, {report['seconds']:,.1f} s; each claim is a search and a write",
    )
    table = _table("<", ">", ">", ">", ">", header=("", "p50", "p95", "p99", "max"))
    for name, figures in report["latency_ms"].items():
        table.add_row(name, *(f"{figure:,.1f} ms" for figure in figures.values()))
    return Group(rate, table)


def _races(report: dict[str, Any]) -> RenderableType:
    races = report["races"]
    table = _table("<", ">", "<")
    for name, key, meaning in (
        ("absorbed", "machine_changed_since_search", "claimed although the machine had changed since the search"),
        ("room gone", "refused_for_room", "409: somebody else took it first; the next candidate was tried"),
        ("surfaced", "refused_for_race", "409 concurrent update: the server's own retries were spent"),
        ("busy", "busy", "503: asked to come back later"),
        ("answer lost", "lost_answers", "the connection broke; looked up what became of the claim"),
    ):
        if races[key] or key in {"machine_changed_since_search", "refused_for_room", "refused_for_race"}:
            table.add_row(name, _count(races[key]), Text(meaning, "dim"))
    return table


def _invariants(report: dict[str, Any]) -> RenderableType:
    table = _table("<", "<", ">")
    for invariant in report["invariants"]:
        table.add_row(_mark(invariant), invariant["promise"], Text(f"{invariant['checked']:,} checked", "dim"))
        for example in invariant["examples"]:
            table.add_row("", Text(example, "red"), "")
    return table


def _mark(invariant: dict[str, Any]) -> Text:
    if not invariant["holds"]:
        return Text(f"✘ BROKEN × {invariant['broken']:,}", "bold red")
    return Text("✔ holds", "green") if invariant["checked"] else Text("· no case", "dim")


def _verdict(report: dict[str, Any]) -> Text:
    broken = [invariant["name"] for invariant in report["invariants"] if not invariant["holds"]]
    if broken:
        return Text(f"BROKEN: {', '.join(broken)}.", "bold red")
    return Text(f"{report['claimed']:,} claims, and every one is accounted for.", "bold green")


def _table(*sides: str, header: tuple[str, ...] = ()) -> Table:
    table = Table(box=box.SIMPLE if header else None, show_header=bool(header), padding=(0, 2), show_edge=False)
    for index, side in enumerate(sides):
        table.add_column(header[index] if header else "", justify="right" if side == ">" else "left")
    return table


def _class(name: str) -> str:
    return CLASSES.get(name, name)


def _count(number: int) -> str:
    return f"{number:,}"


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.1%}" if whole else ""
