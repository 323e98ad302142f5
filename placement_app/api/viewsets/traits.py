from __future__ import annotations

import datetime

from django.http import HttpResponse
from django.urls import reverse
from rest_framework.request import Request

from placement_app.api import features
from placement_app.api.parse import traits as parse
from placement_app.api.schemas import traits as schemas
from placement_app.api.viewsets.base import PlacementViewSet, modified_now
from placement_app.models import Trait
from placement_app.services import traits


class TraitListViewSet(PlacementViewSet):
    since = {"GET": features.TRAITS}
    rules = {"GET": "placement:traits:list"}

    def list(self, request: Request) -> HttpResponse:
        found = traits.find(**parse.search(self.query(schemas.LIST_QUERY)))
        return self.answer(
            {"traits": [trait.name for trait in found]},
            last_modified=max((trait.updated_at for trait in found), default=modified_now()),
        )


class TraitViewSet(PlacementViewSet):
    since = dict.fromkeys(["GET", "PUT", "DELETE"], features.TRAITS)
    rules = {"GET": "placement:traits:show", "PUT": "placement:traits:update", "DELETE": "placement:traits:delete"}
    takes_body = frozenset()
    checks_accept = False

    def retrieve(self, request: Request, name: str) -> HttpResponse:
        return self.answer(status=204, last_modified=_modified(traits.get(name=name)))

    def update(self, request: Request, name: str) -> HttpResponse:
        trait, is_new = traits.create(name=parse.custom_name(name), origin=self.origin)
        return self.answer(
            status=201 if is_new else 204,
            location=reverse("placement:trait", args=[trait.name]),
            last_modified=_modified(trait),
        )

    def destroy(self, request: Request, name: str) -> HttpResponse:
        traits.delete(name=name, origin=self.origin)
        return self.answer(status=204)


def _modified(trait: Trait) -> datetime.datetime:
    return modified_now() if trait.is_standard else trait.updated_at
