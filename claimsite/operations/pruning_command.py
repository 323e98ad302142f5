"""The base of the commands that forget."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, ClassVar

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError, InterfaceError
from django.utils import timezone
from rich.console import Console
from rich.progress import Progress

from claimsite.foundation.cleanup import Exit, duration
from claimsite.operations import prunings
from claimsite.operations.prunings import Pile

EXITS = """
exit status: 0 nothing is that old, 3 something is and was left, 4 it was deleted, 1 it crashed or the database can't be
reached, 2 wrong usage
"""


class PruningCommand(BaseCommand):
    examples: ClassVar[str]
    default_age: ClassVar[timedelta]

    def piles(self, before: datetime) -> Sequence[Pile]:
        """What is older than ``before``."""
        raise NotImplementedError

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        epilog = f"examples:\n{self.examples.strip(chr(10))}\n{EXITS}"
        return super().create_parser(
            prog_name, subcommand, epilog=epilog, formatter_class=argparse.RawDescriptionHelpFormatter, **kwargs
        )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--delete", action="store_true", help="delete; without it, only say how much there is")
        parser.add_argument(
            "--older-than",
            type=duration,
            default=self.default_age,
            metavar="TIME",
            help=f"12h, 90d (default: {self.default_age.days}d)",
        )
        parser.add_argument("--json", action="store_true", help="print one JSON document instead of text")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            piles = self.piles(timezone.now() - options["older_than"])
            counts = {pile.name: pile.rows.order_by().count() for pile in piles}
            if options["delete"]:
                shown = not options["json"] and options["verbosity"] > 0 and self.stderr.isatty()
                counts = _delete(piles, counts, shown=shown)
        except OverflowError as error:
            raise CommandError("Nothing is that old.", returncode=Exit.USAGE) from error
        except (DatabaseError, InterfaceError) as error:
            raise CommandError(f"The database can't be used: {error}", returncode=Exit.CRASHED) from error
        status = (Exit.ALL_FIXED if options["delete"] else Exit.FOUND) if any(counts.values()) else Exit.CLEAN
        self._tell(counts, options, status)
        if status:
            raise SystemExit(int(status))

    def _tell(self, counts: dict[str, int], options: dict[str, Any], status: Exit) -> None:
        if options["json"]:
            command = type(self).__module__.rpartition(".")[2]
            document = {"command": command, "dry_run": not options["delete"], "rows": counts, "exit": int(status)}
            self.stdout.write(json.dumps(document, indent=2))
            return
        for name, count in counts.items():
            self.stdout.write(f"{count:>12,}  {name}")
        self.stdout.write("Deleted." if options["delete"] else "Nothing was changed.")


def _delete(piles: Sequence[Pile], counts: dict[str, int], *, shown: bool) -> dict[str, int]:
    gone = dict.fromkeys(counts, 0)
    with Progress(console=Console(stderr=True), disable=not shown, transient=True) as progress:
        for pile in piles:
            task = progress.add_task(pile.name, total=counts[pile.name])
            for part in prunings.prune(pile):
                gone[pile.name] += part
                progress.advance(task, part)
    return gone
