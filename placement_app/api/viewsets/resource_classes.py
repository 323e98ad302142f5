from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from django.urls import reverse
from rest_framework.request import Request

from placement_app.api import features
from placement_app.api.parse import resource_classes as parse
from placement_app.api.schemas import resource_classes as schemas
from placement_app.api.viewsets.base import PlacementViewSet, modified_now
from placement_app.models import ResourceClass
from placement_app.services import resource_classes


class ResourceClassListViewSet(PlacementViewSet):
    since = dict.fromkeys(["GET", "POST"], features.RESOURCE_CLASSES)
    rules = {"GET": "placement:resource_classes:list", "POST": "placement:resource_classes:create"}

    def list(self, request: Request) -> HttpResponse:
        found = resource_classes.find()
        return self.answer(
            {"resource_classes": [_document(resource_class) for resource_class in found]},
            last_modified=max((resource_class.updated_at for resource_class in found), default=modified_now()),
        )

    def create(self, request: Request) -> HttpResponse:
        body = self.body(schemas.NAMED)
        resource_class = resource_classes.create(name=body["name"], origin=self.origin)
        return self.answer(status=201, location=_address(resource_class))


class ResourceClassViewSet(PlacementViewSet):
    since = dict.fromkeys(["GET", "PUT", "DELETE"], features.RESOURCE_CLASSES)
    rules = {
        "GET": "placement:resource_classes:show",
        "PUT": "placement:resource_classes:update",
        "DELETE": "placement:resource_classes:delete",
    }

    def check_media_types(self, request: Request) -> None:
        # Since PUT creates a class it has no body.
        if not (request.method == "PUT" and self.microversion >= features.PUT_CREATES_CLASS):
            super().check_media_types(request)

    def retrieve(self, request: Request, name: str) -> HttpResponse:
        resource_class = resource_classes.get(name=name)
        return self.answer(
            _document(resource_class),
            last_modified=modified_now() if resource_class.is_standard else resource_class.updated_at,
        )

    def update(self, request: Request, name: str) -> HttpResponse:
        if self.microversion < features.PUT_CREATES_CLASS:
            body = self.body(schemas.NAMED)
            renamed = resource_classes.rename(name=name, new_name=body["name"], origin=self.origin)
            return self.answer(_document(renamed))
        resource_class, is_new = resource_classes.ensure(
            name=parse.custom_name(name, self.microversion), origin=self.origin
        )
        return self.answer(status=201 if is_new else 204, location=_address(resource_class))

    def destroy(self, request: Request, name: str) -> HttpResponse:
        resource_classes.delete(name=name, origin=self.origin)
        return self.answer(status=204)


def _address(resource_class: ResourceClass) -> str:
    return reverse("placement:resource_class", args=[resource_class.name])


def _document(resource_class: ResourceClass) -> dict[str, Any]:
    return {"name": resource_class.name, "links": [{"rel": "self", "href": _address(resource_class)}]}
