"""What a word may mean that somebody typed: a uuid or a name, or a part of one, or the beginning of a request id."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from django.db.models import Exists, OuterRef, Q

from claimsite.foundation.admin.lists import uuid_start
from claimsite.foundation.uuids import canonical_uuid
from ironic_app.models import Allocation as NodeAllocation
from ironic_app.models import ConflictRecord as NodeConflict
from ironic_app.models import Node, OwnershipEvent
from placement_app.models import ClaimEvent, ConflictRecord, Consumer, ProviderEvent, ResourceProvider

MOST = 10
"""Of each kind: whoever finds more should type more."""

SHORTEST_REQUEST = 8
"""Characters of a request id, its ``req-`` with them: fewer may be any."""


@dataclasses.dataclass(frozen=True, slots=True)
class Thing:
    kind: str
    uuid: str
    name: str
    key: object
    """Of its row; the uuid of what is no more."""
    detail: str = ""


def things(term: str) -> Iterator[Thing]:
    """Nodes, providers, consumers and node allocations. A whole uuid is looked up, by index, before anything else."""
    uuid = canonical_uuid(term)
    start = uuid or uuid_start(term)
    named = Q(name__icontains=term)
    by_uuid = Q(uuid=uuid) if uuid else Q(uuid__startswith=start) if start else Q(pk__in=[])
    of_nodes = by_uuid | Q(instance_uuid=uuid) if uuid else by_uuid | named
    nodes = list(Node.objects.filter(of_nodes).order_by("pk")[:MOST])
    for node in nodes:
        detail = f"{node.provision_state}, instance {node.instance_uuid or 'none'}"
        yield Thing("node", node.uuid, node.name or node.uuid, node.pk, detail)
    # Of a machine that is both, the node tells what both services say.
    providers = ResourceProvider.objects.filter(by_uuid if uuid else by_uuid | named)
    for provider in providers.exclude(uuid__in=[node.uuid for node in nodes]).order_by("name")[:MOST]:
        yield Thing("provider", provider.uuid, provider.name, provider.uuid, provider.uuid)
    if start:
        yield from _consumers(start, by_uuid)
    for allocation in NodeAllocation.objects.filter(by_uuid if uuid else by_uuid | Q(name=term))[:MOST]:
        yield Thing("node allocation", allocation.uuid, str(allocation), allocation.pk, allocation.state)


def _consumers(start: str, by_uuid: Q) -> Iterator[Thing]:
    for consumer in Consumer.objects.filter(by_uuid).order_by("uuid")[:MOST]:
        yield Thing("consumer", consumer.uuid, consumer.uuid, consumer.uuid, f"project {consumer.project_id}")
    by_its_uuid = {"consumer_uuid": start} if canonical_uuid(start) else {"consumer_uuid__startswith": start}
    gone = ClaimEvent.objects.filter(~Exists(Consumer.objects.filter(uuid=OuterRef("consumer_uuid"))), **by_its_uuid)
    for uuid in gone.order_by("consumer_uuid").values_list("consumer_uuid", flat=True).distinct()[:MOST]:
        yield Thing("consumer", uuid, uuid, uuid, "holds nothing any more")


def requests(term: str) -> list[str]:
    """The ids of requests that did something or were refused: this one, or else those that begin so."""
    if not term.startswith("req-"):
        return []
    return _requests({"request_id": term}) or (
        _requests({"request_id__startswith": term}) if len(term) >= SHORTEST_REQUEST else []
    )


def _requests(condition: dict[str, str]) -> list[str]:
    found: set[str] = set()
    for model in (ClaimEvent, ProviderEvent, ConflictRecord, OwnershipEvent, NodeConflict):
        rows = model._default_manager.filter(**condition).order_by("request_id")
        found.update(rows.values_list("request_id", flat=True).distinct()[:MOST])
    return sorted(found)[:MOST]
