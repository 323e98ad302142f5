from __future__ import annotations

import functools

from django.http import HttpResponse
from rest_framework.request import Request

from claimsite.foundation.openstack import bodies
from claimsite.foundation.openstack.microversion import Microversion
from placement_app.api import features
from placement_app.api.parse import candidates as parse
from placement_app.api.parse.queries import Grammar
from placement_app.api.render import candidates as render
from placement_app.api.schemas import candidates as schemas
from placement_app.api.viewsets.base import PlacementViewSet, modified_now
from placement_app.candidates import search
from placement_app.candidates.limits import Bounds
from placement_app.candidates.request import SearchRequest

CUT_SHORT = "x-claimsite-cut-short"
"""Says that the search ended for the server's sake, so that there may be more than the answer shows."""


@functools.lru_cache(maxsize=200)
def asked(query: str, version: Microversion) -> tuple[SearchRequest, int | None]:
    """What is searched, and how many of it: the same for all servers of a flavor. Raises InvalidQuery, Refusal."""
    values = bodies.parse_query(query, schemas.QUERY.at(version))
    return parse.search_request(values, Grammar.of(version)), parse.limit(values)


class AllocationCandidateViewSet(PlacementViewSet):
    """GET /allocation_candidates: where a claim would fit now."""

    since = {"GET": features.CANDIDATES}
    rules = {"GET": "placement:allocation_candidates:list"}

    def list(self, request: Request) -> HttpResponse:
        wanted, limit = asked(request.META.get("QUERY_STRING", ""), self.microversion)
        result = search.find(wanted, Bounds.of_site(limit))
        response = self.answer(render.answer(wanted, result, self.microversion), last_modified=modified_now())
        if not result.is_complete:
            response.headers[CUT_SHORT] = "true"
        return response
