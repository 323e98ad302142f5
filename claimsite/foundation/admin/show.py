"""How things are shown on every page: times, uuids, amounts, fullness. HTML that needs neither script nor colour."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from claimsite.foundation.uuids import canonical_uuid

NOTHING = mark_safe('<span class="cs-nothing">–</span>')

# Where a bar changes its word (and its colour): nearly full, full, over.
NEARLY_FULL, FULL = 0.8, 1.0

LONGEST_WORD = 32

_UNITS = (("d", timedelta(days=1)), ("h", timedelta(hours=1)), ("min", timedelta(minutes=1)))


class AtLeast(int):
    """A count that was not taken to its end."""

    def __str__(self) -> str:
        return f"more than {int(self):,}"


def ago(moment: datetime | None, now: datetime | None = None) -> SafeString:
    """``2 min ago``, with the exact time in UTC on hover and for machines."""
    if moment is None:
        return NOTHING
    return format_html(
        '<time class="cs-time" datetime="{exact}" title="{exact}">{relative}</time>',
        exact=utc(moment),
        relative=relative(moment, now or timezone.now()),
    )


def utc(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"


def relative(moment: datetime, now: datetime) -> str:
    age = now - moment
    for name, unit in _UNITS:
        if abs(age) >= unit:
            return f"{age // unit} {name} ago" if age > timedelta() else f"in {-age // unit} {name}"
    return f"{max(int(age.total_seconds()), 0)} s ago" if age >= timedelta() else "just now"


def clock(moment: datetime) -> str:
    """For sentences: ``11:21:07 UTC``, with the date unless it is today's."""
    at = moment.astimezone(UTC)
    return f"{at:%H:%M:%S} UTC" if at.date() == timezone.now().date() else f"{at:%Y-%m-%d %H:%M:%S} UTC"


def digits(uuids: Iterable[str | None]) -> int:
    """How many characters tell these uuids apart: eight, or whole groups more where different ones begin alike."""
    several = {value for value in uuids if value}
    return next((end for end in _GROUPS if len({value[:end] for value in several}) == len(several)), _GROUPS[-1])


_GROUPS = (8, 13, 18, 23, 36)


def uuid(value: str | None, url: str = "", label: str = "", digits: int = 8) -> SafeString:
    """The first eight digits (or as many as tell it apart), all of it on hover, and a button that copies it.

    Other words are shown as they are.
    """
    if not value:
        return NOTHING
    text = label or (value[:digits] if canonical_uuid(value) else value[:LONGEST_WORD])
    shown = (
        format_html('<a href="{}" title="{}"><code>{}</code></a>', url, value, text)
        if url
        else format_html('<code title="{}">{}</code>', value, text)
    )
    return format_html('<span class="cs-uuid">{}{}</span>', shown, copy(value))


def copy(value: str, what: str = "") -> SafeString:
    return format_html(
        '<button type="button" class="cs-copy" data-copy="{value}" title="Copy {what}" aria-label="Copy {what}">'
        "</button>",
        value=value,
        what=what or value,
    )


def amounts(several: Mapping[str, Any]) -> str:
    """``VCPU 4, MEMORY_MB 8,192``."""
    return ", ".join(f"{name} {number(amount)}" for name, amount in several.items()) or "nothing"


def number(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:,.0f}" if value == int(value) else f"{value:,.2f}"
    if isinstance(value, AtLeast):
        return str(value)
    return f"{value:,}" if isinstance(value, int) else str(value)


