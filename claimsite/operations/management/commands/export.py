"""Write everything that the site holds as JSON lines."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from django.core.management.base import CommandError, CommandParser
from rich.progress import SpinnerColumn, TextColumn

from claimsite.foundation.commands import OperatorCommand
from claimsite.operations import carrying


class Command(OperatorCommand):
    examples = """
  manage.py export site.jsonl
  manage.py export - | gzip > site.jsonl.gz
"""
    exits = "0 all is written"
    help = (
        "Write all providers, claims, nodes, allocations and their history, as they are at one moment, one row a line. "
        "`manage.py import` reads it into an empty site, on either database. Logins of operators are not in it."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", metavar="FILE", help="where to; - for stdout")

    def run(self, options: dict[str, Any]) -> None:
        columns = (SpinnerColumn(), TextColumn("{task.completed:,} rows"))
        try:
            with (
                _output(options["file"]) as output,
                self.progress(options, *columns) as progress,
            ):
                task = progress.add_task("", total=None)
                carried = carrying.write(output, checked=lambda rows: progress.advance(task, rows))
        except OSError as error:
            raise CommandError(f"{options['file']} can't be written: {error}") from error
        self.stderr.write(f"{carried.total:,} rows written.", self.style.SUCCESS)


@contextlib.contextmanager
def _output(name: str) -> Iterator[BinaryIO]:
    """A file appears under its name when it is complete."""
    if name == "-":
        yield sys.stdout.buffer
        return
    path = Path(name)
    part = path.with_name(f"{path.name}.part")
    try:
        with part.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
