"""What both services say of the same machines, read side by side: a constant number of statements for any number."""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime

from django.conf import settings
from django.db.models import Exists, F, Max, OuterRef, Q, QuerySet

from claimsite.machines.names import placement_class
from claimsite.operations.mirror import is_claimable
from ironic_app import states
from ironic_app.models import Node, OwnershipEvent, Transition
from ironic_app.services import conductors
from placement_app.models import Allocation, Inventory, ResourceProvider


@dataclasses.dataclass(frozen=True, slots=True)
class Sight:
    """One node, and what Placement knows under its uuid."""

    node: Node
    provider: ResourceProvider | None
    inventories: Sequence[Inventory]
    holders: dict[str, list[Allocation]]
    """What is claimed of the provider: consumer uuid → allocations, with their consumers."""
    held_since: datetime | None
    """When the node was last given to an instance or taken from one."""
    has_work: bool
    """Whether there is work on the node that a conductor may go on with."""

    @property
    def offers(self) -> bool:
        """Whether anybody could claim something of the provider now."""
        return any(row.capacity - row.used >= row.min_unit for row in self.inventories)

    @property
    def is_all_reserved(self) -> bool:
        return bool(self.inventories) and all(row.reserved >= row.total for row in self.inventories)

    @property
    def is_free(self) -> bool:
        return is_claimable(self.node) and self.node.reservation is None

    @property
    def is_out_of_use(self) -> bool:
        return self.node.maintenance or self.node.provision_state != states.AVAILABLE

    @property
    def last_change(self) -> datetime:
        return self.node.updated_at or self.node.created_at


@dataclasses.dataclass(frozen=True, slots=True)
class Circumstances:
    """What is the same for all nodes."""

    alive: frozenset[str]
    """Host names, in lower case, of the conductors that are alive."""
    known: frozenset[str]
    classes: frozenset[str]
    """The classes of Placement whose machines are kept there; a node of another class may be Ironic's alone."""
    elsewhere: dict[str, str]
    """Of consumers that have more than one machine, or a node of their own: what that is."""


def suspicious() -> QuerySet[Node]:
    """The nodes of which something may be wrong: all that are, and few that aren't."""
    of_provider = Q(provider__uuid=OuterRef("uuid"))
    claimed = Allocation.objects.filter(of_provider)
    stock = Inventory.objects.filter(of_provider)
    by_another = Q(Exists(claimed.exclude(consumer_id=OuterRef("instance_uuid"))))
    by_instance = Q(Exists(claimed.filter(consumer_id=OuterRef("instance_uuid"))))
    condition = Q(instance_uuid=None) & Q(Exists(claimed))
    condition |= Q(instance_uuid__isnull=False) & (by_another | ~by_instance)
    condition |= Q(reservation__isnull=False)
    condition |= Q(allocation_id__isnull=False) & (Q(instance_uuid=None) | ~Q(allocation_id=F("instance_uuid")))
    out_of_use = Q(maintenance=True) | ~Q(provision_state=states.AVAILABLE)
    condition |= out_of_use & Q(instance_uuid=None) & Q(Exists(stock.filter(reserved__lt=F("total"))))
    free = Q(maintenance=False, provision_state=states.AVAILABLE, instance_uuid=None)
    condition |= free & Q(Exists(stock.filter(reserved__gte=F("total"))))
    condition |= Q(resource_class__isnull=False) & ~Q(Exists(ResourceProvider.objects.filter(uuid=OuterRef("uuid"))))
    return Node.objects.filter(condition)


def see(nodes: Sequence[Node]) -> list[Sight]:
    uuids = [node.uuid for node in nodes]
    providers = {row.uuid: row for row in ResourceProvider.objects.filter(uuid__in=uuids)}
    inventories: dict[int, list[Inventory]] = defaultdict(list)
    for inventory in Inventory.objects.filter(provider__in=providers.values()):
        inventories[inventory.provider_id].append(inventory)
    holders: dict[int, dict[str, list[Allocation]]] = defaultdict(lambda: defaultdict(list))
    rows = Allocation.objects.filter(provider__in=providers.values()).select_related("consumer").order_by("pk")
    for allocation in rows:
        holders[allocation.provider_id][allocation.consumer_id].append(allocation)
    events = OwnershipEvent.objects.filter(node_uuid__in=uuids, subject=OwnershipEvent.Subject.INSTANCE)
    moments = dict(
        events.exclude(event=OwnershipEvent.Event.REFUSED)
        .order_by()
        .values_list("node_uuid")
        .annotate(Max("created_at"))
    )
    working = set(Transition.objects.filter(node__uuid__in=uuids).values_list("node__uuid", flat=True))
    return [
        Sight(
            node=node,
            provider=(provider := providers.get(node.uuid)),
            inventories=inventories.get(provider.pk, []) if provider else [],
            holders=dict(holders.get(provider.pk, {})) if provider else {},
            held_since=moments.get(node.uuid),
            has_work=node.uuid in working,
        )
        for node in nodes
    ]


def circumstances(sights: Sequence[Sight]) -> Circumstances:
    strangers = {
        consumer: sight.node.uuid
        for sight in sights
        for consumer in sight.holders
        if consumer != sight.node.instance_uuid
    }
    return Circumstances(
        alive=frozenset(conductors.alive()),
        known=frozenset(conductors.known()),
        classes=_classes(sights),
        elsewhere=_elsewhere(strangers),
    )


def _classes(sights: Sequence[Sight]) -> frozenset[str]:
    wanted = {placement_class(each.node.resource_class) for each in sights if each.node.resource_class}
    if settings.MIRROR_NODES or not wanted:
        return frozenset(wanted)
    kept = Inventory.objects.filter(
        Exists(Node.objects.filter(uuid=OuterRef("provider__uuid"))), resource_class__name__in=wanted
    )
    return frozenset(kept.order_by().values_list("resource_class__name", flat=True).distinct())


def _elsewhere(strangers: dict[str, str]) -> dict[str, str]:
    """``strangers``: consumer → the node on which it is one."""
    found: dict[str, str] = {}
    if not strangers:
        return found
    for consumer, provider, name in Allocation.objects.filter(consumer__in=strangers).values_list(
        "consumer_id", "provider__uuid", "provider__name"
    ):
        if provider != strangers[consumer]:
            found[consumer] = f"it also holds something of {name}"
    for node in Node.objects.filter(instance_uuid__in=strangers).only("instance_uuid", "name", "uuid"):
        found[str(node.instance_uuid)] = f"it has node {node}"
    return found