@dataclasses.dataclass(frozen=True, slots=True)
class Fullness:
    """How much of a capacity is used, in words, in numbers and as the width of a bar."""

    used: float
    capacity: float

    @property
    def share(self) -> float:
        if self.capacity > 0:
            return self.used / self.capacity
        return math.inf if self.used else 0.0

    @property
    def percent(self) -> str:
        return "∞" if math.isinf(self.share) else f"{math.floor(self.share * 100)} %"

    @property
    def width(self) -> int:
        """Of the bar, in percent: a little used is not nothing, and not quite full is not full."""
        if self.used <= 0:
            return 0
        return 100 if self.share >= 1 else min(max(round(self.share * 100), 1), 99)

    @property
    def word(self) -> str:
        if self.used > self.capacity:
            return "over"
        if self.capacity <= 0:
            return "none"
        if self.share >= FULL:
            return "full"
        return "high" if self.share >= NEARLY_FULL else "free"

    @property
    def label(self) -> str:
        return {"over": "OVER", "full": "FULL", "none": "nothing to claim"}.get(self.word, "")

    @property
    def free(self) -> float:
        return self.capacity - self.used


def bar(used: float, capacity: float, name: str = "") -> SafeString:
    """A bar with its numbers beside it, readable without seeing it."""
    it = Fullness(used, capacity)
    if it.word == "none":
        return format_html('<span class="cs-quiet">{}</span>', it.label)
    shown = scaled(name, used, it.capacity)
    return format_html(
        '<span class="cs-bar cs-{word}" role="progressbar" aria-valuemin="0" aria-valuemax="100" '
        'aria-valuenow="{width}" aria-label="{name} {used} of {capacity} used">'
        '<span class="cs-bar-fill" style="width: {width}%"></span></span>'
        '<span class="cs-bar-text" title="{used} of {capacity}">{shown} '
        '<span class="cs-percent">{percent}</span>{label}</span>',
        word=it.word,
        width=it.width,
        name=name,
        used=number(used),
        capacity=number(it.capacity),
        shown=shown,
        percent=it.percent,
        label=format_html(' <strong class="cs-word cs-word-{}">{}</strong>', it.word, it.label) if it.label else "",
    )


_SIZES = {"MEMORY_MB": ("MiB", "GiB", "TiB", "PiB"), "DISK_GB": ("GiB", "TiB", "PiB", "EiB")}
_LEGIBLE = 10 * 1024


def scaled(name: str, used: float, capacity: float) -> str:
    """``41 / 598 TiB`` where a class counts mebibytes or gibibytes by the million; else the numbers as they are."""
    units = _SIZES.get(name, ())
    if not units or max(used, capacity) < _LEGIBLE:
        return f"{number(used)} / {number(capacity)}"
    place = 0
    while max(used, capacity) >= _LEGIBLE and place < len(units) - 1:
        used, capacity, place = used / 1024, capacity / 1024, place + 1
    return f"{_rounded(used)} / {_rounded(capacity)} {units[place]}"


def _rounded(size: float) -> str:
    return f"{size:,.0f}" if size >= 100 or size == int(size) else f"{size:.1f}"


def share(part: int, whole: int, name: str = "") -> SafeString:
    """A bar that says how much of a whole something is, where more is neither better nor worse."""
    width = round(100 * part / whole) if whole else 0
    return format_html(
        '<span class="cs-bar cs-share" role="progressbar" aria-valuemin="0" aria-valuemax="100" '
        'aria-valuenow="{width}" aria-label="{name}: {part} of {whole}">'
        '<span class="cs-bar-fill" style="width: {width}%"></span></span>'
        '<span class="cs-bar-text">{part}</span>',
        width=width,
        name=name,
        part=number(part),
        whole=number(whole),
    )


def chip(text: str, tone: str = "plain") -> SafeString:
    """A word in a box. Tones: plain, good, warn, bad, info."""
    return format_html('<span class="cs-chip cs-chip-{}">{}</span>', tone, text)


def lines(items: list[Any]) -> SafeString:
    return format_html_join(mark_safe("<br>"), "{}", ((item,) for item in items)) or NOTHING


def document(value: Any) -> SafeString:
    """JSON, readable."""
    if value in (None, {}, []):
        return NOTHING
    return format_html('<pre class="cs-json">{}</pre>', json.dumps(value, indent=2, ensure_ascii=False, default=str))
