from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.http import HttpResponse
from rest_framework.request import Request

from placement_app.api import features
from placement_app.api.render import usages as render
from placement_app.api.schemas import usages as schemas
from placement_app.api.viewsets.base import PlacementViewSet, modified_now
from placement_app.services import inventories, usages


class ProviderUsageViewSet(PlacementViewSet):
    rules = {"GET": "placement:resource_providers:usages"}

    def list(self, request: Request, uuid: str) -> HttpResponse:
        return self.answer(
            render.of_provider(*inventories.of_provider(provider=uuid)),
            last_modified=modified_now(),
        )


class UsageViewSet(PlacementViewSet):
    since = {"GET": features.USAGES}
    rules = {"GET": "placement:usages"}

    def policy_target(self, request: Request) -> Mapping[str, Any]:
        """The project that is asked about, not that of the caller: readers may only ask about their own."""
        return {"project_id": request.query_params.get("project_id")}

    def list(self, request: Request) -> HttpResponse:
        query = self.query(schemas.QUERY)
        whose = {name: query[name][-1] for name in ("project_id", "user_id") if name in query}
        if self.microversion < features.CONSUMER_TYPE:
            document = {"usages": usages.of_project(**whose)}
        else:
            asked_for = query["consumer_type"][-1] if "consumer_type" in query else None
            document = render.by_consumer_type(usages.by_consumer_type(**whose), asked_for)
        return self.answer(document, last_modified=modified_now())
