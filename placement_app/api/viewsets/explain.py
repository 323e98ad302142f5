from __future__ import annotations

from django.http import HttpResponse
from rest_framework.request import Request

from placement_app.api import features
from placement_app.api.parse import candidates as parse
from placement_app.api.parse.queries import Grammar
from placement_app.api.render import explain as render
from placement_app.api.schemas import candidates as schemas
from placement_app.api.viewsets.base import PlacementViewSet, modified_now
from placement_app.candidates import explain


class ExplainedCandidateViewSet(PlacementViewSet):
    """GET /explain/allocation_candidates: why a search finds what it finds. An addition of this site.

    It takes the query of GET /allocation_candidates. A limit is checked and then of no consequence: everything is
    counted.
    """

    since = {"GET": features.CANDIDATES}
    rules = {"GET": "placement:allocation_candidates:list"}

    def list(self, request: Request) -> HttpResponse:
        query = self.query(schemas.QUERY)
        parse.limit(query)
        wanted = parse.search_request(query, Grammar.of(self.microversion))
        return self.answer(render.explanation(explain.explain(wanted)), last_modified=modified_now())
