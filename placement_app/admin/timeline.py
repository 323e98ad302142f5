"""What happened to a consumer or on a provider, newest first: claims, refusals and changes in one line of time."""

from __future__ import annotations

import dataclasses
import heapq
import itertools
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db.models import QuerySet
from django.urls import reverse

from claimsite.foundation.admin import show
from placement_app.admin import links
from placement_app.models import ClaimEvent, ConflictRecord, ProviderEvent

PAGE = 40

_SIGNS = {
    "claimed": ("●", "good"),
    "changed": ("◐", "info"),
    "released": ("○", "plain"),
    "moved": ("⇄", "info"),
    "refused": ("✕", "bad"),
    "edited": ("✎", "warn"),
}


@dataclasses.dataclass(slots=True)
class Line:
    moment: datetime
    kind: str
    what: str
    consumer_uuid: str = ""
    provider_uuid: str = ""
    provider_name: str = ""
    door: str = ""
    actor: str = ""
    request_id: str = ""
    reason: str = ""
    attempts: int = 1
    generation: int | None = None
    url: str = ""
    same_request: bool = False
    """Whether the line above is of the same request."""

    @property
    def sign(self) -> str:
        return _SIGNS[self.kind][0]

    @property
    def tone(self) -> str:
        return _SIGNS[self.kind][1]


@dataclasses.dataclass(frozen=True, slots=True)
class Timeline:
    lines: Sequence[Line]
    older: str
    """What to ask with for the lines before these; empty at the beginning of history."""

    @property
    def digits(self) -> int:
        return digits(self.lines)


def digits(lines: Iterable[Line]) -> int:
    """How many characters tell the lines' consumers apart."""
    return show.digits(line.consumer_uuid for line in lines)


def of_consumer(uuid: str, older: str = "") -> Timeline:
    streams = {
        "events": ClaimEvent.objects.filter(consumer_uuid=uuid),
        "conflicts": ConflictRecord.objects.filter(consumer_uuid=uuid),
    }
    return merge(older, streams)


def of_provider(uuid: str, older: str = "") -> Timeline:
    streams = {
        "events": ClaimEvent.objects.filter(provider_uuid=uuid),
        "conflicts": ConflictRecord.objects.filter(provider_uuid=uuid),
        "changes": ProviderEvent.objects.filter(provider_uuid=uuid),
    }
    return merge(older, streams)


def latest(number: int) -> Sequence[Line]:
    """What happened last, anywhere."""
    streams = {
        "events": ClaimEvent.objects.all(),
        "conflicts": ConflictRecord.objects.all(),
        "changes": ProviderEvent.objects.all(),
    }
    return merge("", streams, page=number).lines


def around(start: datetime, end: datetime, *, provider_uuid: str, consumer_uuid: str) -> Sequence[Line]:
    """All that happened in a while on a provider, or to a consumer where there is no provider, oldest first."""
    of = {"provider_uuid": provider_uuid} if provider_uuid else {"consumer_uuid": consumer_uuid}
    span = {**of, "created_at__gte": start, "created_at__lte": end}
    streams: dict[str, QuerySet[Any]] = {
        "events": ClaimEvent.objects.filter(**span),
        "conflicts": ConflictRecord.objects.filter(**span),
    }
    if provider_uuid:
        streams["changes"] = ProviderEvent.objects.filter(**span)
    return list(reversed(merge("", streams).lines))


_CURSOR = re.compile(r"([a-z]+)-(\d{1,18})")


