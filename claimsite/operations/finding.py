"""What the search box of the operators' pages finds: things by uuid or name, and what one request did."""

from __future__ import annotations

from collections.abc import Iterable

from django.urls import NoReverseMatch, reverse

from claimsite.foundation.admin.site import Hit
from claimsite.operations import meant
from placement_app.models import ClaimEvent, ConflictRecord

_PAGES = {
    "node": "ironic_app_node",
    "provider": "placement_app_resourceprovider",
    "consumer": "placement_app_consumer",
    "node allocation": "ironic_app_allocation",
}


def things(term: str) -> Iterable[Hit]:
    """Nodes, providers, consumers and node allocations."""
    for thing in meant.things(term):
        yield from _hit(thing.kind, thing.name, _PAGES[thing.kind], thing.key, thing.detail)


def requests(term: str) -> Iterable[Hit]:
    """What one request did, or was refused; or several whose ids begin so."""
    ids = meant.requests(term)
    for event in ClaimEvent.objects.filter(request_id__in=ids)[: meant.MOST]:
        yield from _hit(
            "consumer", f"{event.event} {event.consumer_uuid}", "placement_app_consumer", event.consumer_uuid
        )
    for record in ConflictRecord.objects.filter(request_id__in=ids)[: meant.MOST]:
        yield from _hit("conflict", record.reason, "placement_app_conflictrecord", record.pk, record.text)


def _hit(kind: str, text: str, page: str, key: object, detail: str = "") -> Iterable[Hit]:
    try:
        url = reverse(f"admin:{page}_change", args=[key])
    except NoReverseMatch:
        return
    yield Hit(kind, text, url, detail)
