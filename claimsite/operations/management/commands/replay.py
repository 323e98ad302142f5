"""Replay recorded requests against a running Placement service."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from claimsite.operations import replaying
from claimsite.operations.arguments import natural, positive
from claimsite.replay import trace
from claimsite.replay.claims import Manner
from claimsite.replay.client import Placement, Unreachable
from claimsite.replay.job import Job

EXAMPLES = """
examples:
  manage.py replay data/openb-pods.csv.gz --limit 500
  manage.py replay data/openb-pods.csv.gz --url http://127.0.0.1:8000/placement --clients 8 --json | jq .invariants

exit status: 0 every invariant holds, 3 one is broken, 1 the service can't be reached or the file can't be read,
2 wrong usage, 130 interrupted (and every invariant holds)
"""


class Command(BaseCommand):
    help = (
        "Replay the recorded requests of FILE, in order of arrival and from several clients at once, against a running "
        "Placement service: ask for candidates, claim the first that fits, go on to the next when refused. Then check "
        "that the service's books agree with what was acknowledged. What an earlier replay of the same file left "
        "claimed is released first; nobody else's claims are touched."
    )

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        return super().create_parser(
            prog_name, subcommand, epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter, **kwargs
        )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE")
        parser.add_argument("--url", default=replaying.own_address(), help="of Placement (default: %(default)s)")
        parser.add_argument("--token", default="admin", help="sent as X-Auth-Token (default: %(default)s)")
        parser.add_argument("--clients", type=positive, default=8, help="at the same time (default: %(default)s)")
        parser.add_argument("--limit", type=natural, default=0, help="only the first so many requests; 0: all")
        parser.add_argument(
            "--candidates", type=positive, default=5, help="asked for with each search (default: %(default)s)"
        )
        parser.add_argument(
            "--look-into-database",
            action="store_true",
            help="also check what no answer shows, in the database of this installation's settings",
        )
        parser.add_argument("--json", action="store_true", help="print one JSON document instead of a page")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            everything = trace.read(options["file"])
        except (OSError, trace.BadTrace) as error:
            raise CommandError(str(error)) from error
        shown = not options["json"] and options["verbosity"] > 0 and self.stderr.isatty()
        try:
            job = Job(
                placement=Placement(options["url"], token=options["token"], connections=options["clients"]),
                requests=everything[: options["limit"] or None],
                everyone=[request.consumer for request in everything],
                clients=options["clients"],
                manner=Manner(candidates=options["candidates"]),
            )
            with replaying.alone():
                report = replaying.run(job, shown=shown, look_into_database=options["look_into_database"])
        except Unreachable as error:
            raise CommandError(str(error)) from error
        replaying.print_report(report, self.stdout, as_json=options["json"])
        if status := replaying.exit_status(report):
            raise SystemExit(status)
