from __future__ import annotations

from collections.abc import Sequence

from django.http import HttpResponse
from django.urls import reverse
from rest_framework import exceptions
from rest_framework.request import Request

from placement_app.api import features
from placement_app.api.parse import inventories as parse
from placement_app.api.render import inventories as render
from placement_app.api.schemas import inventories as schemas
from placement_app.api.viewsets.base import modified_now
from placement_app.api.viewsets.providers import OfProviderViewSet
from placement_app.models import Inventory
from placement_app.services import inventories
from placement_app.services.reading import ShownInventory


class InventoryListViewSet(OfProviderViewSet):
    rules = {
        "GET": "placement:resource_providers:inventories:list",
        "POST": "placement:resource_providers:inventories:create",
        "PUT": "placement:resource_providers:inventories:update",
        "DELETE": "placement:resource_providers:inventories:delete",
    }

    def check_since(self, request: Request) -> None:
        # The path is as old as the API; so what its first versions lack is a method, not a route.
        if request.method == "DELETE" and self.microversion < features.DELETE_INVENTORIES:
            raise exceptions.MethodNotAllowed(request.method)
        super().check_since(request)

    def list(self, request: Request, uuid: str) -> HttpResponse:
        return self._answer_with(*inventories.of_provider(provider=uuid))

    def create(self, request: Request, uuid: str) -> HttpResponse:
        body = self.body_for(uuid, schemas.POST)
        generation, inventory = inventories.create(
            provider=uuid,
            resource_class=body["resource_class"],
            record=parse.record(body),
            reserved_may_fill=self.microversion >= features.RESERVED_MAY_FILL,
            origin=self.origin,
        )
        return self.answer(
            render.one(generation, inventory),
            status=201,
            location=reverse("placement:inventory", args=[uuid, inventory.resource_class_id]),
            last_modified=inventory.updated_at,
        )

    def update(self, request: Request, uuid: str) -> HttpResponse:
        body = self.body_for(uuid, schemas.PUT_ALL)
        generation, written = inventories.replace_all(
            provider=uuid,
            generation=parse.generation(body),
            records=parse.records(body["inventories"]),
            reserved_may_fill=self.microversion >= features.RESERVED_MAY_FILL,
            origin=self.origin,
        )
        return self._answer_with(generation, written)

    def destroy(self, request: Request, uuid: str) -> HttpResponse:
        inventories.clear(provider=uuid, origin=self.origin)
        return self.answer(status=204)

    def _answer_with(self, generation: int, found: Sequence[Inventory | ShownInventory]) -> HttpResponse:
        return self.answer(
            render.several(generation, found),
            last_modified=max((inventory.updated_at for inventory in found), default=modified_now()),
        )


class InventoryViewSet(OfProviderViewSet):
    rules = {
        "GET": "placement:resource_providers:inventories:show",
        "PUT": "placement:resource_providers:inventories:update",
        "DELETE": "placement:resource_providers:inventories:delete",
    }

    def retrieve(self, request: Request, uuid: str, resource_class: str) -> HttpResponse:
        return self._answer_with(*inventories.get(provider=uuid, resource_class=resource_class))

    def update(self, request: Request, uuid: str, resource_class: str) -> HttpResponse:
        body = self.body_for(uuid, schemas.PUT_ONE)
        generation, inventory = inventories.replace(
            provider=uuid,
            generation=parse.generation(body),
            resource_class=resource_class,
            record=parse.record(body),
            reserved_may_fill=self.microversion >= features.RESERVED_MAY_FILL,
            origin=self.origin,
        )
        return self._answer_with(generation, inventory)

    def destroy(self, request: Request, uuid: str, resource_class: str) -> HttpResponse:
        inventories.remove(provider=uuid, resource_class=resource_class, origin=self.origin)
        return self.answer(status=204)

    def _answer_with(self, generation: int, inventory: Inventory | ShownInventory) -> HttpResponse:
        return self.answer(render.one(generation, inventory), last_modified=inventory.updated_at)
