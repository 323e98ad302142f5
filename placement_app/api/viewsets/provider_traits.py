from __future__ import annotations

from collections.abc import Sequence

from django.http import HttpResponse
from rest_framework.request import Request

from placement_app.api import features
from placement_app.api.schemas import provider_traits as schemas
from placement_app.api.viewsets.base import PlacementViewSet, modified_now
from placement_app.services import provider_traits
from placement_app.services.reading import ShownTrait


class ProviderTraitViewSet(PlacementViewSet):
    since = dict.fromkeys(["GET", "PUT", "DELETE"], features.TRAITS)
    rules = {
        "GET": "placement:resource_providers:traits:list",
        "PUT": "placement:resource_providers:traits:update",
        "DELETE": "placement:resource_providers:traits:delete",
    }

    def list(self, request: Request, uuid: str) -> HttpResponse:
        return self._answer_with(*provider_traits.of_provider(provider=uuid))

    def update(self, request: Request, uuid: str) -> HttpResponse:
        # The one route below a provider where a wrong body is said before an unknown provider.
        body = self.body(schemas.PUT)
        generation, written = provider_traits.replace(
            provider=uuid,
            traits=body["traits"],
            generation=int(body["resource_provider_generation"]),
            origin=self.origin,
        )
        return self._answer_with(generation, written)

    def destroy(self, request: Request, uuid: str) -> HttpResponse:
        provider_traits.clear(provider=uuid, origin=self.origin)
        return self.answer(status=204)

    def _answer_with(self, generation: int, found: Sequence[ShownTrait]) -> HttpResponse:
        return self.answer(
            {"traits": [trait.name for trait in found], "resource_provider_generation": generation},
            last_modified=max((trait.updated_at for trait in found), default=modified_now()),
        )
