from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from django.urls import reverse
from rest_framework.request import Request

from claimsite.foundation.openstack.bodies import InvalidBody, Schema
from claimsite.foundation.openstack.versioned import Versioned
from placement_app.api import features
from placement_app.api.parse import providers as parse
from placement_app.api.render import providers as render
from placement_app.api.schemas import providers as schemas
from placement_app.api.viewsets.base import PlacementViewSet, modified_now
from placement_app.services import provider_search, providers


class OfProviderViewSet(PlacementViewSet):
    """A route with a provider in its path."""

    def body_for(self, uuid: str, schema: Versioned[Schema]) -> Any:
        """The body; but that the provider is unknown is said before anything that is wrong with the body."""
        try:
            return self.body(schema)
        except InvalidBody:
            providers.get(uuid=uuid)
            raise


class ProviderListViewSet(PlacementViewSet):
    rules = {"GET": "placement:resource_providers:list", "POST": "placement:resource_providers:create"}

    def list(self, request: Request) -> HttpResponse:
        found = provider_search.find(**parse.search(self.query(schemas.LIST_QUERY), self.microversion))
        return self.answer(
            {"resource_providers": list(map(render.renderer(self.microversion), found))},
            last_modified=max((provider.updated_at for provider in found), default=modified_now()),
        )

    def create(self, request: Request) -> HttpResponse:
        body = self.body(schemas.POST)
        provider = providers.create(
            name=body["name"],
            uuid=parse.optional_uuid(body.get("uuid")),
            parent=parse.optional_uuid(body.get("parent_provider_uuid")),
            origin=self.origin,
        )
        location = reverse("placement:resource_provider", args=[provider.uuid])
        if self.microversion < features.POST_RETURNS_PROVIDER:
            return self.answer(status=201, location=location)
        return self.answer(
            render.renderer(self.microversion)(provider), location=location, last_modified=provider.updated_at
        )


class ProviderViewSet(OfProviderViewSet):
    rules = {
        "GET": "placement:resource_providers:show",
        "PUT": "placement:resource_providers:update",
        "DELETE": "placement:resource_providers:delete",
    }

    def retrieve(self, request: Request, uuid: str) -> HttpResponse:
        return self._answer_with(providers.get(uuid=uuid))

    def update(self, request: Request, uuid: str) -> HttpResponse:
        body = self.body_for(uuid, schemas.PUT)
        if "parent_provider_uuid" not in body:
            return self._answer_with(providers.rename(uuid=uuid, name=body["name"], origin=self.origin))
        provider = providers.update(
            uuid=uuid,
            name=body["name"],
            parent=parse.optional_uuid(body["parent_provider_uuid"]),
            may_reparent=self.microversion >= features.REPARENTING,
            origin=self.origin,
        )
        return self._answer_with(provider)

    def destroy(self, request: Request, uuid: str) -> HttpResponse:
        providers.delete(uuid=uuid, origin=self.origin)
        return self.answer(status=204)

    def _answer_with(self, provider: render.Provider) -> HttpResponse:
        return self.answer(render.renderer(self.microversion)(provider), last_modified=provider.updated_at)
