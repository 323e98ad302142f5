"""The operators' home page: what is broken, what is free, who fights over what, in a fixed number of cheap queries."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Any

from django.apps import apps
from django.contrib import admin
from django.db.models import Count, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode

from claimsite.foundation.admin.show import AtLeast
from ironic_app.models import Allocation as NodeAllocation
from ironic_app.models import Node
from placement_app.admin import fights, links, outcomes, timeline
from placement_app.admin.providers import OVERDRAWN, SHARE, SHUT
from placement_app.admin.vocabulary import ranked, usage_by_class
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


WAITS = "plain"
"""The tone of what needs nobody yet."""

Finder = Callable[[], Iterable[Finding]]

FINDERS: list[Finder] = []
"""Who else knows what is wrong adds to this. Each is called for every view of the page: bounded work, please."""


def context(request: HttpRequest) -> dict[str, Any]:
    """What the template of the home page shows."""
    overview = fights.overview("1d")
    found = [finding for finder in [_of_claims, _of_nodes, *FINDERS] for finding in finder() if finding.count]
    findings = [finding for finding in found if finding.tone != WAITS]
    return {
        "findings": findings,
        "waiting": [finding for finding in found if finding.tone == WAITS],
        "alarm": "bad" if any(finding.tone == "bad" for finding in findings) else "warn",
        "numbers": list(_numbers(overview.total)),
        "classes": _classes(),
        "overview": overview,
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


def _numbers(conflicts: int) -> Iterable[Number]:
    last_hour = timezone.now() - timedelta(hours=1)
    yield Number("providers", counted(ResourceProvider.objects.all()), _list("resourceprovider"))
    yield Number("consumers", counted(Consumer.objects.all()), _list("consumer"))
    refused = ConflictRecord.objects.filter(created_at__gte=last_hour)
    yield Number("conflicts, last hour", counted(refused), _list("conflictrecord", when="1h"))
    yield Number("conflicts, last day", conflicts, _list("conflictrecord", when="1d"))
    gave_up = _list("conflictrecord", outcome="gave_up", when="1d")
    yield Number("consumers that gave up, last day", outcomes.who_gave_up(fights.within("1d")), gave_up)
    claims = ClaimEvent.objects.filter(created_at__gte=last_hour)
    yield Number("writes of claims, last hour", counted(claims), _list("claimevent", when="1h"))


def counted(rows: QuerySet[Any]) -> int:
    count = rows.order_by().values("pk")[: MOST_COUNTED + 1].count()
    return AtLeast(MOST_COUNTED) if count > MOST_COUNTED else count


# --- what is free ---------------------------------------------------------------------------------------------------
def _classes() -> dict[str, Any]:
    usages = list(ranked(usage_by_class()).items())
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
    """The fullest stocks; not the whole machines, which are full whenever somebody has one."""
    stocks = Inventory.objects.filter(used__gt=0).exclude(SHUT).select_related("provider")
    return list(stocks.order_by(SHARE.desc(nulls_first=True), "pk")[:FULLEST])


def _busiest() -> list[dict[str, Any]]:
    """Providers whose claims were written most in the last hour."""
    recent = ClaimEvent.objects.filter(created_at__gte=timezone.now() - timedelta(hours=1))
    counts = fights.most_often(recent, "provider_uuid", BUSIEST)
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
