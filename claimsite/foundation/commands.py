"""What our commands have in common: help with examples, exit codes, a bar for a person, and how they end early."""

from __future__ import annotations

import argparse
import contextlib
import enum
import getpass
import os
import signal
import sys
import textwrap
from collections.abc import Iterator
from types import FrameType
from typing import Any, ClassVar

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError, InterfaceError
from rich.console import Console
from rich.progress import Progress, ProgressColumn

from claimsite.foundation.origin import Door, Origin


class Exit(enum.IntEnum):
    CLEAN = 0
    CRASHED = 1
    USAGE = 2
    FOUND = 3
    ALL_FIXED = 4
    PARTLY = 5
    ABOVE_LIMIT = 6
    INTERRUPTED = 130


_EXITS = "1 it crashed or the database can't be reached, 2 wrong usage, 130 interrupted"


def origin_of(command: str, *, reason: str = "") -> Origin:
    """Of what a command does: the history tells the person as well, such as ``root (stale_nodes)``."""
    return Origin(door=Door.COMMAND, actor=f"{_person()} ({command})", reason=reason)


def _person() -> str:
    """The operating system's user, of sudo the one who typed it; the number of one without a name, as in containers."""
    try:
        name = os.environ.get("SUDO_USER") or getpass.getuser()
    except (ImportError, KeyError, OSError):
        name = str(os.getuid())
    # What a shell hands on need be no text.
    return name[:64].encode(errors="replace").decode()


class OperatorCommand(BaseCommand):
    """Subclasses say what they do (``run``) and what may be typed (``examples``, ``exits``)."""

    examples: ClassVar[str]
    exits: ClassVar[str]
    """What each exit status means, but for those that every command has."""

    def run(self, options: dict[str, Any]) -> Exit | None:
        """Do it; None is as good as CLEAN. Raises CommandError, KeyboardInterrupt with nothing half done."""
        raise NotImplementedError

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        exits = textwrap.fill(f"exit status: {self.exits}, {_EXITS}", 118)
        epilog = f"examples:\n{self.examples.strip(chr(10))}\n\n{exits}\n"
        return super().create_parser(
            prog_name, subcommand, epilog=epilog, formatter_class=argparse.RawDescriptionHelpFormatter, **kwargs
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            status = self.run(options)
        except (DatabaseError, InterfaceError) as error:
            raise CommandError(f"The database can't be used: {error}", returncode=Exit.CRASHED) from error
        except KeyboardInterrupt:
            self.stderr.write("Interrupted.")
            status = Exit.INTERRUPTED
        except BrokenPipeError:
            # Whoever read has heard enough (head, less): what Python still has for them goes nowhere.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            status = Exit.CRASHED
        if status:
            raise SystemExit(int(status))

    @property
    def name(self) -> str:
        return type(self).__module__.rpartition(".")[2]

    def progress(self, options: dict[str, Any], *columns: ProgressColumn) -> Progress:
        """Bars on the terminal's stderr, so that stdout is the result and nothing else; none where nobody looks."""
        disable = not self.is_watched(options)
        return Progress(*columns, console=Console(stderr=True), disable=disable, transient=True)

    def is_watched(self, options: dict[str, Any]) -> bool:
        return not options.get("json") and options["verbosity"] > 0 and self.stderr.isatty()


class Interrupts:
    """Ctrl-C that waits until what is at hand is done, so that a report tells exactly what was done. A second one
    doesn't wait."""

    def __init__(self) -> None:
        self._came = False

    @contextlib.contextmanager
    def held_back(self) -> Iterator[None]:
        """In the main thread only: others are never interrupted."""
        try:
            before = signal.signal(signal.SIGINT, self._note)
        except ValueError:
            yield
            return
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    def let_through(self) -> None:
        """To be called between one thing and the next. Raises KeyboardInterrupt."""
        if self._came:
            raise KeyboardInterrupt

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self._came:
            raise KeyboardInterrupt
        self._came = True
        sys.stderr.write("Ending after what is at hand; Ctrl-C again ends at once.\n")
