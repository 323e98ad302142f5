"""The history of what providers are and have, written with the write itself."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import orjson
from django.db import connection
from django.utils import timezone

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
    values = {
        "created_at": connection.ops.adapt_datetimefield_value(timezone.now()),
        "subject": subject.value,
        "provider_uuid": provider.uuid,
        "generation": provider.generation,
        "before": orjson.dumps(_only(changed, before)).decode(),
        "after": orjson.dumps(_only(changed, after)).decode(),
        "door": origin.door.value,
        "actor": origin.actor[:255],
        "request_id": origin.request_id[:255],
        "reason": origin.reason[:255],
    }
    marks = ", ".join(["%s"] * len(values))
    # Every write of an inventory comes by here, and the ORM would take as long as all its other statements.
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO placement_app_providerevent ({', '.join(values)}) VALUES ({marks})", list(values.values())
        )


def names(several: Iterable[Any]) -> dict[str, bool]:
    """What a provider has by name only, in the form that ``record`` compares."""
    return dict.fromkeys(several, True)


def _only(wanted: set[str], facts: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in facts.items() if name in wanted}
