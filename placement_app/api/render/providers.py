from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from django.urls import reverse

from claimsite.foundation.openstack.microversion import Microversion
from claimsite.foundation.openstack.versioned import Versioned
from placement_app.api import features
from placement_app.models import ResourceProvider
from placement_app.services.reading import ShownProvider

LINKS = Versioned(
    {
        features.BASE: ("inventories", "usages"),
        features.AGGREGATES: ("inventories", "usages", "aggregates"),
        features.TRAITS: ("inventories", "usages", "aggregates", "traits"),
        features.ALLOCATIONS_LINK: ("inventories", "usages", "aggregates", "traits", "allocations"),
    }
)


Provider: TypeAlias = ResourceProvider | ShownProvider


def renderer(version: Microversion) -> Callable[[Provider], dict[str, Any]]:
    """Shows providers as ``version`` does. What is the same for all is settled once: lists are long."""
    base = reverse("placement:resource_providers")
    parts = LINKS.at(version)
    shows_trees = version >= features.PROVIDER_TREES

    def render(provider: Provider) -> dict[str, Any]:
        address = f"{base}/{provider.uuid}"
        document = {
            "uuid": provider.uuid,
            "name": provider.name,
            "generation": provider.generation,
            "links": [
                {"rel": "self", "href": address},
                *({"rel": part, "href": f"{address}/{part}"} for part in parts),
            ],
        }
        if shows_trees:
            document["parent_provider_uuid"] = provider.parent_id
            document["root_provider_uuid"] = provider.root_id
        return document

    return render
