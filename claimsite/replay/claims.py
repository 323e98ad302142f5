"""How one client serves one request: look, claim the first that fits, go on to the next when told no."""

from __future__ import annotations

import dataclasses
import enum
import time
from collections.abc import Mapping
from typing import Any

from claimsite.replay.client import Answer, Placement, Unknown, Unreachable
from claimsite.replay.trace import Request

CONCURRENT_UPDATE = "placement.concurrent_update"
PROJECT = "claimsite-replay"
USER = "replay"
CONSUMER_TYPE = "REPLAY"


Claims = dict[str, dict[str, int]]
"""What a consumer holds: provider → resource class → amount."""


class End(enum.StrEnum):
    """How a request ended."""

    CLAIMED = "claimed"
    NO_ROOM = "no_room"
    """The service knew no candidate."""
    OUTRUN = "outrun"
    """There were candidates, each time, and others were faster at every one of them."""
    FAILED = "failed"
    """An answer that the protocol does not foresee here."""


@dataclasses.dataclass(slots=True)
class Outcome:
    """What became of one request. Times are of ``time.perf_counter``, durations in seconds."""

    request: Request
    client: int
    end: End = End.FAILED
    claims: Claims = dataclasses.field(default_factory=dict)
    """What was acknowledged."""
    searched_at: float = 0.0
    """When the search that led to the claim was sent."""
    ended_at: float = 0.0
    search_seconds: list[float] = dataclasses.field(default_factory=list)
    claim_seconds: list[float] = dataclasses.field(default_factory=list)
    refused_for_room: int = 0
    """Claims refused because somebody else took the room since the search."""
    refused_for_race: int = 0
    """Claims refused as concurrent updates: the server's own retries were spent."""
    lost_answers: int = 0
    """Claims whose answer was lost underway, so that their fate had to be looked up."""
    busy: int = 0
    trouble: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class Manner:
    """How a client goes about it: how many candidates to ask for at once, how many searches to spend on a request."""

    candidates: int = 5
    searches: int = 4
    models: frozenset[str] | None = None
    """The GPU models' traits that the service knows, for it refuses to search for others; None: not asked."""


def serve(placement: Placement, request: Request, *, client: int, manner: Manner) -> Outcome:
    """One request from search to end. Raises Unreachable when the service is gone."""
    outcome = Outcome(request=request, client=client)
    for _ in range(manner.searches):
        outcome.searched_at = time.perf_counter()
        answer = _search(placement, request, manner)
        outcome.search_seconds.append(answer.seconds)
        outcome.busy += answer.busy
        if answer.status != 200:
            return _failed(outcome, "search", answer)
        found = answer.document["allocation_requests"]
        if not found:
            return _ended(outcome, End.NO_ROOM)
        for candidate in found:
            if _claim(placement, outcome, candidate):
                return outcome
    return _ended(outcome, End.OUTRUN)


def _search(placement: Placement, request: Request, manner: Manner) -> Answer:
    query: dict[str, str | int | list[str]] = {"resources": wanted(request.resources), "limit": manner.candidates}
    if request.any_of:
        known = [trait for trait in request.any_of if manner.models is None or trait in manner.models]
        if not known:
            return Answer(200, {"allocation_requests": []}, 0.0)
        query["required"] = f"in:{','.join(known)}"
    return placement.get("/allocation_candidates", **query)


def wanted(resources: Mapping[str, int]) -> str:
    """The ``resources`` parameter of a search."""
    return ",".join(f"{name}:{amount}" for name, amount in resources.items())


def _claim(placement: Placement, outcome: Outcome, candidate: dict[str, Any]) -> bool:
    """Whether the request has come to its end."""
    body = {
        **candidate,
        "project_id": PROJECT,
        "user_id": USER,
        "consumer_type": CONSUMER_TYPE,
        # "This consumer is new": true however often we were refused, since a refusal leaves no trace.
        "consumer_generation": None,
    }
    path = f"/allocations/{outcome.request.consumer}"
    try:
        answer = placement.put(path, body)
    except Unknown:
        outcome.lost_answers += 1
        return _is_held(placement, outcome, path)
    outcome.claim_seconds.append(answer.seconds)
    outcome.busy += answer.busy
    if answer.status == 204:
        outcome.claims = claims_of(candidate["allocations"])
        _ended(outcome, End.CLAIMED)
        return True
    if answer.status != 409:
        _failed(outcome, "claim", answer)
        return True
    if answer.code != CONCURRENT_UPDATE:
        outcome.refused_for_room += 1
        return False
    outcome.refused_for_race += 1
    # A claim whose answer was lost may have been done after we looked; then the consumer is no longer new.
    return bool(outcome.lost_answers) and _is_held(placement, outcome, path)


def _is_held(placement: Placement, outcome: Outcome, path: str) -> bool:
    """Whether a claim whose answer was lost was done after all: then the request has come to its end."""
    answer = placement.get(path)
    if answer.status != 200:
        raise Unreachable(f"GET {path}: {answer.status} {answer.detail}")
    outcome.claims = claims_of(answer.document["allocations"])
    if outcome.claims:
        _ended(outcome, End.CLAIMED)
    return bool(outcome.claims)


def claims_of(allocations: Mapping[str, Any]) -> Claims:
    """From the protocol's ``allocations`` object, of a request or of an answer."""
    return {provider: dict(claimed["resources"]) for provider, claimed in allocations.items()}


def _ended(outcome: Outcome, end: End) -> Outcome:
    outcome.end = end
    outcome.ended_at = time.perf_counter()
    return outcome


def _failed(outcome: Outcome, what: str, answer: Answer) -> Outcome:
    outcome.trouble = f"{what}: {answer.status} {answer.code} {answer.detail}".strip()
    return _ended(outcome, End.FAILED)
