from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from rest_framework.request import Request

from claimsite.foundation.openstack.microversion import Microversion
from ironic_app.api import features
from ironic_app.api.viewsets.base import OpenViewSet

MANUAL = "https://docs.openstack.org/ironic/latest/contributor/webapi.html"
COLLECTIONS: dict[str, Microversion] = {
    "chassis": features.BASE,
    "nodes": features.BASE,
    "ports": features.BASE,
    "drivers": features.BASE,
    "lookup": features.LOOKUP,
    "heartbeat": features.LOOKUP,
    "portgroups": features.PORTGROUPS,
    "volume": features.VOLUMES,
    "conductors": features.CONDUCTORS,
    "allocations": features.ALLOCATIONS,
    "events": features.EVENTS,
    "deploy_templates": features.DEPLOY_TEMPLATES,
    "shards": features.SHARD,
    "continue_inspection": features.CONTINUE_INSPECTION,
    "runbooks": features.RUNBOOKS,
    "inspection_rules": features.INSPECTION_RULES,
}


class DocumentViewSet(OpenViewSet):
    """Clients read it to find out what they may ask for."""

    def version_document(self) -> dict[str, Any]:
        return {
            "id": "v1",
            "links": [{"href": f"{self.base_url}/v1/", "rel": "self"}],
            "status": "CURRENT",
            "min_version": str(features.OLDEST),
            "version": str(features.NEWEST),
        }


class RootViewSet(DocumentViewSet):
    """Which versions there are. It is asked before a version is settled, so what the headers say does not matter."""

    def check_version(self, request: Request) -> None:
        self.microversion = features.OLDEST

    def retrieve(self, request: Request, **_: Any) -> HttpResponse:
        version = self.version_document()
        return self.answer(
            {
                "name": "OpenStack Ironic API",
                "description": "Bare-metal nodes and who has them.",
                "default_version": version,
                "versions": [version],
            }
        )


class V1ViewSet(DocumentViewSet):
    """What version 1 consists of, at the microversion that the request speaks."""

    def retrieve(self, request: Request, **_: Any) -> HttpResponse:
        document = {
            "id": "v1",
            "links": [
                {"href": f"{self.base_url}/v1/", "rel": "self"},
                {"href": MANUAL, "rel": "describedby", "type": "text/html"},
            ],
            "media_types": {"base": "application/json", "type": "application/vnd.openstack.ironic.v1+json"},
            "version": self.version_document(),
        }
        for name, since in COLLECTIONS.items():
            if self.has(since):
                document[name] = [
                    {"href": f"{self.base_url}/v1/{name}/", "rel": "self"},
                    {"href": f"{self.base_url}/{name}/", "rel": "bookmark"},
                ]
        return self.answer(document)
