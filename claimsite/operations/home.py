"""The operators' home page: what is broken, what is free, who fights over what, in a fixed number of cheap queries."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Any

from django.apps import apps
from django.contrib import admin
from django.db.models import Count, F, FloatField, QuerySet
from django.db.models.functions import Cast
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode

from claimsite.foundation.admin.show import AtLeast
from ironic_app.models import Allocation as NodeAllocation
from ironic_app.models import Node
from placement_app.admin import conflicts, links, timeline
from placement_app.admin.providers import CAPACITY, OVERDRAWN
from placement_app.admin.vocabulary import usage_by_class
from placement_app.models import ClaimEvent, ConflictRecord, Consumer, Inventory, ResourceProvider

MOST_COUNTED = 10_000
"""Counting goes no further: nobody reads the difference, and large tables would make the page slow."""
MOST_CLASSES = 12
FULLEST = 8
BUSIEST = 5
LATEST = 10


@dataclasses.dataclass(frozen=True, slots=True)
class Finding:
    """Something that is wrong, and how often: leads to the list of it."""

    label: str
    count: int
    url: str
    tone: str = "bad"


Finder = Callable[[], Iterable[Finding]]

FINDERS: list[Finder] = []
"""Who else knows what is wrong adds to this. Each is called for every view of the page: bounded work, please."""


def context(request: HttpRequest) -> dict[str, Any]:
    """What the template of the home page shows."""
    return {
        "findings": [finding for finder in [_of_claims, _of_nodes, *FINDERS] for finding in finder() if finding.count],
        "numbers": list(_numbers()),
        "classes": _classes(),
        "overview": conflicts.overview("1d"),
        "fullest": _fullest(),
        "busiest": _busiest(),
        "latest": timeline.latest(LATEST),
        "nodes": _nodes(),
    }


# --- what is wrong --------------------------------------------------------------------------------------------------
def _of_claims() -> Iterable[Finding]:
    over = Inventory.objects.filter(OVERDRAWN)
    yield Finding("over capacity: more is claimed than there is", counted(over), _list("inventory", full="over"))


def _of_nodes() -> Iterable[Finding]:
    failed = NodeAllocation.objects.filter(state=NodeAllocation.State.ERROR)
    yield Finding(
        "node allocations that found no node",
        counted(failed),
        _list("allocation", app="ironic_app", state="error"),
        "warn",
    )


# --- numbers --------------------------------------------------------------------------------------------------------
@dataclasses.dataclass(frozen=True, slots=True)
class Number:
    label: str
    value: Any
    url: str
    details: Sequence[str] = ()


def _numbers() -> Iterable[Number]:
    now = timezone.now()
    yield Number("providers", counted(ResourceProvider.objects.all()), _list("resourceprovider"))
    yield Number("consumers", counted(Consumer.objects.all()), _list("consumer"))
    for label, window in (("1h", timedelta(hours=1)), ("1d", timedelta(days=1))):
        refused = ConflictRecord.objects.filter(created_at__gte=now - window)
        span = "hour" if label == "1h" else "day"
        yield Number(f"conflicts, last {span}", counted(refused), _list("conflictrecord", when=label))
    claims = ClaimEvent.objects.filter(created_at__gte=now - timedelta(hours=1))
    yield Number("writes of claims, last hour", counted(claims), _list("claimevent", when="1h"))


def counted(rows: QuerySet[Any]) -> int:
    count = rows.order_by().values("pk")[: MOST_COUNTED + 1].count()
    return AtLeast(MOST_COUNTED) if count > MOST_COUNTED else count


# --- what is free ---------------------------------------------------------------------------------------------------
_FIRST = ("VCPU", "PCPU", "MEMORY_MB", "DISK_GB")


def _classes() -> dict[str, Any]:
    """What everybody asks for first, then what is claimed, then what most have; the rest is only counted."""

    def place(item: tuple[str, tuple[int, int, float]]) -> tuple[bool, int, bool, int, str]:
        name, (providers, used, capacity) = item
        first = _FIRST.index(name) if name in _FIRST else len(_FIRST)
        return (not capacity and not used, first, not used, -providers, name)

    usages = sorted(usage_by_class().items(), key=place)
    shown = [
        {
            "name": name,
            "providers": providers,
            "used": used,
            "capacity": capacity,
            "url": _list("resourceprovider", **{"class": name}),
        }
        for name, (providers, used, capacity) in usages[:MOST_CLASSES]
    ]
    return {"shown": shown, "others": len(usages) - len(shown), "url": _list("resourceclass")}


def _fullest() -> list[Inventory]:
    """The fullest stocks that something is claimed of."""
    share = Cast(F("used"), FloatField()) / CAPACITY
    stocks = Inventory.objects.filter(used__gt=0).exclude(total=F("reserved")).select_related("provider")
    return list(stocks.order_by(share.desc(), "pk")[:FULLEST])


def _busiest() -> list[dict[str, Any]]:
    """Providers whose claims were written most in the last hour."""
    recent = ClaimEvent.objects.filter(created_at__gte=timezone.now() - timedelta(hours=1))
    counts = conflicts.most_often(recent, "provider_uuid", BUSIEST)
    names = links.names_of(uuid for uuid, _ in counts)
    return [
        {"uuid": uuid, "name": names.get(uuid, ""), "number": number, "url": _list("claimevent", provider=uuid)}
        for uuid, number in counts
    ]


# --- nodes ----------------------------------------------------------------------------------------------------------
@dataclasses.dataclass(frozen=True, slots=True)
class Nodes:
    total: int
    states: Sequence[tuple[str, int, str]]
    """State, number, address of the list."""
    details: Mapping[str, int]


def _nodes() -> Nodes | None:
    """By state, and what stands in the way of taking them: one query, grouped."""
    rows = (
        Node.objects.order_by()
        .values_list("provision_state", "maintenance")
        .annotate(number=Count("pk"), held=Count("instance_uuid"), locked=Count("reservation"))
    )
    states: Counter[str] = Counter()
    details: Counter[str] = Counter()
    for state, maintenance, number, held, locked in rows:
        states[state] += number
        details.update(held=held, locked=locked, maintenance=number if maintenance else 0)
    if not states:
        return None
    total = states.total()
    return Nodes(
        total=total,
        states=[
            (state, number, _list("node", app="ironic_app", state=state)) for state, number in states.most_common()
        ],
        details={"free": total - details["held"], **details},
    )


def _list(model: str, *, app: str = "placement_app", **filters: Any) -> str:
    """The address of a list; empty where nobody has made a page of it."""
    if not _has_page(app, model):
        return ""
    return reverse(f"admin:{app}_{model}_changelist") + (f"?{urlencode(filters)}" if filters else "")


def _has_page(app: str, model: str) -> bool:
    return admin.site.is_registered(apps.get_model(app, model))
