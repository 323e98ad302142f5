"""Typed reading of the environment: the only place where settings come from."""

from __future__ import annotations

import os
from collections.abc import Sequence

from django.core.exceptions import ImproperlyConfigured


def text(name: str, default: str = "") -> str:
    return os.environ.get(name, default).strip()


def flag(name: str, default: bool = False) -> bool:
    """True for 1/true/yes/on, False for 0/false/no/off or an empty value; anything else is refused."""
    value = text(name, "yes" if default else "no").lower()
    if value in {"1", "true", "yes", "on"}:
        return True
    if value in {"", "0", "false", "no", "off"}:
        return False
    raise ImproperlyConfigured(f"{name} must be yes or no, not {value!r}.")


def number(name: str, default: int, *, minimum: int | None = None) -> int:
    value = text(name, str(default))
    try:
        result = int(value)
    except ValueError:
        raise ImproperlyConfigured(f"{name} must be an integer, not {value!r}.") from None
    if minimum is not None and result < minimum:
        raise ImproperlyConfigured(f"{name} must be at least {minimum}, not {result}.")
    return result


def choice(name: str, default: str, allowed: Sequence[str]) -> str:
    """One of the allowed words; anything else is refused."""
    value = text(name, default)
    if value not in allowed:
        raise ImproperlyConfigured(f"{name} must be one of {', '.join(allowed)}, not {value!r}.")
    return value


def words(name: str, default: str = "") -> list[str]:
    """A comma-separated list, blanks around the items dropped."""
    return [word.strip() for word in text(name, default).split(",") if word.strip()]
