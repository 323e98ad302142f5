from __future__ import annotations

from django.http import HttpResponse
from rest_framework.request import Request

from placement_app.api import features
from placement_app.api.parse import candidates as parse
from placement_app.api.parse.queries import Grammar
from placement_app.api.render import candidates as render
from placement_app.api.schemas import candidates as schemas
from placement_app.api.viewsets.base import PlacementViewSet, modified_now
from placement_app.candidates import search
from placement_app.candidates.limits import Bounds

CUT_SHORT = "x-claimsite-cut-short"
"""Says that the search ended for the server's sake, so that there may be more than the answer shows."""


class AllocationCandidateViewSet(PlacementViewSet):
    """GET /allocation_candidates: where a claim would fit now."""

    since = {"GET": features.CANDIDATES}
    rules = {"GET": "placement:allocation_candidates:list"}

    def list(self, request: Request) -> HttpResponse:
        query = self.query(schemas.QUERY)
        wanted = parse.search_request(query, Grammar.of(self.microversion))
        result = search.find(wanted, Bounds.of_site(parse.limit(query)))
        response = self.answer(render.answer(wanted, result, self.microversion), last_modified=modified_now())
        if not result.is_complete:
            response.headers[CUT_SHORT] = "true"
        return response
