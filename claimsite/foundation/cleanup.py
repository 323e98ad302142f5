"""The base of all commands that find what is wrong and put it right.

Reporting is what they do; acting has to be asked for. Between the report and the act anything may have happened, so
each row is judged again under its lock, and acted on only if it still is what was reported: two clean-ups at the same
time, or a client that takes what one of them has just freed, must not cost anybody anything (labgrid #894).
"""

from __future__ import annotations

import contextlib
import dataclasses
import logging
import sys
from collections.abc import Collection, Iterable
from datetime import datetime, timedelta
from typing import Any, ClassVar

from django.core.management.base import CommandError, CommandParser
from django.db import DatabaseError, InterfaceError
from django.utils import timezone
from rich.progress import SpinnerColumn, TextColumn

from claimsite.foundation.address import of_page
from claimsite.foundation.alone import NotAlone, alone
from claimsite.foundation.arguments import duration, natural
from claimsite.foundation.cleanup_report import Outcome, Report, Result
from claimsite.foundation.commands import Exit, Interrupts, OperatorCommand, origin_of
from claimsite.foundation.errors import DomainError
from claimsite.foundation.findings import GRACE, ChangedMeanwhile, Checked, Colour, Finding, unwatched
from claimsite.foundation.origin import Origin
from claimsite.foundation.transactions import is_unavailable
from claimsite.foundation.uuids import canonical_or_same

logger = logging.getLogger(__name__)

LIMIT = 20
"""More findings than that are more likely a mistake in what was asked than so much rubbish (Chameleon's hammers)."""


@dataclasses.dataclass(frozen=True, slots=True)
class Scope:
    """What is looked at."""

    older_than: timedelta = GRACE
    provider: str | None = None
    """Uuid or name, of a provider or a node."""
    project: str | None = None
    consumer_type: str | None = None


def ripe_or_grey(finding: Finding, scope: Scope, now: datetime) -> Finding:
    """The finding; in grey while it is younger than the scope's grace."""
    if finding.since is None or finding.since <= now - scope.older_than:
        return finding
    return dataclasses.replace(finding, colour=Colour.GREY, fix="")


