from __future__ import annotations

from django.http import HttpResponse
from rest_framework.request import Request

from placement_app.api import features
from placement_app.api.parse import allocations as parse_allocations
from placement_app.api.parse import reshaper as parse
from placement_app.api.schemas import reshaper as schemas
from placement_app.api.viewsets.base import PlacementViewSet
from placement_app.services import reshaper


class ReshaperViewSet(PlacementViewSet):
    """POST /reshaper: inventories and allocations move together."""

    since = {"POST": features.RESHAPER}
    rules = {"POST": "placement:reshaper:reshape"}

    def create(self, request: Request) -> HttpResponse:
        body = self.body(schemas.POST)
        reshaper.reshape(
            shapes=parse.shapes(body["inventories"]),
            claims=parse_allocations.claims(body["allocations"], self.microversion),
            origin=self.origin,
        )
        return self.answer(status=204)