def merge(
    older: str,
    streams: Mapping[str, QuerySet[Any]],
    *,
    page: int = PAGE,
    further: Mapping[str, Callable[[Any], Line]] | None = None,
) -> Timeline:
    """The newest of several tables, each read by its key: as many queries as tables, however long the history.

    ``further`` makes lines of the rows of other apps' tables, by the name of the stream.
    """
    makers = {**_LINES, **(further or {})}
    cursors = {name: int(pk) for name, pk in _CURSOR.findall(older)}
    pages: list[list[tuple[str, int, Line]]] = []
    for name, rows in streams.items():
        if name in cursors:
            rows = rows.filter(pk__lt=cursors[name])
        pages.append([(name, row.pk, makers[name](row)) for row in rows.order_by("-pk")[: page + 1]])
    # Each table keeps the order of its keys, whatever its clocks said: the cursor must not step over a line.
    found = list(itertools.islice(heapq.merge(*pages, key=lambda item: item[2].moment, reverse=True), page + 1))
    for name, pk, _ in found[:page]:
        cursors[name] = pk
    lines = [line for *_, line in found[:page]]
    _name_providers(lines)
    for line, above in zip(lines[1:], lines, strict=False):
        line.same_request = bool(line.request_id) and line.request_id == above.request_id
    return Timeline(
        lines, "" if len(found) <= page else "".join(f"{name}-{pk}" for name, pk in sorted(cursors.items()))
    )


def _name_providers(lines: Sequence[Line]) -> None:
    names = links.names_of(line.provider_uuid for line in lines)
    for line in lines:
        line.provider_name = names.get(line.provider_uuid, "")


def by(row: Any) -> dict[str, Any]:
    """When it was, and who did it: every table of history says so."""
    return {"moment": row.created_at, "door": row.door, "actor": row.actor, "request_id": row.request_id}


def _of_event(event: ClaimEvent) -> Line:
    return Line(
        **by(event),
        kind=event.event,
        what=what(event),
        consumer_uuid=event.consumer_uuid,
        provider_uuid=event.provider_uuid,
        reason=event.reason,
        attempts=event.attempts,
        generation=event.consumer_generation,
    )


def what(event: ClaimEvent) -> str:
    if event.event == ClaimEvent.Event.MOVED:
        return f"{owner(event.before)} → {owner(event.after)}"
    if event.event == ClaimEvent.Event.CHANGED:
        return f"{show.amounts(event.before)} → {show.amounts(event.after)}"
    return show.amounts(event.after or event.before)


def owner(facts: Mapping[str, Any]) -> str:
    return f"project {facts.get('project_id', '?')}, user {facts.get('user_id', '?')}"


def _of_conflict(record: ConflictRecord) -> Line:
    return Line(
        **by(record),
        kind="refused",
        what=record.reason,
        consumer_uuid=record.consumer_uuid,
        provider_uuid=record.provider_uuid,
        attempts=record.attempts,
        url=reverse("admin:placement_app_conflictrecord_change", args=[record.pk]),
    )


def _of_change(event: ProviderEvent) -> Line:
    return Line(
        **by(event),
        kind="edited",
        what=f"{event.subject}: {differences(event)}",
        provider_uuid=event.provider_uuid,
        reason=event.reason,
        generation=event.generation,
    )


def differences(event: ProviderEvent) -> str:
    """``VCPU total 64 → 32; DISK_GB removed`` · ``+HW_CPU_X86_AVX2`` · ``name a → b``."""
    names = sorted({*event.before, *event.after})
    return "; ".join(_difference(name, event.before.get(name), event.after.get(name)) for name in names)


def _difference(name: str, before: Any, after: Any) -> str:
    if before is True or after is True:
        return f"+{name}" if after else f"−{name}"
    if isinstance(before, dict) and isinstance(after, dict):
        fields = [field for field in after if before.get(field) != after[field]]
        return f"{name} " + ", ".join(
            f"{field} {show.number(before.get(field))} → {show.number(after[field])}" for field in fields
        )
    if isinstance(before, dict):
        return f"{name} removed"
    if isinstance(after, dict):
        return f"{name} added, total {show.number(after['total'])}"
    return f"{name} {before or 'none'} → {after or 'none'}"


_LINES: dict[str, Callable[[Any], Line]] = {"events": _of_event, "conflicts": _of_conflict, "changes": _of_change}
