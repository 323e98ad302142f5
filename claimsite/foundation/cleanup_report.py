"""What a clean-up tells: line by line while it acts, or as one document at its end."""

from __future__ import annotations

import dataclasses
import enum
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime

from claimsite.foundation.commands import Exit
from claimsite.foundation.findings import Finding


class Result(enum.StrEnum):
    FIXED = "fixed"
    CHANGED = "changed meanwhile"
    REFUSED = "refused"
    FAILED = "failed"
    LEFT = "left"


@dataclasses.dataclass(frozen=True, slots=True)
class Outcome:
    finding: Finding
    result: Result
    text: str = ""

    def __str__(self) -> str:
        told = f"{self.result}: {self.finding.code} {self.finding.name}"
        return f"{told} ({self.text})" if self.text else told


@dataclasses.dataclass(slots=True)
class Report:
    command: str
    started: datetime
    checked: int
    ripe: Sequence[Finding]
    young: Sequence[Finding]
    selected: Sequence[Finding]
    """What is to be acted on, or would be."""
    acts: bool
    limit: int
    page: str
    """Where the same can be looked at; empty if no page shows it."""
    outcomes: list[Outcome] = dataclasses.field(default_factory=list)
    end: BaseException | None = None
    """What broke it off."""

    @property
    def is_above_limit(self) -> bool:
        return len(self.selected) > self.limit

    @property
    def status(self) -> Exit:
        if self.is_above_limit:
            return Exit.ABOVE_LIMIT
        if self.end is not None:
            return Exit.INTERRUPTED if isinstance(self.end, KeyboardInterrupt) else Exit.CRASHED
        if not self.ripe:
            return Exit.CLEAN
        if not self.outcomes:
            return Exit.FOUND
        fixed = sum(outcome.result is Result.FIXED for outcome in self.outcomes)
        return Exit.ALL_FIXED if fixed == len(self.ripe) else Exit.PARTLY

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
                "started": self.started.isoformat(),
                "dry_run": not self.acts,
                "summary": self.summary(),
                "findings": findings,
                "exit": int(self.status),
            },
            indent=2,
            default=str,
        )

    def beginning(self, *, with_young: bool) -> Iterator[str]:
        """A line for each finding; then what would be done, if it is not going to be done."""
        yield from map(_line, self.ripe)
        if with_young:
            yield from (f"too young: {_line(finding)}" for finding in self.young)
        if not self.acts:
            yield from (f"[dry-run] {each.code} {each.name}: {each.fix}" for each in self.selected)

    def sentence(self) -> str:
        colours = Counter(finding.colour for finding in self.ripe)
        found = f"{len(self.ripe):,} found"
        if colours:
            found += f" ({', '.join(f'{count:,} {colour}' for colour, count in sorted(colours.items()))})"
        if self.young:
            found += f", {len(self.young):,} too young to tell"
        told = " ".join(filter(None, [f"Checked {self.checked:,} rows: {found}.", *self._end()]))
        remains = self.status not in {Exit.CLEAN, Exit.ALL_FIXED}
        return f"{told}\nDetails: {self.page}" if self.page and remains else told

    def _end(self) -> Iterator[str]:
        if self.is_above_limit:
            yield f"That is more than --limit {self.limit}: nothing was changed. Look at them, then raise it."
            return
        if self.end is not None:
            yield "It was broken off."
        if self.outcomes:
            numbers = self.summary()
            told = [f"{numbers[name]:,} {name}" for name in ("fixed", "changed", "refused", "failed", "left")]
            yield f"{', '.join(each for each in told if not each.startswith('0 '))}."
        elif self.ripe:
            yield f"{len(self.selected):,} would be acted on." if self.selected else ""
            yield "Nothing was changed."


def _line(finding: Finding) -> str:
    fix = f"  → {finding.fix}" if finding.fix else ""
    return f"{finding.code:<24} {finding.colour:<5}  {finding.name}: {finding.text}{fix}"
