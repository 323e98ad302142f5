"""The history of what providers are and have, written with the write itself."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from claimsite.foundation.origin import Origin
from claimsite.foundation.transactions import needs_transaction
from placement_app.models import ProviderEvent, ResourceProvider

Subject = ProviderEvent.Subject


@needs_transaction
def record(
    provider: ResourceProvider,
    subject: ProviderEvent.Subject,
    *,
    before: Mapping[str, Any],
    after: Mapping[str, Any],
    origin: Origin,
) -> None:
    """One line that says what differs between ``before`` and ``after``; none if nothing does.

    Called when the provider's generation has moved, so that the line says after which one it is.
    """
    changed = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
    if not changed:
        return
    ProviderEvent.objects.create(
        subject=subject,
        provider_uuid=provider.uuid,
        generation=provider.generation,
        before=_only(changed, before),
        after=_only(changed, after),
        door=origin.door.value,
        actor=origin.actor[:255],
        request_id=origin.request_id[:255],
        reason=origin.reason[:255],
    )


def names(several: Iterable[Any]) -> dict[str, bool]:
    """What a provider has by name only, in the form that ``record`` compares."""
    return dict.fromkeys(several, True)


def _only(wanted: set[str], facts: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in facts.items() if name in wanted}
