"""The base of the commands that take over another service."""

from __future__ import annotations

import contextlib
import json
from typing import Any, ClassVar

from django.core.management.base import CommandError, CommandParser

from claimsite.foundation.alone import NotAlone, alone
from claimsite.foundation.commands import Exit, Interrupts, OperatorCommand, origin_of
from claimsite.operations import statistics
from claimsite.operations.takeover.service import NoService, Report, Takeover
from claimsite.replay.client import Service, Unreachable


class TakeoverCommand(OperatorCommand):
    exits = (
        "0 all is here, 3 something is different, could not be taken or was left out: see what is told, 1 the service "
        "can't be reached or is none"
    )
    takeover: ClassVar[type[Takeover]]
    client: ClassVar[type[Service]]

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("url", metavar="URL", help="of the service's root document")
        parser.add_argument("--token", default="admin", help="sent as X-Auth-Token (default: %(default)s)")
        parser.add_argument("--dry-run", action="store_true", help="ask and compare, and write nothing")
        parser.add_argument("--json", action="store_true", help="print one JSON document instead of text")

    def run(self, options: dict[str, Any]) -> Exit:
        report = Report()
        try:
            with contextlib.nullcontext() if options["dry_run"] else alone(self.name):
                self._take(report, options)
            status = Exit.CLEAN if report.is_complete else Exit.FOUND
        except NotAlone as error:
            raise CommandError(str(error), returncode=Exit.CRASHED) from error
        except (Unreachable, NoService) as error:
            self._tell_what_was_done(report, options)
            raise CommandError(str(error), returncode=Exit.CRASHED) from error
        except KeyboardInterrupt:
            status = Exit.INTERRUPTED
        self._tell(report, options, status)
        return status

    def _take(self, report: Report, options: dict[str, Any]) -> None:
        interrupts = Interrupts()
        with interrupts.held_back(), self.progress(options) as progress:
            task = progress.add_task("", total=None)

            def stepped(name: str, done: int, total: int | None) -> None:
                progress.update(task, description=f"{done:,} {name}", completed=done, total=total)
                interrupts.let_through()

            self.takeover(
                remote=self.client(options["url"], token=options["token"]),
                origin=origin_of(self.name),
                is_rehearsal=options["dry_run"],
                stepped=stepped,
                report=report,
            ).run()
        if not options["dry_run"]:
            statistics.refresh()

    def _tell_what_was_done(self, report: Report, options: dict[str, Any]) -> None:
        """Before it is told what went wrong: what was taken stays."""
        if report.taken or report.present:
            self._tell(report, options, Exit.CRASHED)

    def _tell(self, report: Report, options: dict[str, Any], status: Exit) -> None:
        if options["json"]:
            self.stdout.write(json.dumps(self._document(report, options, status), indent=2))
            return
        for line in (*report.faults, *report.waiting):
            self.stdout.write(line)
        for what, count in report.hidden.items():
            self.stdout.write(f"{what} is not shown there ({count:,} times): it has to be given again.")
        would = "would be taken" if options["dry_run"] else "taken"
        for what in sorted(report.taken.keys() | report.present.keys()):
            self.stdout.write(f"{what:<16} {report.taken[what]:>8,} {would}, {report.present[what]:>8,} here already")
        self.stdout.write(self._sentence(report, options, status))

    def _document(self, report: Report, options: dict[str, Any], status: Exit) -> dict[str, Any]:
        return {
            "command": self.name,
            "dry_run": options["dry_run"],
            "taken": dict(report.taken),
            "present": dict(report.present),
            "waiting": report.waiting,
            "hidden": dict(report.hidden),
            "faults": report.faults,
            "exit": int(status),
        }

    def _sentence(self, report: Report, options: dict[str, Any], status: Exit) -> str:
        told = f"{len(report.faults):,} faults, {len(report.waiting):,} left out."
        if options["dry_run"]:
            told += " Nothing was changed."
        if status in {Exit.INTERRUPTED, Exit.CRASHED}:
            told += " It was broken off: started again, it goes on here."
        return told
