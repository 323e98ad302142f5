"""Write everything that the site holds as JSON lines."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError, InterfaceError
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn

from claimsite.foundation.cleanup import Exit
from claimsite.operations import carrying

EXAMPLES = """
examples:
  manage.py export site.jsonl
  manage.py export - | gzip > site.jsonl.gz

exit status: 0 all is written, 1 the database can't be reached or the file can't be written, 2 wrong usage
"""


class Command(BaseCommand):
    help = (
        "Write all providers, claims, nodes, allocations and their history, as they are at one moment, one row a line. "
        "`manage.py import` reads it into an empty site, on either database. Logins of operators are not in it."
    )

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        return super().create_parser(
            prog_name, subcommand, epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter, **kwargs
        )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", metavar="FILE", help="where to; - for stdout")

    def handle(self, *args: Any, **options: Any) -> None:
        columns = (SpinnerColumn(), TextColumn("{task.completed:,} rows"))
        shown = options["verbosity"] > 0 and self.stderr.isatty()
        try:
            with (
                _output(options["file"]) as output,
                Progress(*columns, console=Console(stderr=True), disable=not shown, transient=True) as progress,
            ):
                task = progress.add_task("", total=None)
                carried = carrying.write(output, checked=lambda rows: progress.advance(task, rows))
        except OSError as error:
            raise CommandError(f"{options['file']} can't be written: {error}") from error
        except (DatabaseError, InterfaceError) as error:
            raise CommandError(f"The database can't be used: {error}", returncode=Exit.CRASHED) from error
        self.stderr.write(f"{carried.total:,} rows written.", self.style.SUCCESS)


@contextlib.contextmanager
def _output(name: str) -> Iterator[BinaryIO]:
    """A file appears under its name when it is complete."""
    if name == "-":
        yield sys.stdout.buffer
        return
    path = Path(name)
    part = path.with_name(f"{path.name}.part")
    with part.open("wb") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)
