"""The base of all commands that find what is wrong and put it right.

Reporting is what they do; acting has to be asked for. Between the report and the act anything may have happened, so
each row is judged again under its lock, and acted on only if it still is what was reported: two clean-ups at the same
time, or a client that takes what one of them has just freed, must not cost anybody anything (labgrid #894).
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import enum
import json
import logging
import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any, ClassVar

from django.core.management.base import CommandError, CommandParser
from django.db import DatabaseError, InterfaceError
from django.utils import timezone
from rich.progress import SpinnerColumn, TextColumn

from claimsite.foundation.alone import NotAlone, alone
from claimsite.foundation.commands import Exit, Interrupts, OperatorCommand
from claimsite.foundation.errors import DomainError
from claimsite.foundation.findings import GRACE, ChangedMeanwhile, Checked, Colour, Finding, unwatched
from claimsite.foundation.origin import Door, Origin
from claimsite.foundation.transactions import is_unavailable
from claimsite.foundation.uuids import canonical_or_same

logger = logging.getLogger(__name__)

LIMIT = 20
"""More findings than that are more likely a mistake in what was asked than so much rubbish (Chameleon's hammers)."""

_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


class Result(enum.StrEnum):
    FIXED = "fixed"
    CHANGED = "changed meanwhile"
    REFUSED = "refused"
    FAILED = "failed"
    LEFT = "left"


@dataclasses.dataclass(frozen=True, slots=True)
class Scope:
    """What is looked at."""

    older_than: timedelta = GRACE
    provider: str | None = None
    """Uuid or name, of a provider or a node."""
    project: str | None = None
    consumer_type: str | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class Outcome:
    finding: Finding
    result: Result
    text: str = ""


def ripe_or_grey(finding: Finding, scope: Scope, now: datetime) -> Finding:
    """The finding; in grey while it is younger than the scope's grace."""
    if finding.since is None or finding.since <= now - scope.older_than:
        return finding
    return dataclasses.replace(finding, colour=Colour.GREY, fix="")


def duration(text: str) -> timedelta:
    """``90s``, ``15m``, ``1h``, ``2d``; ``0`` is no time at all."""
    match = re.fullmatch(r"(\d{1,9})([smhd])", text) or re.fullmatch(r"(0)()", text)
    if match is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not a time such as 90s, 15m, 1h or 2d")
    try:
        return timedelta(seconds=int(match[1]) * _UNITS.get(match[2], 1))
    except OverflowError:
        raise argparse.ArgumentTypeError(f"{text!r} is longer than anybody remembers") from None


def _natural(text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 9:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number")
    return int(text)


class CleanupCommand(OperatorCommand):
    """Subclasses say what is found (``find``) and how one finding is put right (``put_right``)."""

    exits = (
        "0 nothing found, 3 found and nothing changed, 4 found and all put right, 5 some put right and some not, 6 "
        "more found than --limit: nothing changed"
    )

    verb: ClassVar[str] = "delete"
    """The option that makes it act: ``--delete`` or ``--fix``."""
    scopes: ClassVar[Collection[str]] = ("provider", "project", "consumer_type")
    """Which of the narrowing options it has."""
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
        parser.add_argument(
            "--limit", type=_natural, default=LIMIT, help="refuse to act on more than so many (default: %(default)s)"
        )
        parser.add_argument("--reason", default="", help="why; kept in the history")
        parser.add_argument("--json", action="store_true", help="print one JSON document instead of text")

    def add_verb(self, parser: CommandParser) -> None:
        parser.add_argument(
            f"--{self.verb}", dest="act", action="store_true", help="act; without it, only say what was found"
        )

    def run(self, options: dict[str, Any]) -> Exit:
        try:
            with alone(self.name) if options["act"] else contextlib.nullcontext():
                return self._run(options)
        except NotAlone as error:
            raise CommandError(str(error), returncode=Exit.CRASHED) from error

    def _run(self, options: dict[str, Any]) -> Exit:
        started = timezone.now()
        watched = _Watched()
        found = self._find(options, watched)
        ripe = [finding for finding in found if finding.colour is not Colour.GREY]
        young = [finding for finding in found if finding.colour is Colour.GREY]
        acts = bool(options["act"])
        selected = [finding for finding in ripe if self.is_selected(finding, options)] if acts else []
        refused = len(selected) > options["limit"]
        outcomes: list[Outcome] = []
        end = None if refused else self._act(selected, options, outcomes)
        status = _status(ripe, outcomes, refused=refused, end=end)
        report = _Report(self.name, started.isoformat(), acts, watched.count, ripe, young, outcomes, status, options)
        self.stdout.write(report.document() if options["json"] else report.text())
        if end is not None and not isinstance(end, KeyboardInterrupt):
            raise end
        return status

    def _find(self, options: dict[str, Any], watched: _Watched) -> list[Finding]:
        scope = Scope(options["older_than"], *(options.get(name) for name in ("provider", "project", "consumer_type")))
        with self.progress(options, SpinnerColumn(), TextColumn("{task.completed:,} rows looked at")) as progress:
            task = progress.add_task("", total=None)
            watched.tell = lambda count: progress.update(task, completed=count)
            return list(self.find(scope, options, watched.checked))

    def _act(
        self, selected: Sequence[Finding], options: dict[str, Any], outcomes: list[Outcome]
    ) -> BaseException | None:
        """What broke it off, if something did: what was done until then is told all the same."""
        interrupts = Interrupts()
        try:
            with interrupts.held_back():
                for finding in selected:
                    interrupts.let_through()
                    outcomes.append(self._one(finding, options))
        except (KeyboardInterrupt, DatabaseError, InterfaceError) as end:
            return end
        return None

    def _one(self, finding: Finding, options: dict[str, Any]) -> Outcome:
        """Each in a transaction of its own: what goes wrong with one is no reason to leave the others."""
        origin = Origin(door=Door.COMMAND, actor=self.name, reason=options["reason"])
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


def _status(ripe: Sequence[Finding], outcomes: Sequence[Outcome], *, refused: bool, end: BaseException | None) -> Exit:
    if refused:
        return Exit.ABOVE_LIMIT
    if end is not None:
        return Exit.INTERRUPTED if isinstance(end, KeyboardInterrupt) else Exit.CRASHED
    if not ripe:
        return Exit.CLEAN
    if not outcomes:
        return Exit.FOUND
    all_fixed = all(outcome.result is Result.FIXED for outcome in outcomes)
    return Exit.ALL_FIXED if all_fixed else Exit.PARTLY


@dataclasses.dataclass(frozen=True, slots=True)
class _Report:
    command: str
    started: str
    acts: bool
    checked: int
    ripe: Sequence[Finding]
    young: Sequence[Finding]
    outcomes: Sequence[Outcome]
    status: Exit
    options: dict[str, Any]

    def summary(self) -> dict[str, int]:
        results = Counter(outcome.result for outcome in self.outcomes)
        return {
            "checked": self.checked,
            "found": len(self.ripe),
            "young": len(self.young),
            "fixed": results[Result.FIXED],
            "changed": results[Result.CHANGED],
            "refused": results[Result.REFUSED],
            "failed": results[Result.FAILED],
            "left": len(self.ripe) - len(self.outcomes),
        }

    def document(self) -> str:
        results = {id(outcome.finding): outcome for outcome in self.outcomes}
        findings = []
        for finding in [*self.ripe, *self.young]:
            outcome = results.get(id(finding), Outcome(finding, Result.LEFT))
            told = dataclasses.asdict(finding) | {"result": outcome.result, "result_text": outcome.text}
            told["since"] = finding.since.isoformat() if finding.since else None
            findings.append(told)
        return json.dumps(
            {
                "command": self.command,
                "started": self.started,
                "dry_run": not self.acts,
                "summary": self.summary(),
                "findings": findings,
                "exit": int(self.status),
            },
            indent=2,
            default=str,
        )

    def text(self) -> str:
        lines = [_line(finding) for finding in self.ripe]
        if self.options["verbosity"] > 1:
            lines += [f"too young: {_line(finding)}" for finding in self.young]
        lines += [
            f"{outcome.result}: {outcome.finding.code} {outcome.finding.name}"
            + (f" ({outcome.text})" if outcome.text else "")
            for outcome in self.outcomes
        ]
        return "\n".join([*lines, self._sentence()])

    def _sentence(self) -> str:
        numbers = self.summary()
        colours = Counter(finding.colour for finding in self.ripe)
        found = f"{len(self.ripe):,} found"
        if colours:
            found += f" ({', '.join(f'{count:,} {colour}' for colour, count in sorted(colours.items()))})"
        if self.young:
            found += f", {len(self.young):,} too young to tell"
        sentence = f"Checked {self.checked:,} rows: {found}."
        if self.status is Exit.ABOVE_LIMIT:
            limit = self.options["limit"]
            return f"{sentence} That is more than --limit {limit}: nothing was changed. Look at them, then raise it."
        if self.status in {Exit.INTERRUPTED, Exit.CRASHED}:
            sentence += " It was broken off."
        if not self.outcomes:
            return f"{sentence} Nothing was changed." if self.ripe else sentence
        told = [f"{numbers[name]:,} {name}" for name in ("fixed", "changed", "refused", "failed", "left")]
        return f"{sentence} {', '.join(each for each in told if not each.startswith('0 '))}."


def _line(finding: Finding) -> str:
    fix = f"  → {finding.fix}" if finding.fix else ""
    return f"{finding.code:<24} {finding.colour:<5}  {finding.name}: {finding.text}{fix}"


class _Watched:
    def __init__(self) -> None:
        self.count = 0
        self.tell: Checked = unwatched

    def checked(self, rows: int) -> None:
        self.count += rows
        self.tell(self.count)
