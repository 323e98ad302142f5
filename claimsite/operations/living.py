"""Lists of what is alive, as other systems know it: what is not in them is what clean-ups are about."""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
from pathlib import Path

from django.core.management import CommandError
from django.core.management.base import CommandParser

from claimsite.foundation.commands import Exit
from claimsite.foundation.uuids import canonical_uuid

_USAGE = int(Exit.USAGE)


@dataclasses.dataclass(frozen=True, slots=True)
class Source:
    """Where the list comes from: a file, ``-`` for stdin."""

    path: str

    def __str__(self) -> str:
        return "stdin" if self.path == "-" else self.path


def add_argument(
    parser: CommandParser | argparse._MutuallyExclusiveGroup, what: str, *, required: bool = False
) -> None:
    parser.add_argument(
        "--living",
        type=Source,
        metavar="FILE",
        required=required,
        help=f"the uuids of all {what} that are alive, one a line or as a JSON list; - for stdin. An empty list is "
        "refused: it means that whoever made it failed",
    )


def uuids(source: Source) -> frozenset[str]:
    """Raises CommandError (wrong usage) if the list can't be read, is empty, or has something that is no uuid: who is
    misspelt there would be taken for dead."""
    found = set()
    for number, word in enumerate(_words(source), start=1):
        uuid = canonical_uuid(word)
        if uuid is None:
            raise CommandError(
                f"{source}: entry {number} is no uuid: {word[:60]!r}. Nothing was done.", returncode=_USAGE
            )
        found.add(uuid)
    return frozenset(found)


def names(source: Source) -> frozenset[str]:
    """Names or uuids. Raises CommandError as ``uuids`` does."""
    return frozenset(canonical_uuid(word) or word for word in _words(source))


def _words(source: Source) -> list[str]:
    try:
        text = sys.stdin.read() if source.path == "-" else Path(source.path).read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"{source} can't be read: {error}", returncode=_USAGE) from error
    words = _json(source, text) if text.lstrip().startswith("[") else _lines(text)
    if not words:
        raise CommandError(
            f"{source} names nobody who is alive: that is more likely a mistake. Nothing was done.", returncode=_USAGE
        )
    return words


def _lines(text: str) -> list[str]:
    stripped = (line.partition("#")[0].strip().strip('"') for line in text.splitlines())
    return [line for line in stripped if line]


def _json(source: Source, text: str) -> list[str]:
    """A list of texts, or of objects with an ``ID``, ``id``, ``UUID`` or ``uuid`` as OpenStack's client prints them."""
    try:
        found = [_word(item) for item in json.loads(text)]
    except (ValueError, TypeError, KeyError) as error:
        raise CommandError(f"{source} is no list of uuids: {error!r}", returncode=_USAGE) from error
    return found


def _word(item: object) -> str:
    if isinstance(item, str):
        return item
    if not isinstance(item, dict):
        raise TypeError(f"neither a text nor an object: {item!r}")
    by_name = {str(key).lower(): value for key, value in item.items()}
    return str(by_name["id"] if "id" in by_name else by_name["uuid"])
