from __future__ import annotations

from django.http import HttpResponse
from rest_framework.request import Request

from placement_app.api import features
from placement_app.api.parse import allocations as parse
from placement_app.api.render import allocations as render
from placement_app.api.schemas import allocations as schemas
from placement_app.api.viewsets.base import PlacementViewSet, modified_now
from placement_app.services import allocations


class AllocationListViewSet(PlacementViewSet):
    """POST /allocations: the claims of many consumers at once, all or nothing."""

    since = {"POST": features.POST_ALLOCATIONS}
    rules = {"POST": "placement:allocations:manage"}

    def create(self, request: Request) -> HttpResponse:
        body = self.body(schemas.POST)
        allocations.replace(claims=parse.claims(body, self.microversion), origin=self.origin)
        return self.answer(status=204)


class AllocationViewSet(PlacementViewSet):
    """/allocations/{consumer_uuid}: what one consumer holds."""

    rules = {
        "GET": "placement:allocations:list",
        "PUT": "placement:allocations:update",
        "DELETE": "placement:allocations:delete",
    }

    def retrieve(self, request: Request, consumer_uuid: str) -> HttpResponse:
        consumer, found = allocations.of_consumer(consumer_uuid=consumer_uuid)
        return self.answer(
            render.of_consumer(consumer, found, self.microversion),
            last_modified=render.last_modified(found, modified_now()),
        )

    def update(self, request: Request, consumer_uuid: str) -> HttpResponse:
        canonical = parse.consumer_in_path(consumer_uuid)
        claim = parse.claim(canonical, self.body(schemas.PUT), self.microversion)
        allocations.replace(claims=[claim], origin=self.origin)
        return self.answer(status=204)

    def destroy(self, request: Request, consumer_uuid: str) -> HttpResponse:
        allocations.release(consumer_uuid=consumer_uuid, origin=self.origin)
        return self.answer(status=204)


class ProviderAllocationsViewSet(PlacementViewSet):
    """/resource_providers/{uuid}/allocations: who holds what of one provider."""

    rules = {"GET": "placement:resource_providers:allocations:list"}

    def list(self, request: Request, uuid: str) -> HttpResponse:
        generation, found = allocations.of_provider(provider_uuid=uuid)
        return self.answer(
            render.of_provider(generation, found, self.microversion),
            last_modified=render.last_modified(found, modified_now()),
        )