class CleanupCommand(OperatorCommand):
    """Subclasses say what is found (``find``) and how one finding is put right (``put_right``)."""

    exits = (
        "0 nothing found, 3 found and nothing changed, 4 found and all put right, 5 some put right and some left, 6 "
        "more found than --limit: nothing changed"
    )

    verb: ClassVar[str] = "delete"
    """The option that makes it act: ``--delete`` or ``--fix``."""
    scopes: ClassVar[Collection[str]] = ("provider", "project", "consumer_type")
    """Which of the narrowing options it has."""
    page: ClassVar[str] = ""
    """Where operators see the same: a page's name, and what to ask it for. Empty if no page shows it."""
    stale: ClassVar[tuple[type[DomainError], ...]] = ()
    """Refusals that mean, besides ``ChangedMeanwhile``, that the subject is not what was reported."""

    # --- for subclasses ----------------------------------------------------------------------------------------------
    def add_own_arguments(self, parser: CommandParser) -> None:
        """Options that only this command has."""

    def find(self, scope: Scope, options: dict[str, Any], checked: Checked) -> Iterable[Finding]:
        """Everything in ``scope``; what is too young in grey."""
        raise NotImplementedError

    def is_selected(self, finding: Finding, options: dict[str, Any]) -> bool:
        """Whether a run that acts would act on it."""
        return finding.colour in {Colour.GREEN, Colour.AMBER}

    def is_on_page(self, options: dict[str, Any]) -> bool:
        """Whether the page shows what was asked for here: pages have the usual grace, and know no narrower scope."""
        narrower = any(options.get(name) for name in ("provider", "project", "consumer_type", "consumer"))
        return bool(self.page) and options["older_than"] == GRACE and not narrower

    def put_right(self, finding: Finding, options: dict[str, Any], origin: Origin) -> str:
        """One call of a service verb; what was done, in a few words.

        Raises ChangedMeanwhile, or any other DomainError for a refusal.
        """
        raise NotImplementedError

    # --- the command -------------------------------------------------------------------------------------------------
    def add_arguments(self, parser: CommandParser) -> None:
        self.add_own_arguments(parser)
        self.add_verb(parser)
        parser.add_argument(
            "--older-than",
            type=duration,
            default=GRACE,
            metavar="TIME",
            help="what is younger may still be in the making, and is left alone: 90s, 15m, 2d (default: 1h)",
        )
        if "provider" in self.scopes:
            parser.add_argument("--provider", type=canonical_or_same, help="only this one, by uuid or name")
        if "project" in self.scopes:
            parser.add_argument("--project", help="only what belongs to this project")
        if "consumer_type" in self.scopes:
            parser.add_argument("--consumer-type", help="only consumers of this type")
        parser.add_argument("--consumer", type=canonical_or_same, help="only what is about this consumer or instance")
        parser.add_argument(
            "--limit", type=natural, default=LIMIT, help="refuse to act on more than so many (default: %(default)s)"
        )
        parser.add_argument("--dry-run", action="store_true", help=f"with --{self.verb}: say what it would act on")
        parser.add_argument(
            "--no-input",
            dest="interactive",
            action="store_false",
            help="don't ask before anything is freed",
        )
        parser.add_argument("--reason", default="", help="why; kept in the history")
        parser.add_argument("--json", action="store_true", help="print one JSON document instead of text")

    def add_verb(self, parser: CommandParser) -> None:
        parser.add_argument(
            f"--{self.verb}", dest="act", action="store_true", help="act; without it, only say what was found"
        )

    def run(self, options: dict[str, Any]) -> Exit:
        acts = bool(options["act"]) and not options["dry_run"]
        try:
            with alone(self.name) if acts else contextlib.nullcontext():
                return self._run(options, acts=acts)
        except NotAlone as error:
            raise CommandError(str(error), returncode=Exit.CRASHED) from error

    def _run(self, options: dict[str, Any], *, acts: bool) -> Exit:
        report = self._look(options, acts=acts)
        if not options["json"]:
            self._say(*report.beginning(with_young=options["verbosity"] > 1))
        if acts and not report.is_above_limit and self._is_agreed(report, options):
            self._act(report, options)
        self._say(report.document() if options["json"] else report.sentence())
        if report.end is not None and not isinstance(report.end, KeyboardInterrupt):
            raise report.end
        return report.status

    def _is_agreed(self, report: Report, options: dict[str, Any]) -> bool:
        """Somebody at a terminal is asked before anything is freed, with all of it before their eyes."""
        freeing = [finding for finding in report.selected if finding.colour is not Colour.GREEN]
        if not freeing or options["json"] or not options["interactive"] or not sys.stdin.isatty():
            return True
        self.stdout.write(f"{len(freeing):,} of them would free something. Type yes to do it: ", ending="")
        self.stdout.flush()
        return sys.stdin.readline().strip() == "yes"

    def _look(self, options: dict[str, Any], *, acts: bool) -> Report:
        started = timezone.now()
        watched = _Watched()
        found = self._find(options, watched)
        ripe = [finding for finding in found if finding.colour is not Colour.GREY]
        return Report(
            command=self.name,
            started=started,
            checked=watched.count,
            ripe=ripe,
            young=[finding for finding in found if finding.colour is Colour.GREY],
            selected=[each for each in ripe if self.is_selected(each, options)] if options["act"] else [],
            acts=acts,
            limit=options["limit"],
            page=of_page(self.page) if self.is_on_page(options) else "",
        )

    def _find(self, options: dict[str, Any], watched: _Watched) -> list[Finding]:
        scope = Scope(options["older_than"], *(options.get(name) for name in ("provider", "project", "consumer_type")))
        consumer = options["consumer"]
        with self.progress(options, SpinnerColumn(), TextColumn("{task.completed:,} rows looked at")) as progress:
            task = progress.add_task("", total=None)
            watched.tell = lambda count: progress.update(task, completed=count)
            found = self.find(scope, options, watched.checked)
            return [finding for finding in found if consumer is None or consumer in _consumers(finding)]

    def _act(self, report: Report, options: dict[str, Any]) -> None:
        """What was done is told at once, and stays true whatever breaks it off."""
        interrupts = Interrupts()
        try:
            with interrupts.held_back():
                for finding in report.selected:
                    interrupts.let_through()
                    outcome = self._one(finding, options)
                    report.outcomes.append(outcome)
                    if not options["json"]:
                        self._say(str(outcome))
        except (KeyboardInterrupt, DatabaseError, InterfaceError) as end:
            report.end = end

    def _say(self, *lines: str) -> None:
        for line in lines:
            self.stdout.write(line)
        self.stdout.flush()

    def _one(self, finding: Finding, options: dict[str, Any]) -> Outcome:
        """Each in a transaction of its own: what goes wrong with one is no reason to leave the others."""
        origin = origin_of(self.name, reason=options["reason"])
        try:
            return Outcome(finding, Result.FIXED, self.put_right(finding, options, origin))
        except ChangedMeanwhile as error:
            return Outcome(finding, Result.CHANGED, error.facts["how"])
        except DomainError as error:
            result = Result.CHANGED if isinstance(error, self.stale) else Result.REFUSED
            return Outcome(finding, result, str(error))
        except Exception as error:
            if is_unavailable(error):
                raise
            logger.exception("%s of %s failed", finding.code, finding.subject)
            return Outcome(finding, Result.FAILED, f"{type(error).__name__}: {error}")


def _consumers(finding: Finding) -> set[Any]:
    facts = finding.facts
    return {finding.subject, facts.get("consumer"), facts.get("instance"), *facts.get("consumers", ())}


class _Watched:
    def __init__(self) -> None:
        self.count = 0
        self.tell: Checked = unwatched

    def checked(self, rows: int) -> None:
        self.count += rows
        self.tell(self.count)
