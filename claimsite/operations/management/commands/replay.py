"""Replay recorded requests against a running Placement service."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from claimsite.foundation.arguments import natural, positive
from claimsite.foundation.commands import Exit, OperatorCommand
from claimsite.operations import replaying
from claimsite.replay import trace
from claimsite.replay.claims import Manner
from claimsite.replay.client import Placement, Unreachable
from claimsite.replay.job import Job


class Command(OperatorCommand):
    examples = """
  manage.py replay data/openb-pods.csv.gz --limit 500
  manage.py replay data/openb-pods.csv.gz --url http://127.0.0.1:8000/placement --clients 8 --json | jq .invariants
"""
    exits = replaying.EXITS
    help = (
        "Replay the recorded requests of FILE, in order of arrival and from several clients at once, against a running "
        "Placement service: ask for candidates, claim the first that fits, go on to the next when refused. Then check "
        "that the service's books agree with what was acknowledged. What an earlier replay of the same file left "
        "claimed is released first; nobody else's claims are touched."
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

    def run(self, options: dict[str, Any]) -> Exit:
        try:
            everything = trace.read(options["file"])
        except (OSError, trace.BadTrace) as error:
            raise CommandError(str(error)) from error
        try:
            job = Job(
                placement=Placement(options["url"], token=options["token"], connections=options["clients"]),
                requests=everything[: options["limit"] or None],
                everyone=[request.consumer for request in everything],
                clients=options["clients"],
                manner=Manner(candidates=options["candidates"]),
            )
            with replaying.alone():
                report = replaying.run(
                    job, shown=self.is_watched(options), look_into_database=options["look_into_database"]
                )
        except Unreachable as error:
            raise CommandError(str(error)) from error
        replaying.print_report(report, self.stdout, as_json=options["json"])
        return replaying.exit_status(report)
