"""Load real machines as resource providers, and bare metal as nodes too."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from claimsite.foundation.commands import Exit, Interrupts, OperatorCommand, origin_of
from claimsite.foundation.errors import DomainError
from claimsite.machines import reading
from claimsite.machines.record import Machine
from claimsite.operations import enrolment, statistics
from claimsite.operations.enrolment import Report
from ironic_app.services import machines as node_machines
from placement_app.services import machines as provider_machines

AT_ONCE = 200
"""Machines in one transaction: other writers wait no longer than that takes."""
SHOWN_FAULTS = 20
_Sorted = provider_machines.Report | node_machines.Report


class Command(OperatorCommand):
    examples = """
  manage.py load_machines data/openb-nodes.csv
  manage.py load_machines data/openb-nodes.csv data/grid5000-nodes.jsonl.gz --dry-run
  manage.py load_machines data/grid5000-nodes.jsonl.gz --json | jq .summary
"""
    exits = "0 loaded (or nothing to do), 1 a file can't be read or has faults: nothing was loaded"
    help = (
        "Load machines as resource providers with their inventories, traits and aggregates, from the CSV of openb or "
        "the JSONL of Grid'5000 (also with .gz); the format is recognised. The machines of Grid'5000 are bare metal: "
        "each also becomes a node, available and powered off, with its ports. A file with a faulty row is not loaded "
        "at all. Loading again corrects what differs and takes nothing away."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
        parser.add_argument("--dry-run", action="store_true", help="say what would be done, and change nothing")
        parser.add_argument("--json", action="store_true", help="print one JSON document instead of text")

    def run(self, options: dict[str, Any]) -> Exit:
        files, dry_run, as_json = options["files"], options["dry_run"], options["json"]
        try:
            read = reading.read(files)
        except (OSError, reading.UnknownFormat) as error:
            raise CommandError(str(error)) from error
        if read.faults:
            self._refuse(files, read.faults, as_json=as_json)
        report = Report()
        status = Exit.CLEAN
        try:
            for part in self._parts(read.machines, options):
                report.add(_preview(part) if dry_run else _load(part))
        except DomainError as error:
            raise CommandError(f"{error} So far: {_sentence(report)}") from error
        except KeyboardInterrupt:
            status = Exit.INTERRUPTED
        if not dry_run:
            statistics.refresh()
        self._tell(files, report, dry_run=dry_run, as_json=as_json)
        return status

    def _tell(self, files: Sequence[Path], report: Report, *, dry_run: bool, as_json: bool) -> None:
        if as_json:
            nodes = report.nodes
            summary = {
                **_counts(report.providers),
                "nodes": _counts(nodes),
                "ports": {"created": nodes.new_ports, "unchanged": nodes.known_ports},
            }
            changed = sorted({*report.providers.changed, *nodes.changed})
            self._print_document(files, dry_run=dry_run, summary=summary, changed=changed, faults=[])
            return
        self.stdout.write(f"Would be: {_sentence(report)} Nothing was changed." if dry_run else _sentence(report))

    def _parts(self, found: Sequence[Machine], options: dict[str, Any]) -> Iterator[list[Machine]]:
        interrupts = Interrupts()
        with interrupts.held_back(), self.progress(options) as progress:
            task = progress.add_task("Loading machines", total=len(found))
            rest = iter(found)
            while part := list(itertools.islice(rest, AT_ONCE)):
                yield part
                progress.advance(task, len(part))
                interrupts.let_through()

    def _refuse(self, files: Sequence[Path], faults: Sequence[reading.Fault], *, as_json: bool) -> None:
        if as_json:
            told = [{"file": str(fault.path), "line": fault.line, "text": fault.text} for fault in faults]
            self._print_document(files, dry_run=False, summary=None, changed=[], faults=told)
        lines = [str(fault) for fault in faults[:SHOWN_FAULTS]]
        if len(faults) > SHOWN_FAULTS:
            lines.append(f"… and {len(faults) - SHOWN_FAULTS:,} more")
        raise CommandError("\n".join([*lines, f"{len(faults):,} faulty rows: nothing was loaded."]))

    def _print_document(self, files: Sequence[Path], **facts: Any) -> None:
        self.stdout.write(
            json.dumps({"command": "load_machines", "files": [str(file) for file in files], **facts}, indent=2)
        )


def _preview(part: Sequence[Machine]) -> Report:
    return enrolment.preview(machines=part)


def _load(part: Sequence[Machine]) -> Report:
    return enrolment.load(machines=part, origin=origin_of("load_machines"))


def _sentence(report: Report) -> str:
    told = f"{_counted(report.providers, 'machines')}."
    if any(_counts(report.nodes).values()):
        told += f" {_counted(report.nodes, 'nodes')}; {report.nodes.new_ports:,} new ports."
    return told


def _counted(report: _Sorted, noun: str) -> str:
    counts = _counts(report)
    return (
        f"{sum(counts.values()):,} {noun}: {counts['created']:,} new, {counts['changed']:,} corrected, "
        f"{counts['unchanged']:,} as they were"
    )


def _counts(report: _Sorted) -> dict[str, int]:
    return {
        "created": len(report.created),
        "changed": len(report.changed),
        "unchanged": len(report.unchanged),
    }
