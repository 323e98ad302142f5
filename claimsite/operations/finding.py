"""What the search box of the operators' pages finds: things by uuid or name, and what one request did."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

from django.db.models import Q
from django.urls import NoReverseMatch, reverse

from claimsite.foundation.admin.lists import uuid_start
from claimsite.foundation.admin.site import Hit
from claimsite.foundation.uuids import canonical_uuid
from ironic_app.models import Allocation as NodeAllocation
from ironic_app.models import Node
from placement_app.models import ClaimEvent, ConflictRecord, Consumer, ResourceProvider

MOST = 10
"""Of each kind: whoever finds more should type more."""


def things(term: str) -> Iterable[Hit]:
    """Nodes, providers, consumers and node allocations. A whole uuid is looked up, by index, before anything else."""
    uuid = canonical_uuid(term)
    start = uuid or uuid_start(term)
    named = Q(name__icontains=term)
    by_uuid = Q(uuid=uuid) if uuid else Q(uuid__startswith=start) if start else Q(pk__in=[])
    of_nodes = by_uuid | Q(instance_uuid=uuid) if uuid else by_uuid | named
    nodes = list(Node.objects.filter(of_nodes).order_by("pk")[:MOST])
    yield from _nodes(nodes)
    # Of a machine that is both, the node's page tells what both services say.
    yield from _providers(by_uuid if uuid else by_uuid | named, but=[node.uuid for node in nodes])
    if start:
        yield from _consumers(by_uuid, uuid)
    for allocation in NodeAllocation.objects.filter(by_uuid if uuid else by_uuid | Q(name=term))[:MOST]:
        yield from _hit("node allocation", str(allocation), "ironic_app_allocation", allocation.pk, allocation.state)


def _providers(condition: Q, *, but: Sequence[str]) -> Iterable[Hit]:
    for provider in ResourceProvider.objects.filter(condition).exclude(uuid__in=but).order_by("name")[:MOST]:
        yield from _hit("provider", provider.name, "placement_app_resourceprovider", provider.uuid, provider.uuid)


def _consumers(condition: Q, uuid: str | None) -> Iterable[Hit]:
    found = list(Consumer.objects.filter(condition).order_by("uuid")[:MOST])
    for consumer in found:
        detail = f"project {consumer.project_id}"
        yield from _hit("consumer", consumer.uuid, "placement_app_consumer", consumer.uuid, detail)
    if uuid and not found and ClaimEvent.objects.filter(consumer_uuid=uuid).exists():
        yield from _hit("consumer", uuid, "placement_app_consumer", uuid, "holds nothing any more")


def _nodes(nodes: Sequence[Node]) -> Iterable[Hit]:
    for node in nodes:
        detail = f"{node.provision_state}, instance {node.instance_uuid or 'none'}"
        yield from _hit("node", node.name or node.uuid, "ironic_app_node", node.pk, detail)


def requests(term: str) -> Iterable[Hit]:
    """What one request did, or was refused."""
    if not term.startswith("req-"):
        return
    for event in islice(ClaimEvent.objects.filter(request_id=term), MOST):
        yield from _hit(
            "consumer", f"{event.event} {event.consumer_uuid}", "placement_app_consumer", event.consumer_uuid
        )
    for record in ConflictRecord.objects.filter(request_id=term)[:MOST]:
        yield from _hit("conflict", record.reason, "placement_app_conflictrecord", record.pk, record.text)


def _hit(kind: str, text: str, page: str, key: object, detail: str = "") -> Iterable[Hit]:
    try:
        url = reverse(f"admin:{page}_change", args=[key])
    except NoReverseMatch:
        return
    yield Hit(kind, text, url, detail)
