"""Files of machines → machines. A file is read to its end before anything is made of it: all its faults are named."""

from __future__ import annotations

import dataclasses
import gzip
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TextIO

from claimsite.machines import grid5000, openb
from claimsite.machines.fields import Malformed
from claimsite.machines.record import Machine

DATA = Path(__file__).resolve().parent.parent.parent / "data"
"""The machines that come with the project."""
FORMATS = {"openb": openb, "grid5000": grid5000}


class UnknownFormat(Exception):
    """The beginning of the file is of no known format."""


@dataclasses.dataclass(frozen=True, slots=True)
class Fault:
    """A row that is not a machine, and why."""

    path: Path
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.text}"


@dataclasses.dataclass(slots=True)
class Reading:
    """What the files gave. ``machines`` is of use only while there are no ``faults``."""

    machines: list[Machine] = dataclasses.field(default_factory=list)
    faults: list[Fault] = dataclasses.field(default_factory=list)


def read(paths: Iterable[Path]) -> Reading:
    """All machines of all files, in order. Raises OSError, and UnknownFormat naming the file."""
    reading = Reading()
    seen: dict[str, str] = {}
    for path in paths:
        for line, row in _rows(path):
            if isinstance(row, Malformed):
                reading.faults.append(Fault(path, line, str(row)))
                continue
            own = [row.name, *(card.mac for card in row.cards)]
            twice = [f"{word} is already in {seen[word]}" for word in own if word in seen]
            reading.faults += [Fault(path, line, text) for text in twice]
            seen |= dict.fromkeys(own, f"{path}:{line}")
            if not twice:
                reading.machines.append(row)
    return reading


def _rows(path: Path) -> Iterator[tuple[int, Machine | Malformed]]:
    try:
        with opened(path) as file:
            first = file.readline()
            for format_ in FORMATS.values():
                if format_.recognises(first):
                    yield from format_.rows(first, file)
                    return
    except (UnicodeDecodeError, gzip.BadGzipFile, EOFError) as error:
        raise UnknownFormat(f"{path} can't be read as text: {error}") from error
    raise UnknownFormat(f"{path} is neither a CSV of openb nor a JSONL of Grid'5000 (its first line: {first[:60]!r}).")


def opened(path: Path) -> TextIO:
    """The file as text, decompressed when its name ends in ``.gz``; the mark that spreadsheets put first is dropped."""
    if path.suffix == ".gz":
        return gzip.open(path, "rt", encoding="utf-8-sig", newline="")
    return path.open(encoding="utf-8-sig", newline="")
