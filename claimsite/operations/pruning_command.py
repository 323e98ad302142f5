"""The base of the commands that forget."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, ClassVar

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from claimsite.foundation.arguments import duration
from claimsite.foundation.commands import Exit, Interrupts, OperatorCommand
from claimsite.operations import prunings
from claimsite.operations.prunings import Pile


class PruningCommand(OperatorCommand):
    exits = "0 nothing is that old, 3 something is and was left, 4 it was deleted"
    default_age: ClassVar[timedelta]

    def piles(self, before: datetime) -> Sequence[Pile]:
        """What is older than ``before``."""
        raise NotImplementedError

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

    def run(self, options: dict[str, Any]) -> Exit:
        try:
            piles = self.piles(timezone.now() - options["older_than"])
        except OverflowError as error:
            raise CommandError("Nothing is that old.", returncode=Exit.USAGE) from error
        counts = {pile.name: pile.rows.order_by().count() for pile in piles}
        status = (Exit.ALL_FIXED if options["delete"] else Exit.FOUND) if any(counts.values()) else Exit.CLEAN
        if options["delete"]:
            gone = dict.fromkeys(counts, 0)
            try:
                self._delete(piles, counts, gone, options)
            except KeyboardInterrupt:
                status = Exit.INTERRUPTED
            counts = gone
        self._tell(counts, options, status)
        return status

    def _delete(
        self, piles: Sequence[Pile], counts: Mapping[str, int], gone: dict[str, int], options: dict[str, Any]
    ) -> None:
        interrupts = Interrupts()
        with interrupts.held_back(), self.progress(options) as progress:
            for pile in piles:
                task = progress.add_task(pile.name, total=counts[pile.name])
                for part in prunings.prune(pile):
                    gone[pile.name] += part
                    progress.advance(task, part)
                    interrupts.let_through()

    def _tell(self, counts: dict[str, int], options: dict[str, Any], status: Exit) -> None:
        if options["json"]:
            document = {"command": self.name, "dry_run": not options["delete"], "rows": counts, "exit": int(status)}
            self.stdout.write(json.dumps(document, indent=2))
            return
        for name, count in counts.items():
            self.stdout.write(f"{count:>12,}  {name}")
        self.stdout.write(
            "Deleted so far; it was broken off."
            if status is Exit.INTERRUPTED
            else "Deleted."
            if options["delete"]
            else "Nothing was changed."
        )
