"""The query of GET /allocation_candidates, asked by people: from its text to what is searched for."""

from __future__ import annotations

from urllib.parse import urlsplit

from claimsite.foundation.openstack.bodies import InvalidQuery, parse_query
from placement_app.api import features
from placement_app.api.errors import Refusal
from placement_app.api.parse import candidates as parse
from placement_app.api.parse.queries import Grammar
from placement_app.api.schemas import candidates as schemas
from placement_app.candidates.request import SearchRequest


class Unreadable(Exception):
    """The text is no query that the newest version understands; says why."""


def request_of(text: str) -> SearchRequest:
    """What the query asks for. A whole address will do: what stands before its ``?`` is left out. Raises Unreadable."""
    query = urlsplit(text.strip()).query if "?" in text else text.strip()
    try:
        values = parse_query(query, schemas.QUERY.at(features.NEWEST))
        return parse.search_request(values, Grammar.of(features.NEWEST))
    except (InvalidQuery, Refusal) as error:
        raise Unreadable(str(error)) from error
