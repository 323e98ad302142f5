"""A replay as the commands run it: with a progress bar for a person, and with a look into the database."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import CommandError
from django.core.management.base import OutputWrapper
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeRemainingColumn

from claimsite.foundation.address import address
from claimsite.foundation.alone import NotAlone, file_lock
from claimsite.foundation.commands import Exit
from claimsite.replay import screen
from claimsite.replay.claims import End, Outcome
from claimsite.replay.invariants import Invariant
from claimsite.replay.job import Job, Watcher
from placement_app.models import Consumer

EXITS = "0 every invariant holds, 3 one is broken, 1 the service can't be reached or a file can't be read"


def own_address() -> str:
    """Where this installation's Placement is, by its settings."""
    return f"{address()}/{settings.PLACEMENT_PREFIX}".rstrip("/")


def exit_status(report: dict[str, Any]) -> Exit:
    if not all(invariant["holds"] for invariant in report["invariants"]):
        return Exit.FOUND
    return Exit.INTERRUPTED if report["interrupted"] else Exit.CLEAN


def print_report(report: dict[str, Any], output: OutputWrapper, *, as_json: bool) -> None:
    """One JSON document, or a page that has colours when the output is a terminal."""
    if as_json:
        output.write(json.dumps(report, indent=2))
        return
    terminal = output.isatty()
    console = Console(width=None if terminal else 110, force_terminal=terminal, no_color=not terminal)
    with console.capture() as captured:
        screen.show(console, report)
    output.write("\n".join(line.rstrip() for line in captured.get().splitlines()))


@contextlib.contextmanager
def alone() -> Iterator[None]:
    """Two replays at once would release each other's claims. Raises CommandError when there is one already."""
    try:
        with file_lock(Path(settings.VAR_DIR, "replay.lock"), "replay"):
            yield
    except NotAlone as error:
        raise CommandError(str(error)) from error


@contextlib.contextmanager
def progress(*, shown: bool) -> Iterator[Watcher]:
    """A watcher that draws a bar on the terminal's stderr."""
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(bar_width=40),
        MofNCompleteColumn(),
        TextColumn("{task.fields[told]}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), disable=not shown, transient=True) as bar:
        task = bar.add_task("", total=None, told="")
        ends = dict.fromkeys(End, 0)

        def phase(name: str, steps: int) -> None:
            bar.reset(task, description=name, total=steps or None, told="")

        def ended(outcome: Outcome) -> None:
            ends[outcome.end] += 1
            refused = sum(ends.values()) - ends[End.CLAIMED]
            bar.update(task, advance=1, told=f"{ends[End.CLAIMED]:,} claimed, {refused:,} refused")

        def step() -> None:
            bar.update(task, advance=1)

        yield Watcher(phase=phase, ended=ended, step=step)


def database_checks() -> list[Invariant]:
    """What no answer of the API would show."""
    empty = Consumer.objects.filter(allocations=None).order_by("pk").values_list("pk", flat=True)
    return [
        Invariant(
            name="orphans",
            promise="the database knows no consumer that holds nothing",
            checked=Consumer.objects.count(),
            broken=[f"{uuid} holds nothing" for uuid in empty],
        )
    ]


def run(job: Job, *, shown: bool, look_into_database: bool) -> dict[str, Any]:
    """The report. Raises client.Unreachable."""
    with progress(shown=shown) as watcher:
        return job.run(watcher, further_checks=database_checks if look_into_database else list)
