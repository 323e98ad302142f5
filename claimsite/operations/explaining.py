"""The query of GET /allocation_candidates, asked by people: from its text to what is searched for."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from claimsite.foundation.openstack.bodies import InvalidQuery, parse_query
from placement_app.api import features
from placement_app.api.errors import Refusal
from placement_app.api.parse import candidates as parse
from placement_app.api.parse.queries import Grammar
from placement_app.api.schemas import candidates as schemas
from placement_app.candidates.request import SearchRequest

_AMOUNT = re.compile(r"(?P<class>[A-Z][A-Z0-9_]*)(?:\s*[:=]\s*|\s+)(?P<amount>\d+)", re.ASCII)
_AMOUNT_FIRST = re.compile(r"(?P<amount>\d+)\s*[*x]?\s*(?P<class>[A-Z][A-Z0-9_]*)", re.ASCII)


class Unreadable(Exception):
    """The text is no query that the newest version understands; says why."""


def amounts_meant(text: str) -> str:
    """As a query says it, of amounts that are spelt otherwise, such as ``500 VCPU``; empty if it is anything else."""
    found = []
    for part in text.replace(",", " , ").split(" , "):
        amount = _AMOUNT.fullmatch(part.strip()) or _AMOUNT_FIRST.fullmatch(part.strip())
        if amount is None:
            return ""
        found.append(f"{amount['class']}:{amount['amount']}")
    return ",".join(found)


def request_of(text: str) -> SearchRequest:
    """What the query asks for. A whole address will do: what stands before its ``?`` is left out. Raises Unreadable."""
    query = urlsplit(text.strip()).query if "?" in text else text.strip()
    if (meant := amounts_meant(query)) or "=" not in query:
        raise Unreadable(f"This is no query: write resources={meant or 'VCPU:4'}")
    try:
        values = parse_query(query, schemas.QUERY.at(features.NEWEST))
        return parse.search_request(values, Grammar.of(features.NEWEST))
    except InvalidQuery as error:
        raise Unreadable(_without_schema(str(error))) from error
    except Refusal as error:
        raise Unreadable(str(error)) from error


def _without_schema(complaint: str) -> str:
    """What clients match on tells programs the rule; people need to know what broke it."""
    said = complaint.partition("Failed validating")[0].rstrip()
    return re.sub(r" do(?:es)? not match any of the regexes.*", ": no such parameter", said)
