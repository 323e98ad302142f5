"""Read an export into an empty site."""  # noqa: N999 (it is what people type)

from __future__ import annotations

import gzip
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from rich.progress import SpinnerColumn, TextColumn

from claimsite.foundation.commands import Exit, OperatorCommand
from claimsite.foundation.errors import DomainError
from claimsite.operations import carrying, statistics
from placement_app.services import cleanup


class Command(OperatorCommand):
    examples = """
  manage.py import site.jsonl.gz --dry-run
  manage.py import site.jsonl
"""
    exits = (
        "0 all is there and in order, 3 all is there and check_data has findings, 1 it is no export or the site is not "
        "empty: nothing was imported"
    )
    help = (
        "Read what `manage.py export` wrote into an empty site: all of it, or nothing. Then the counts are compared "
        "and the data is checked."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", metavar="FILE", help="an export, also with .gz; - for stdin")
        parser.add_argument("--dry-run", action="store_true", help="do it all, and then take it back")

    def run(self, options: dict[str, Any]) -> Exit:
        columns = (SpinnerColumn(), TextColumn("{task.completed:,} rows"))
        try:
            with self.progress(options, *columns) as progress:
                task = progress.add_task("", total=None)
                carried = carrying.read(
                    _lines(options["file"]),
                    is_rehearsal=options["dry_run"],
                    checked=lambda rows: progress.advance(task, rows),
                )
        except (DomainError, OSError, EOFError) as error:
            raise CommandError(str(error), returncode=Exit.CRASHED) from error
        return self._tell(carried, is_rehearsal=options["dry_run"])

    def _tell(self, carried: carrying.Carried, *, is_rehearsal: bool) -> Exit:
        for table, count in carried.rows.items():
            self.stdout.write(f"{count:>12,}  {table}")
        if is_rehearsal:
            self.stdout.write(f"{carried.total:,} rows would be imported. Nothing was changed.")
            return Exit.CLEAN
        statistics.refresh()
        faults = sum(1 for _ in cleanup.all_findings())
        self.stdout.write(f"{carried.total:,} rows imported. " + ("All is in order." if not faults else ""))
        if faults:
            self.stdout.write(f"{faults:,} findings were imported with them: see manage.py check_data.")
        return Exit.FOUND if faults else Exit.CLEAN


def _lines(name: str) -> Iterable[bytes]:
    """One line at a time. A write that lost a race begins again with the first, so stdin is kept."""
    if name == "-":
        return sys.stdin.buffer.readlines()
    path = Path(name)
    with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
        return _Again(path) if file.read(1) else []


class _Again:
    def __init__(self, path: Path) -> None:
        self.path = path

    def __iter__(self) -> Any:
        with gzip.open(self.path) if self.path.suffix == ".gz" else self.path.open("rb") as file:
            yield from file
