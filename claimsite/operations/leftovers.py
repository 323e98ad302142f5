"""What outlived its owner: claims of consumers that are dead, nodes of instances that are dead."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from datetime import timedelta
from typing import Any

from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from claimsite.foundation.findings import GRACE, Checked, Colour, Finding, chunks, unwatched
from claimsite.operations.findings import RELEASABLE, aged
from claimsite.operations.sights import see
from ironic_app.models import Node
from placement_app.models import Allocation, Consumer, ResourceProvider


def claims_of_the_dead(
    *,
    living: Collection[str] | None,
    provider: str | None = None,
    project: str | None = None,
    consumer_type: str | None = None,
    grace: timedelta = GRACE,
    checked: Checked = unwatched,
) -> Iterator[Finding]:
    """Consumers that hold something and are not among ``living``.

    ``living`` None: the instances of nodes live; only who claims a whole machine is judged by that. A consumer that is
    some node's instance is never released by a list that does not know it: it is told as red.
    """
    rows = _consumers(provider, project, consumer_type)
    if living is None:
        machines = Node.objects.filter(uuid=OuterRef("provider__uuid"))
        rows = rows.filter(Exists(Allocation.objects.filter(Exists(machines), consumer=OuterRef("pk"))))
    now = timezone.now()
    for part in chunks(rows, checked=checked):
        dead = {row.uuid: row for row in part if living is None or row.uuid not in living}
        nodes = {node.instance_uuid: node for node in Node.objects.filter(instance_uuid__in=dead)}
        held = _held(dead)
        for uuid, row in dead.items():
            node = nodes.get(uuid)
            if uuid not in held or (living is None and node is not None):
                continue
            yield aged(_claim(row, held[uuid], node), now, grace)


def nodes_of_the_dead(
    *,
    living: Collection[str],
    provider: str | None = None,
    project: str | None = None,
    even_in_use: bool = False,
    grace: timedelta = GRACE,
    checked: Checked = unwatched,
) -> Iterator[Finding]:
    """Nodes whose instance is not among ``living``."""
    rows = Node.objects.exclude(instance_uuid=None)
    if provider is not None:
        rows = rows.filter(Q(uuid=provider) | Q(name=provider))
    if project is not None:
        rows = rows.filter(Q(owner=project) | Q(lessee=project))
    now = timezone.now()
    for part in chunks(rows, checked=checked):
        dead = [node for node in part if node.instance_uuid not in living]
        for sight in see(dead):
            finding = _node(sight.node, even_in_use, sight.held_since or sight.last_change)
            yield aged(finding, now, grace)


def hosts_of_the_dead(
    *, living: Collection[str], provider: str | None = None, grace: timedelta = GRACE, checked: Checked = unwatched
) -> Iterator[Finding]:
    """Trees of providers whose root is not among ``living``, by uuid or name."""
    rows = ResourceProvider.objects.filter(parent=None)
    if provider is not None:
        rows = rows.filter(Q(uuid=provider) | Q(name=provider))
    now = timezone.now()
    for part in chunks(rows, checked=checked):
        dead = [row for row in part if not {row.uuid, row.name} & set(living)]
        for row in dead:
            yield aged(_host(row), now, grace)


def _consumers(provider: str | None, project: str | None, consumer_type: str | None) -> Any:
    rows = Consumer.objects.all()
    if provider is not None:
        of_provider = Q(provider__uuid=provider) | Q(provider__name=provider)
        rows = rows.filter(Exists(Allocation.objects.filter(of_provider, consumer=OuterRef("pk"))))
    if project is not None:
        rows = rows.filter(project_id=project)
    if consumer_type is not None:
        rows = rows.filter(consumer_type=None if consumer_type == "unknown" else consumer_type)
    return rows


def _held(consumers: Collection[str]) -> dict[str, list[Allocation]]:
    held: dict[str, list[Allocation]] = {}
    rows = Allocation.objects.filter(consumer__in=consumers).select_related("provider").order_by("pk")
    for row in rows:
        held.setdefault(row.consumer_id, []).append(row)
    return held


def _claim(row: Consumer, held: list[Allocation], node: Node | None) -> Finding:
    told = ", ".join(f"{each.resource_class_id} {each.used} on {each.provider.name}" for each in held)
    return Finding(
        code="dead_consumer",
        subject=row.uuid,
        name=row.uuid,
        text=f"not alive, and holds {told}",
        colour=Colour.AMBER if node is None else Colour.RED,
        fix="release what it holds" if node is None else f"node {node} has it as its instance: stale_nodes first",
        since=max([row.updated_at, *(each.updated_at for each in held)]),
        facts={
            "generation": row.generation,
            "project": row.project_id,
            "user": row.user_id,
            "consumer_type": row.consumer_type,
            "holds": [
                {"provider": each.provider.uuid, "resource_class": each.resource_class_id, "used": each.used}
                for each in held
            ],
        },
    )


def _node(node: Node, even_in_use: bool, since: Any) -> Finding:
    blocker = ""
    if node.reservation is not None:
        blocker = f"locked by {node.reservation}: see stale_reservations"
    elif node.provision_state not in RELEASABLE and not even_in_use:
        blocker = f"the node is {node.provision_state}: undeploy it, or insist with --force"
    return Finding(
        code="dead_instance",
        subject=node.uuid,
        name=node.name or node.uuid,
        text=f"it is {node.provision_state}, and its instance {node.instance_uuid} is not alive",
        colour=Colour.RED if blocker else Colour.AMBER,
        fix=blocker or "free the node, and release what its instance holds",
        since=since,
        facts={"instance": node.instance_uuid, "state": node.provision_state, "owner": node.owner},
    )


def _host(row: ResourceProvider) -> Finding:
    members = ResourceProvider.objects.filter(root__uuid=row.uuid)
    consumers = list(
        Allocation.objects.filter(provider__in=members).order_by().values_list("consumer_id", flat=True).distinct()[:20]
    )
    children = members.exclude(pk=row.pk).exists()
    blocker = f"release its claims first: {', '.join(consumers)}" if consumers else ""
    if children and not blocker:
        blocker = "delete its children first"
    return Finding(
        code="no_host",
        subject=row.uuid,
        name=row.name,
        text="its host is not alive",
        colour=Colour.RED if blocker else Colour.AMBER,
        fix=blocker or "delete the provider",
        since=row.updated_at,
        facts={"provider_generation": row.generation, "consumers": consumers},
    )
