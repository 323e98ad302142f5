"""Take over what a running Placement knows."""

from __future__ import annotations

import argparse
import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError, InterfaceError
from rich.console import Console
from rich.progress import Progress

from claimsite.foundation.cleanup import Exit
from claimsite.foundation.origin import Door, Origin
from claimsite.operations.takeover import NoPlacement, Report, Takeover
from claimsite.replay.client import Placement, Unreachable

EXAMPLES = """
examples:
  manage.py import_placement http://127.0.0.1:8778 --dry-run
  manage.py import_placement http://127.0.0.1:8778 --token $TOKEN --json | jq .faults

exit status: 0 all is here, 3 something is different or could not be taken: see what is told, 1 a service or the
database can't be reached, 2 wrong usage
"""


class Command(BaseCommand):
    help = (
        "Read providers, inventories, traits, aggregates and allocations from a running Placement (1.39 or newer), and "
        "write them through the same checks as the API. Nothing that is here already is changed. Broken off, it can "
        "be started again. In the end what is used is compared, provider by provider."
    )

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        return super().create_parser(
            prog_name, subcommand, epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter, **kwargs
        )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("url", metavar="URL", help="of the service's root document")
        parser.add_argument("--token", default="admin", help="sent as X-Auth-Token (default: %(default)s)")
        parser.add_argument("--dry-run", action="store_true", help="ask and compare, and write nothing")
        parser.add_argument("--json", action="store_true", help="print one JSON document instead of text")

    def handle(self, *args: Any, **options: Any) -> None:
        shown = not options["json"] and options["verbosity"] > 0 and self.stderr.isatty()
        try:
            with Progress(console=Console(stderr=True), disable=not shown, transient=True) as progress:
                task = progress.add_task("", total=None)
                report = Takeover(
                    remote=Placement(options["url"], token=options["token"]),
                    origin=Origin(door=Door.COMMAND, actor="import_placement"),
                    is_rehearsal=options["dry_run"],
                    stepped=lambda name, done, total: progress.update(
                        task, description=name, completed=done, total=total
                    ),
                ).run()
        except (Unreachable, NoPlacement) as error:
            raise CommandError(str(error), returncode=Exit.CRASHED) from error
        except (DatabaseError, InterfaceError) as error:
            raise CommandError(f"The database can't be used: {error}", returncode=Exit.CRASHED) from error
        self._tell(report, options)
        if report.faults:
            raise SystemExit(int(Exit.FOUND))

    def _tell(self, report: Report, options: dict[str, Any]) -> None:
        if options["json"]:
            facts = {"taken": dict(report.taken), "present": dict(report.present), "faults": report.faults}
            self.stdout.write(json.dumps({"dry_run": options["dry_run"], **facts}, indent=2))
            return
        for fault in report.faults:
            self.stdout.write(fault)
        would = "would be taken" if options["dry_run"] else "taken"
        for what in sorted(report.taken.keys() | report.present.keys()):
            self.stdout.write(f"{what:<16} {report.taken[what]:>8,} {would}, {report.present[what]:>8,} here already")
        self.stdout.write("Nothing was changed." if options["dry_run"] else f"{len(report.faults):,} faults.")
