"""A microversion: a point in an API's history. ``features.py`` of each app names the ones that changed something."""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass(frozen=True, order=True, slots=True)
class Microversion:
    major: int
    minor: int
    sentence: str = dataclasses.field(default="", compare=False)
    """What came with it, for people."""

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}"


FIRST = Microversion(1, 0)


def minor(number: int, sentence: str) -> Microversion:
    """The version 1.``number``. Only features.py calls this."""
    return Microversion(1, number, sentence)
