"""Types of command-line arguments."""

from __future__ import annotations

import argparse


def positive(text: str) -> int:
    number = natural(text)
    if not number:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


def natural(text: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number")
    return int(text)
