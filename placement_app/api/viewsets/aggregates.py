from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.http import HttpResponse
from rest_framework.request import Request

from placement_app.api import features
from placement_app.api.parse import aggregates as parse
from placement_app.api.schemas import aggregates as schemas
from placement_app.api.viewsets.base import modified_now
from placement_app.api.viewsets.providers import OfProviderViewSet
from placement_app.services import aggregates


class AggregateViewSet(OfProviderViewSet):
    since = dict.fromkeys(["GET", "PUT"], features.AGGREGATES)
    rules = {
        "GET": "placement:resource_providers:aggregates:list",
        "PUT": "placement:resource_providers:aggregates:update",
    }

    def check_since(self, request: Request) -> None:
        # Only here clients have always been told of a wrong media type before they were told of an old version.
        self.check_media_types(request)
        super().check_since(request)

    def list(self, request: Request, uuid: str) -> HttpResponse:
        return self._answer_with(*aggregates.of_provider(provider=uuid))

    def update(self, request: Request, uuid: str) -> HttpResponse:
        body = self.body_for(uuid, schemas.PUT)
        generation, written = aggregates.replace(
            provider=uuid, aggregates=parse.aggregates(body), generation=parse.generation(body), origin=self.origin
        )
        return self._answer_with(generation, written)

    def _answer_with(self, generation: int, found: Sequence[str]) -> HttpResponse:
        document: dict[str, Any] = {"aggregates": found}
        if self.microversion >= features.GUARDED_AGGREGATES:
            document["resource_provider_generation"] = generation
        return self.answer(document, last_modified=modified_now())
