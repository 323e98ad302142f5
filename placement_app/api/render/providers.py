from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import orjson
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


_UUID = "{uuid}"


def renderer(version: Microversion) -> Callable[[Provider], dict[str, Any]]:
    """Shows providers as ``version`` does.

    The links are nearly all of the text, and differ in nothing but the uuid: they are written once for all providers.
    """
    address = f"{reverse('placement:resource_providers')}/{_UUID}"
    links = orjson.dumps(
        [
            {"rel": "self", "href": address},
            *({"rel": part, "href": f"{address}/{part}"} for part in LINKS.at(version)),
        ]
    ).decode()
    shows_trees = version >= features.PROVIDER_TREES

    def render(provider: Provider) -> dict[str, Any]:
        document = {
            "uuid": provider.uuid,
            "name": provider.name,
            "generation": provider.generation,
            "links": orjson.Fragment(links.replace(_UUID, provider.uuid)),
        }
        if shows_trees:
            document["parent_provider_uuid"] = provider.parent_id
            document["root_provider_uuid"] = provider.root_id
        return document

    return render
