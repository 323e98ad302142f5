"""What happened to a node, newest first: who had it, who was refused, what Placement and conductors say of it."""

from __future__ import annotations

from typing import Any

from ironic_app.models import ConflictRecord, NodeHistory, OwnershipEvent
from placement_app.admin import timeline
from placement_app.admin.timeline import Line, Timeline
from placement_app.models import ClaimEvent
from placement_app.models import ConflictRecord as ClaimConflict

_NOUNS = {"instance_uuid": "", "owner": "owner ", "lessee": "lessee "}


def of_node(uuid: str, older: str = "") -> Timeline:
    """As many statements as there are tables, however long the story."""
    streams: dict[str, Any] = {
        "events": ClaimEvent.objects.filter(provider_uuid=uuid),
        "conflicts": ClaimConflict.objects.filter(provider_uuid=uuid),
        "owners": OwnershipEvent.objects.filter(node_uuid=uuid),
        "refusals": ConflictRecord.objects.filter(node_uuid=uuid),
        "work": NodeHistory.objects.filter(node__uuid=uuid),
    }
    return timeline.merge(older, streams, further={"owners": _of_owner, "refusals": _of_refusal, "work": _of_work})


def last_change(uuid: str) -> OwnershipEvent | None:
    """Who gave or took it last."""
    events = OwnershipEvent.objects.filter(node_uuid=uuid).exclude(event=OwnershipEvent.Event.REFUSED)
    return events.order_by("-pk").first()


def _of_owner(event: OwnershipEvent) -> Line:
    is_refused = event.event == OwnershipEvent.Event.REFUSED
    noun = _NOUNS.get(event.subject, "")
    is_instance = event.subject == OwnershipEvent.Subject.INSTANCE
    return Line(
        **timeline.by(event),
        kind=event.event,
        what=event.text if is_refused else f"node: {noun}{event.before or 'nobody'} → {event.after or 'nobody'}",
        consumer_uuid=(event.after or event.before or "") if is_instance else "",
        reason=event.reason,
        generation=event.generation,
    )


def _of_refusal(record: ConflictRecord) -> Line:
    return Line(
        **timeline.by(record),
        kind="refused",
        what=f"{record.operation}: {record.text}",
        attempts=record.attempts,
    )


def _of_work(entry: NodeHistory) -> Line:
    return Line(
        moment=entry.created_at,
        kind="refused" if entry.severity == "ERROR" else "edited",
        what=f"{entry.event_type}: {entry.event}",
        door="conductor" if entry.conductor else "",
        actor=entry.conductor or entry.user,
    )
