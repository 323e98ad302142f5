"""Everything that the site knows of one uuid or name, whatever it names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from django.db.models import Q

from claimsite.foundation.uuids import canonical_uuid
from claimsite.operations import findings, meant
from ironic_app.models import Allocation as NodeAllocation
from ironic_app.models import ConflictRecord as NodeConflict
from ironic_app.models import Node, OwnershipEvent, Port
from placement_app.models import Allocation, ClaimEvent, ConflictRecord, Consumer, ProviderEvent, ResourceProvider

MOST = 20
"""Of each kind, the newest."""

Facts = dict[str, Any]


def meant_by(term: str) -> list[tuple[str, Facts]]:
    """What is known of it. A beginning, or a part of a name, stands for the only thing it fits, or lists them."""
    if known := of(term):
        return known
    requests = meant.requests(term)
    things = list(meant.things(term)) if term and not requests else []
    if len(requests) + len(things) == 1:
        return of(*requests, *(thing.uuid for thing in things))
    return [("request", {"request_id": each}) for each in requests] + [
        (each.kind, {"uuid": each.uuid, "name": each.name, "detail": each.detail}) for each in things
    ]


def of(term: str) -> list[tuple[str, Facts]]:
    """What kind of thing it is, and its facts: several if it is several things, none if nobody knows it."""
    if not term:
        return []
    term = canonical_uuid(term) or term
    is_request = term.startswith("req-")
    sources = (_of_request(term),) if is_request else (_things(term), _events(term))
    return [each for source in sources for each in source]


def _things(term: str) -> Iterator[tuple[str, Facts]]:
    for node in Node.objects.filter(Q(uuid=term) | Q(name=term) | Q(instance_uuid=term)).order_by("pk")[:MOST]:
        yield ("node of this instance" if node.instance_uuid == term else "node"), _node(node)
    for provider in ResourceProvider.objects.filter(Q(uuid=term) | Q(name=term)):
        yield "provider", _provider(provider)
    for consumer in Consumer.objects.filter(uuid=term):
        yield "consumer", _consumer(consumer)
    for allocation in NodeAllocation.objects.filter(Q(uuid=term) | Q(name=term)).select_related("node"):
        node_of_it = getattr(allocation, "node", None)
        yield (
            "node allocation",
            {
                "uuid": allocation.uuid,
                "name": allocation.name,
                "state": allocation.state,
                "last_error": allocation.last_error,
                "resource_class": allocation.resource_class,
                "owner": allocation.owner,
                "node": node_of_it and node_of_it.uuid,
                "created_at": allocation.created_at,
            },
        )
    for port in Port.objects.filter(Q(uuid=term) | Q(address=term.lower())).select_related("node"):
        yield "port", {"uuid": port.uuid, "address": port.address, "node": port.node.uuid}


def _node(node: Node) -> Facts:
    return {
        "uuid": node.uuid,
        "name": node.name,
        "owner": node.owner,
        "lessee": node.lessee,
        "instance_uuid": node.instance_uuid,
        "instance_since": node.instance_uuid and _since_given(node),
        "allocation": node.allocation_id,
        "provision_state": node.provision_state,
        "power_state": node.power_state,
        "maintenance": node.maintenance,
        "reservation": node.reservation,
        "reserved_at": node.reserved_at,
        "resource_class": node.resource_class,
        "findings": [f"{each.code}: {each.text}" for each in findings.of_nodes([node]).get(node.uuid, [])],
    }


def _provider(provider: ResourceProvider) -> Facts:
    held = list(Allocation.objects.filter(provider=provider).order_by("pk")[: MOST + 1])
    since = _since_claimed(provider, [row.consumer_id for row in held])
    return {
        "uuid": provider.uuid,
        "name": provider.name,
        "generation": provider.generation,
        "parent": provider.parent_id,
        "root": provider.root_id,
        "inventories": {
            row.resource_class_id: f"{row.used} of {row.capacity:g} used (total {row.total}, reserved {row.reserved})"
            for row in provider.inventories.all()
        },
        "held_by": [
            f"{row.consumer_id}: {row.resource_class_id} {row.used}{since.get(row.consumer_id, '')}" for row in held
        ],
    }


def _since_given(node: Node) -> str:
    events = OwnershipEvent.objects.filter(
        node_uuid=node.uuid,
        subject=OwnershipEvent.Subject.INSTANCE,
        event=OwnershipEvent.Event.CLAIMED,
        after=node.instance_uuid,
    )
    return _when(event) if (event := events.order_by("-pk").first()) else ""


def _since_claimed(provider: ResourceProvider, consumers: Sequence[str]) -> dict[str, str]:
    """Of each consumer, when and how it came to hold something; of what was there before the history, nothing."""
    events = ClaimEvent.objects.filter(
        provider_uuid=provider.uuid, consumer_uuid__in=consumers, event=ClaimEvent.Event.CLAIMED
    )
    return {event.consumer_uuid: f", since {_when(event)}" for event in events.order_by("pk")}


def _when(event: ClaimEvent | OwnershipEvent) -> str:
    return f"{event.created_at:%Y-%m-%dT%H:%M:%SZ} by {event.actor or 'somebody without a name'} ({event.door})"


def _consumer(consumer: Consumer) -> Facts:
    held = Allocation.objects.filter(consumer=consumer).select_related("provider").order_by("pk")
    return {
        "uuid": consumer.uuid,
        "generation": consumer.generation,
        "project": consumer.project_id,
        "user": consumer.user_id,
        "type": consumer.consumer_type,
        "created_at": consumer.created_at,
        "holds": [f"{row.resource_class_id} {row.used} on {row.provider.name} ({row.provider.uuid})" for row in held],
    }


# --- what happened --------------------------------------------------------------------------------------------------
def _events(term: str) -> Iterator[tuple[str, Facts]]:
    """The story, newest first; also of what is gone."""
    claims = ClaimEvent.objects.filter(Q(consumer_uuid=term) | Q(provider_uuid=term)).order_by("-pk")[:MOST]
    conflicts = ConflictRecord.objects.filter(Q(consumer_uuid=term) | Q(provider_uuid=term)).order_by("-pk")[:MOST]
    changes = ProviderEvent.objects.filter(provider_uuid=term).order_by("-pk")[:MOST]
    owners = OwnershipEvent.objects.filter(Q(node_uuid=term) | Q(before=term) | Q(after=term)).order_by("-pk")[:MOST]
    refused = NodeConflict.objects.filter(node_uuid=term).order_by("-pk")[:MOST]
    told = [*_told_claims(claims), *_told_refusals(conflicts), *_told_changes(changes)]
    told += [*_told_owners(owners), *_told_refusals(refused)]
    yield from sorted(told, key=lambda each: each[1]["at"], reverse=True)


def _of_request(term: str) -> Iterator[tuple[str, Facts]]:
    yield from _told_claims(ClaimEvent.objects.filter(request_id=term)[:MOST])
    yield from _told_changes(ProviderEvent.objects.filter(request_id=term)[:MOST])
    yield from _told_refusals(ConflictRecord.objects.filter(request_id=term)[:MOST])
    yield from _told_owners(OwnershipEvent.objects.filter(request_id=term)[:MOST])
    yield from _told_refusals(NodeConflict.objects.filter(request_id=term)[:MOST])


def _told_claims(events: Any) -> Iterator[tuple[str, Facts]]:
    for event in events:
        who = {"consumer": event.consumer_uuid, "provider": event.provider_uuid}
        yield event.event, _by(event) | who | _change(event)


def _told_changes(events: Any) -> Iterator[tuple[str, Facts]]:
    for event in events:
        yield f"{event.subject} changed", _by(event) | {"provider": event.provider_uuid} | _change(event)


def _told_owners(events: Any) -> Iterator[tuple[str, Facts]]:
    for event in events:
        facts = _by(event) | {"node": event.node_uuid, "what": event.subject} | _change(event)
        yield f"node {event.event}", facts | ({"text": event.text} if event.text else {})


def _told_refusals(records: Any) -> Iterator[tuple[str, Facts]]:
    for record in records:
        about = {name: getattr(record, f"{name}_uuid", "") for name in ("consumer", "provider", "node")}
        why = {"operation": record.operation, "why": record.reason, "text": record.text}
        yield "refused", _by(record) | about | why


def _by(event: Any) -> Facts:
    return {"at": event.created_at, "by": event.actor, "door": event.door, "request_id": event.request_id}


def _change(event: Any) -> Facts:
    return {"before": event.before, "after": event.after, "reason": event.reason}
