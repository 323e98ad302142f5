"""The story of each node's ownership. ``node_rows`` writes what happened, ``conflict_log`` what was refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from claimsite.foundation.origin import Origin
from ironic_app.models import Node, OwnershipEvent

SUBJECTS = {subject.value: subject for subject in OwnershipEvent.Subject}


def attempt(node: Node, wanted: str | None) -> dict[str, Any]:
    """What the record of a refused attempt has to know of the node; goes with the refusal as a fact."""
    return {"node": node.uuid, "name": node.name, "holder": node.instance_uuid, "wanted": wanted}


def changes(
    *, node: Node, before: Mapping[str, str | None], allocation_uuid: str | None, origin: Origin, reason: str
) -> list[OwnershipEvent]:
    """The events that turned ``before`` (subject → value) into what the node is now; not saved yet."""
    return [
        OwnershipEvent(
            event=_event(before[name], getattr(node, name)),
            subject=subject,
            node_uuid=node.uuid,
            node_name=node.name,
            before=before[name],
            after=getattr(node, name),
            allocation_uuid=allocation_uuid if subject is OwnershipEvent.Subject.INSTANCE else None,
            generation=node.generation,
            reason=reason or origin.reason[:64],
            **by(origin),
        )
        for name, subject in SUBJECTS.items()
        if before[name] != getattr(node, name)
    ]


def refusal(*, attempt: Mapping[str, Any], error: Exception, origin: Origin) -> OwnershipEvent:
    """The event of an attempt that failed with ``error``; not saved yet."""
    return OwnershipEvent(
        event=OwnershipEvent.Event.REFUSED,
        node_uuid=attempt["node"],
        node_name=attempt["name"],
        before=attempt["holder"],
        after=attempt["wanted"],
        reason=type(error).__name__,
        text=str(error),
        **by(origin),
    )


def by(origin: Origin) -> dict[str, str]:
    """The columns that say who it was."""
    return {
        "door": origin.door.value,
        "actor": origin.actor[:255],
        "project": origin.project[:255],
        "request_id": origin.request_id[:255],
        "global_request_id": origin.global_request_id[:255],
    }


def _event(before: str | None, after: str | None) -> OwnershipEvent.Event:
    if before is None:
        return OwnershipEvent.Event.CLAIMED
    return OwnershipEvent.Event.RELEASED if after is None else OwnershipEvent.Event.CHANGED
