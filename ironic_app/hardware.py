"""Machines that do not exist: how long their work takes, and how often it fails. Pure, but for the dice.

There is no hardware behind this service. What clients can see of it (states that take their time, work that fails) is
played here, so that they can be tried against slow and broken machines.
"""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Iterable, Mapping

from ironic_app import states

POWER = "power"
"""The name under which changes of power are configured."""
NAMES = frozenset(states.TRANSITIONAL | {POWER})


class BadSetting(ValueError):
    """A delay or a rate that can't be meant."""


@dataclasses.dataclass(frozen=True, slots=True)
class FakeHardware:
    """``delays``: seconds by state; a waiting state (``wait call-back``) is passed through only if it has a delay.
    ``failure_rates``: between 0 and 1 by state."""

    delays: Mapping[str, float] = dataclasses.field(default_factory=dict)
    failure_rates: Mapping[str, float] = dataclasses.field(default_factory=dict)

    def seconds(self, state: str) -> float:
        return self.delays.get(state, 0.0)

    def failure(self, state: str) -> str | None:
        """What went wrong in ``state``; None when nothing did."""
        if random.random() >= self.failure_rates.get(state, 0.0):
            return None
        return f"The machine failed while {state}, as the conductor was told to let it."


def delays(settings: Iterable[str]) -> dict[str, float]:
    """``["deploying=5", "clean wait=0.5"]`` → seconds by state. Raises BadSetting."""
    return {state: _number(setting, most=86_400.0) for setting in settings for state in [_state(setting)]}


def failure_rates(settings: Iterable[str]) -> dict[str, float]:
    """``["deploying=0.1"]`` → rates by state. Raises BadSetting."""
    return {state: _number(setting, most=1.0) for setting in settings for state in [_state(setting)]}


def _state(setting: str) -> str:
    state = setting.partition("=")[0].strip().lower()
    if state not in NAMES:
        raise BadSetting(f"{setting!r}: {state!r} is not one of {', '.join(sorted(NAMES))}.")
    return state


def _number(setting: str, *, most: float) -> float:
    try:
        number = float(setting.partition("=")[2])
    except ValueError:
        number = -1.0
    if not 0 <= number <= most:
        raise BadSetting(f"{setting!r}: expected {setting.partition('=')[0]}=number between 0 and {most:g}.")
    return number
