"""Types of command-line arguments."""

from __future__ import annotations

import argparse
import re
from datetime import timedelta

_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


def duration(text: str) -> timedelta:
    """``90s``, ``15m``, ``1h``, ``2d``; ``0`` is no time at all."""
    match = re.fullmatch(r"(\d{1,9})([smhd])", text) or re.fullmatch(r"(0)()", text)
    if match is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not a time such as 90s, 15m, 1h or 2d")
    try:
        return timedelta(seconds=int(match[1]) * _UNITS.get(match[2], 1))
    except OverflowError:
        raise argparse.ArgumentTypeError(f"{text!r} is longer than anybody remembers") from None


def positive(text: str) -> int:
    number = natural(text)
    if not number:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


def natural(text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 9:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number")
    return int(text)
