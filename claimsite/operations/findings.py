"""Where the two services tell different stories of one machine: the finder of commands and pages alike.

Halves of claims are left when something dies between two calls. Each kind has a code, and a colour that says what
putting it right would do; what is younger than the grace period is in flight and not broken.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.utils import timezone

from claimsite.foundation.findings import GRACE, Checked, Colour, Finding, chunks, unwatched
from claimsite.machines.names import placement_class
from claimsite.operations import sights
from claimsite.operations.sights import Circumstances, Sight
from ironic_app import states
from ironic_app.models import Allocation as NodeAllocation
from ironic_app.models import Node, OwnershipEvent
from placement_app.models import Allocation, Inventory, ResourceProvider

CODES: Final = {
    "double_claim": "several consumers hold one machine",
    "different_consumer": "the node has one instance, Placement another consumer",
    "two_stories": "the node's allocation is not its instance",
    "no_allocation": "an instance without a claim",
    "orphan_allocation": "a claim without an instance",
    "not_reserved": "out of use and still offered",
    "reserved_but_free": "free and not offered",
    "no_provider": "a node that is no provider",
    "no_node": "a provider whose node is gone",
    "stale_reservation": "a lock whose holder is gone",
    "allocation_without_node": "an allocation without a node",
    "in_flight": "too young to tell",
}
"""Every code of a finding about machines, in the order of harm, with what it says."""

RELEASABLE: Final = frozenset({states.ENROLL, states.MANAGEABLE, states.AVAILABLE})
"""Where nobody can be at work on the machine."""


def all_findings(*, grace: timedelta = GRACE, checked: Checked = unwatched) -> Iterator[Finding]:
    """Everything that is wrong between nodes and claims."""
    checked(Node.objects.count())
    for part in chunks(sights.suspicious()):
        for found in of_nodes(part, grace=grace).values():
            yield from found
    yield from without_nodes(grace=grace, checked=checked)
    yield from lost_allocations(grace=grace, checked=checked)


def of_nodes(nodes: Sequence[Node], *, grace: timedelta = GRACE) -> dict[str, list[Finding]]:
    """Node uuid → what is wrong with it; nodes in order are not in it."""
    return judge(sights.see(nodes), grace=grace)


def judge(seen: Sequence[Sight], *, grace: timedelta = GRACE) -> dict[str, list[Finding]]:
    """What ``of_nodes`` says, for whoever has read the nodes already."""
    around = sights.circumstances(seen)
    now = timezone.now()
    found = {sight.node.uuid: [aged(finding, now, grace) for finding in _judge(sight, around)] for sight in seen}
    return {uuid: findings for uuid, findings in found.items() if findings}


def mismatched(*, code: str = "", grace: timedelta = GRACE) -> list[int]:
    """The keys of the nodes with a finding of this code, or with any that is older than the grace period."""
    keys: list[int] = []
    for part in chunks(sights.suspicious()):
        found = of_nodes(part, grace=grace)
        wanted = {
            uuid
            for uuid, several in found.items()
            if any(each.code == code if code else each.colour is not Colour.GREY for each in several)
        }
        keys += [node.pk for node in part if node.uuid in wanted]
    return keys


def of_locks(*, grace: timedelta = GRACE, checked: Checked = unwatched) -> Iterator[Finding]:
    """Locks whose holder is gone; any other trouble of the same nodes is left out."""
    for part in chunks(Node.objects.exclude(reservation=None), checked=checked):
        for found in of_nodes(part, grace=grace).values():
            yield from (finding for finding in found if kind(finding) == "stale_reservation")


def in_scope(finding: Finding, subject: str | None, project: str | None) -> bool:
    """Whether it is about this node or provider (uuid or name), and concerns this project."""
    if subject is not None and subject not in {finding.subject, finding.name}:
        return False
    return project is None or project in {finding.facts.get(name) for name in ("owner", "lessee", "project")}


def without_nodes(
    *, provider: str | None = None, grace: timedelta = GRACE, checked: Checked = unwatched
) -> Iterator[Finding]:
    """Providers that were machines and whose node is gone (LP #1661258): all, or this one if it is one."""
    classes = {
        placement_class(name)
        for name in Node.objects.exclude(resource_class=None)
        .order_by()
        .values_list("resource_class", flat=True)
        .distinct()
        if name
    }
    stock = Inventory.objects.filter(provider=OuterRef("pk"))
    # Looked at closely are only those that may have been machines: of hosts there are thousands.
    may_be_machine = Exists(stock.filter(total=1)) & ~Exists(stock.filter(~Q(total=1), reserved__lt=F("total")))
    was_machine = Exists(OwnershipEvent.objects.filter(node_uuid=OuterRef("uuid")))
    rows = ResourceProvider.objects.filter(
        may_be_machine | was_machine, ~Exists(Node.objects.filter(uuid=OuterRef("uuid"))), parent=None
    )
    if provider is not None:
        rows = rows.filter(uuid=provider)
    now = timezone.now()
    for part in chunks(rows, checked=checked):
        for row, consumers, children in _machines(part, classes):
            yield aged(_no_node(row, consumers, children), now, grace)


def lost_allocations(*, grace: timedelta = GRACE, checked: Checked = unwatched) -> Iterator[Finding]:
    """Ironic's allocations that say they have a node and have none."""
    rows = NodeAllocation.objects.filter(state=NodeAllocation.State.ACTIVE, node=None)
    now = timezone.now()
    for part in chunks(rows, checked=checked):
        for row in part:
            yield aged(
                Finding(
                    code="allocation_without_node",
                    subject=row.uuid,
                    name=row.name or row.uuid,
                    text="the allocation is active, and no node belongs to it",
                    colour=Colour.AMBER,
                    fix="delete the allocation",
                    since=row.updated_at or row.created_at,
                    facts={"owner": row.owner, "resource_class": row.resource_class},
                ),
                now,
                grace,
            )


# --- one node -------------------------------------------------------------------------------------------------------
def _judge(sight: Sight, around: Circumstances) -> Iterator[Finding]:
    node = sight.node
    if sight.provider is None:
        if node.resource_class and placement_class(node.resource_class) in around.classes:
            yield _about(
                sight,
                "no_provider",
                "Placement has no such provider",
                Colour.AMBER,
                fix="create the provider from the node",
                since=sight.last_change,
            )
    else:
        yield from _of_claims(sight, around)
        yield from _of_stock(sight)
    if node.allocation_id is not None and node.allocation_id != node.instance_uuid:
        text = f"it was given by allocation {node.allocation_id} and has instance {node.instance_uuid or 'nobody'}"
        yield _about(sight, "two_stories", text, Colour.RED, fix="ask both owners, then release one")
    yield from _of_lock(sight, around)


def _of_claims(sight: Sight, around: Circumstances) -> Iterator[Finding]:
    node = sight.node
    told = ", ".join(f"{consumer} ({_amounts(rows)})" for consumer, rows in sight.holders.items())
    if len(sight.holders) > 1:
        yield _about(
            sight,
            "double_claim",
            f"it is claimed by {told}",
            Colour.RED,
            fix="ask whose it is",
            consumers=list(sight.holders),
        )
    elif node.instance_uuid is not None and sight.holders and node.instance_uuid not in sight.holders:
        text = f"the node has instance {node.instance_uuid}, Placement has {told}"
        yield _about(
            sight,
            "different_consumer",
            text,
            Colour.RED,
            fix="ask whose it is, then release the other",
            since=_latest(sight),
            consumers=list(sight.holders),
        )
    elif node.instance_uuid is not None and not sight.holders and sight.offers:
        yield _about(
            sight,
            "no_allocation",
            f"instance {node.instance_uuid} has the node, and Placement offers it to others",
            Colour.GREEN,
            fix="claim the node for its instance",
            since=sight.held_since or sight.last_change,
        )
    elif node.instance_uuid is None and sight.holders:
        yield _orphan(sight, told, around)


def _orphan(sight: Sight, told: str, around: Circumstances) -> Finding:
    """Released only where nobody can be at work, and only from a consumer that has nothing else."""
    node = sight.node
    [(consumer, rows)] = sight.holders.items()
    blocker = ""
    if elsewhere := around.elsewhere.get(consumer):
        blocker = f"{elsewhere}: release by hand what is not its own"
    elif node.reservation is not None:
        blocker = f"wait until {node.reservation} lets go of the node"
    elif node.provision_state not in RELEASABLE:
        blocker = f"the node is {node.provision_state}: undeploy it first"
    return _about(
        sight,
        "orphan_allocation",
        f"no instance has the node, and it is claimed by {told}",
        Colour.RED if blocker else Colour.AMBER,
        fix=blocker or "release the claim",
        since=_latest(sight),
        consumer=consumer,
        consumer_generation=rows[0].consumer.generation,
        project=rows[0].consumer.project_id,
        consumer_type=rows[0].consumer.consumer_type,
    )


def _of_stock(sight: Sight) -> Iterator[Finding]:
    if sight.holders or sight.node.instance_uuid is not None:
        return
    if sight.is_out_of_use and sight.offers:
        state = "in maintenance" if sight.node.maintenance else sight.node.provision_state
        yield _about(
            sight,
            "not_reserved",
            f"it is {state}, and Placement offers it",
            Colour.GREEN,
            fix="reserve all of it",
            since=sight.last_change,
        )
    elif sight.is_free and sight.is_all_reserved:
        yield _about(
            sight,
            "reserved_but_free",
            "it is free, and all of it is reserved",
            Colour.AMBER,
            fix="offer it again",
            since=sight.last_change,
        )


def _of_lock(sight: Sight, around: Circumstances) -> Iterator[Finding]:
    node = sight.node
    if node.reservation is None or node.reservation.lower() in around.alive:
        return
    who = "is not alive" if node.reservation.lower() in around.known else "never was a conductor"
    yield _about(
        sight,
        "stale_reservation",
        f"it is locked by {node.reservation}, who {who}",
        Colour.RED if sight.has_work else Colour.AMBER,
        fix="start a conductor: there is work on the node" if sight.has_work else "take off the lock",
        since=node.reserved_at,
        holder=node.reservation,
    )


def _about(
    sight: Sight,
    code: str,
    text: str,
    colour: Colour,
    *,
    fix: str,
    since: datetime | None = None,
    **facts: Any,
) -> Finding:
    node = sight.node
    return Finding(
        code=code,
        subject=node.uuid,
        name=node.name or node.uuid,
        text=text,
        colour=colour,
        fix=fix,
        since=since,
        facts={
            "instance": node.instance_uuid,
            "state": node.provision_state,
            "node_generation": node.generation,
            "provider_generation": sight.provider.generation if sight.provider else None,
            "owner": node.owner,
            "lessee": node.lessee,
        }
        | facts,
    )


def _latest(sight: Sight) -> datetime | None:
    """When the newest part of it came about: an old claim whose instance let go just now is in flight."""
    moments = [row.updated_at for rows in sight.holders.values() for row in rows]
    return max([*moments, *([sight.held_since] if sight.held_since else [])], default=None)


def aged(finding: Finding, now: datetime, grace: timedelta) -> Finding:
    """The finding; in flight while it is younger than the grace period."""
    if finding.since is None or finding.since <= now - grace:
        return finding
    return dataclasses.replace(
        finding,
        code="in_flight",
        colour=Colour.GREY,
        fix="wait",
        facts={**finding.facts, "becomes": finding.code, "at": (finding.since + grace).isoformat()},
    )


def kind(finding: Finding) -> str:
    """The code; of what is in flight, the one that it will have."""
    return str(finding.facts.get("becomes", finding.code))


def _amounts(rows: Sequence[Allocation]) -> str:
    return ", ".join(f"{row.resource_class_id} {row.used}" for row in rows)


# --- providers without a node ---------------------------------------------------------------------------------------
def _machines(rows: Sequence[ResourceProvider], classes: set[str]) -> Iterator[tuple[ResourceProvider, list[str], int]]:
    """Those that are, or were, whole machines; with who claims them and how many children they have."""
    stock: dict[int, list[Inventory]] = {}
    for inventory in Inventory.objects.filter(provider__in=rows):
        stock.setdefault(inventory.provider_id, []).append(inventory)
    uuids = [row.uuid for row in rows]
    remembered = set(OwnershipEvent.objects.filter(node_uuid__in=uuids).order_by().values_list("node_uuid", flat=True))
    parents = list(ResourceProvider.objects.filter(parent__uuid__in=uuids).values_list("parent_id", flat=True))
    claimed: dict[int, list[str]] = {}
    for provider_id, consumer in _consumers(rows):
        claimed.setdefault(provider_id, []).append(consumer)
    for row in rows:
        if row.uuid in remembered or _is_machine(stock.get(row.pk, []), classes):
            yield row, claimed.get(row.pk, []), parents.count(row.uuid)


def _consumers(rows: Sequence[ResourceProvider]) -> QuerySet[Allocation, tuple[int, str]]:
    found = Allocation.objects.filter(provider__in=rows).order_by("provider_id", "consumer_id")
    return found.values_list("provider_id", "consumer_id").distinct()


def _is_machine(stock: Sequence[Inventory], classes: set[str]) -> bool:
    """One of something that cannot be shared: so Nova and the mirror describe a node. Where that is of a node's class,
    there may be more that says what is in the machine, all of it reserved."""
    if any(row.total == 1 and row.resource_class_id in classes for row in stock):
        return all(row.reserved >= row.total or row.total == 1 for row in stock)
    return bool(stock) and all(map(_is_whole, stock))


def _is_whole(row: Inventory) -> bool:
    return row.total == 1 and row.max_unit == 1 and row.resource_class_id.startswith("CUSTOM_")


def _no_node(row: ResourceProvider, consumers: Sequence[str], children: int) -> Finding:
    blocker = f"release its claims first: {', '.join(consumers)}" if consumers else ""
    if children and not blocker:
        blocker = f"delete its {children} children first"
    return Finding(
        code="no_node",
        subject=row.uuid,
        name=row.name,
        text="its node is gone" + (f", and it is claimed by {', '.join(consumers)}" if consumers else ""),
        colour=Colour.RED if blocker else Colour.AMBER,
        fix=blocker or "delete the provider",
        since=row.updated_at,
        facts={"provider_generation": row.generation, "consumers": list(consumers)},
    )
