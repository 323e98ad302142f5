"""Who changed it: what an operator is told whose page went stale."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from claimsite.foundation.admin import show
from placement_app.admin import timeline
from placement_app.models import ClaimEvent, Consumer, ProviderEvent, ResourceProvider


def changed_consumer(uuid: str, seen: str) -> str:
    """What happened to the consumer after the generation ``seen``, and who did it."""
    consumer = Consumer.objects.filter(uuid=uuid).first()
    event = ClaimEvent.objects.filter(consumer_uuid=uuid).order_by("-pk").first()
    what = (
        f"consumer {uuid} went from generation {seen or '?'} to {consumer.generation}"
        if consumer
        else f"consumer {uuid} holds nothing any more"
    )
    return f"{what}{_last(event)}."


def changed_provider(uuid: str, seen: str) -> str:
    """What happened on the provider after the generation ``seen``: changes of what it has come before claims."""
    provider = ResourceProvider.objects.filter(uuid=uuid).first()
    if provider is None:
        event = ProviderEvent.objects.filter(provider_uuid=uuid).order_by("-pk").first()
        return f"provider {uuid} is gone{_last(event)}."
    what = f"provider {provider.name} went from generation {seen or '?'} to {provider.generation}"
    changes = ProviderEvent.objects.filter(provider_uuid=uuid)
    if seen.isdecimal():
        changes = changes.filter(generation__gt=int(seen))
    if change := changes.order_by("-pk").first():
        return f"{what}{_last(change)}: {timeline.differences(change)}."
    return f"{what}{_last(ClaimEvent.objects.filter(provider_uuid=uuid).order_by('-pk').first())}."


def overdrew(uuid: str) -> str:
    """What became of the inventories last, of a provider that gives more than it has: who took away what."""
    changes = ProviderEvent.objects.filter(provider_uuid=uuid, subject=ProviderEvent.Subject.INVENTORIES)
    change = changes.order_by("-pk").first()
    if change is None:
        return "Nobody changed its inventories since there is a history."
    when = by(change.actor, change.door, change.created_at)
    return f"Its inventories were changed last {when}: {timeline.differences(change)}."


def _last(event: ClaimEvent | ProviderEvent | None) -> str:
    if event is None:
        return ""
    verb = f", {event.event}" if isinstance(event, ClaimEvent) else ", changed"
    return f"{verb} {by(event.actor, event.door, event.created_at)}"


def by(actor: str, door: str, moment: datetime, request_id: Any = "") -> str:
    """``at 11:21:07 UTC by nova (placement)``."""
    request = f", request {request_id}" if request_id else ""
    return f"at {show.clock(moment)} by {actor or 'somebody without a name'} ({door}{request})"
