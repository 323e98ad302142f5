from __future__ import annotations

import datetime
from collections.abc import Iterable
from typing import Any

from claimsite.foundation.openstack.microversion import Microversion
from claimsite.foundation.openstack.versioned import Field, render
from placement_app.api import features
from placement_app.services.reading import ShownAllocation, ShownConsumer

UNKNOWN_TYPE = "unknown"
"""How a consumer shows that nobody ever gave a type. No writer can give this one: it is lower case."""

_CONSUMER = (
    Field("project_id", lambda consumer: consumer.project_id, since=features.CLAIMS_BY_PROVIDER),
    Field("user_id", lambda consumer: consumer.user_id, since=features.CLAIMS_BY_PROVIDER),
    Field("consumer_generation", lambda consumer: consumer.generation, since=features.CONSUMER_GENERATION),
    Field("consumer_type", lambda consumer: consumer.consumer_type or UNKNOWN_TYPE, since=features.CONSUMER_TYPE),
)


def of_consumer(
    consumer: ShownConsumer | None, allocations: Iterable[ShownAllocation], version: Microversion
) -> dict[str, Any]:
    by_provider: dict[str, Any] = {}
    for allocation in allocations:
        entry = by_provider.setdefault(
            allocation.provider_uuid, {"generation": allocation.provider_generation, "resources": {}}
        )
        entry["resources"][allocation.resource_class_id] = allocation.used
    document: dict[str, Any] = {"allocations": by_provider}
    if consumer is not None:
        document |= render(_CONSUMER, consumer, version)
    return document


def of_provider(generation: int, allocations: Iterable[ShownAllocation], version: Microversion) -> dict[str, Any]:
    by_consumer: dict[str, Any] = {}
    for allocation in allocations:
        entry = by_consumer.setdefault(allocation.consumer_id, {"resources": {}})
        entry["resources"][allocation.resource_class_id] = allocation.used
        if version >= features.CONSUMER_GENERATION:
            entry["consumer_generation"] = allocation.consumer_generation
    return {"allocations": by_consumer, "resource_provider_generation": generation}


def last_modified(allocations: Iterable[ShownAllocation], otherwise: datetime.datetime) -> datetime.datetime:
    return max((allocation.updated_at for allocation in allocations), default=otherwise)
