"""How one client behaves, against a service that answers what the test says."""

import pytest

from claimsite.replay import claims
from claimsite.replay.claims import End, Manner
from claimsite.replay.client import Answer, Placement, Unknown, Unreachable
from claimsite.replay.trace import Request

REQUEST = Request(name="pod-1", consumer="c1", resources={"VCPU": 4, "MEMORY_MB": 512})
DONE = Answer(204, None, 0.001)
HELD = {"resources": {"VCPU": 4, "MEMORY_MB": 512}}


def candidates(*providers):
    return Answer(
        200,
        {"allocation_requests": [{"allocations": {name: HELD}, "mappings": {"": [name]}} for name in providers]},
        0.002,
    )


def refusal(status=409, code="placement.undefined_code"):
    return Answer(status, {"errors": [{"code": code, "detail": "no"}]}, 0.001)


class Scripted(Placement):
    """Answers in the order given; an exception among them is raised."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.asked = []

    def get(self, path, **query):
        return self._answer("GET", path, query)

    def put(self, path, body):
        return self._answer("PUT", path, body)

    def _answer(self, *asked):
        self.asked.append(asked)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


def serve(*answers, request=REQUEST, **manner):
    placement = Scripted(*answers)
    outcome = claims.serve(placement, request, client=0, manner=Manner(**manner))
    assert placement.answers == []
    return outcome, placement


class TestServingARequest:
    def test_claims_the_first_candidate(self):
        outcome, placement = serve(candidates("p1", "p2"), DONE)

        assert outcome.end is End.CLAIMED
        assert outcome.claims == {"p1": {"VCPU": 4, "MEMORY_MB": 512}}
        (method, path, body) = placement.asked[1]
        assert (method, path) == ("PUT", "/allocations/c1")
        assert body["consumer_generation"] is None
        assert body["mappings"] == {"": ["p1"]}

    def test_asks_for_so_many_candidates_with_the_traits_wanted(self):
        picky = Request(name="pod-1", consumer="c1", resources={"VCPU": 4}, any_of=("CUSTOM_A", "CUSTOM_B"))

        _, placement = serve(candidates(), request=picky, candidates=3)

        assert placement.asked == [
            (
                "GET",
                "/allocation_candidates",
                {"resources": "VCPU:4", "limit": 3, "required": "in:CUSTOM_A,CUSTOM_B"},
            )
        ]

    def test_a_model_that_the_service_does_not_know_is_not_asked_for(self):
        picky = Request(name="pod-1", consumer="c1", resources={"VCPU": 4}, any_of=("CUSTOM_A", "CUSTOM_B"))

        _, placement = serve(candidates(), request=picky, models=frozenset({"CUSTOM_B"}))

        ((_, _, query),) = placement.asked
        assert query["required"] == "in:CUSTOM_B"

    def test_if_it_knows_none_of_the_models_there_is_no_room(self):
        picky = Request(name="pod-1", consumer="c1", resources={"VCPU": 4}, any_of=("CUSTOM_A",))

        outcome, placement = serve(request=picky, models=frozenset())

        assert (outcome.end, placement.asked) == (End.NO_ROOM, [])

    def test_goes_on_to_the_next_candidate_when_the_room_is_gone(self):
        outcome, _ = serve(candidates("p1", "p2"), refusal(), DONE)

        assert (outcome.end, list(outcome.claims), outcome.refused_for_room) == (End.CLAIMED, ["p2"], 1)

    def test_a_concurrent_update_is_counted_apart(self):
        outcome, _ = serve(candidates("p1", "p2"), refusal(code="placement.concurrent_update"), DONE)

        assert (outcome.end, outcome.refused_for_race, outcome.refused_for_room) == (End.CLAIMED, 1, 0)

    def test_searches_again_when_every_candidate_was_taken(self):
        outcome, _ = serve(candidates("p1"), refusal(), candidates("p2"), DONE)

        assert (outcome.end, list(outcome.claims), len(outcome.search_seconds)) == (End.CLAIMED, ["p2"], 2)

    def test_gives_up_after_so_many_searches(self):
        outcome, _ = serve(candidates("p1"), refusal(), candidates("p1"), refusal(), searches=2)

        assert outcome.end is End.OUTRUN

    def test_no_candidate_means_no_room(self):
        outcome, _ = serve(candidates())

        assert (outcome.end, outcome.claims) == (End.NO_ROOM, {})

    @pytest.mark.parametrize("answers", [[refusal(500)], [candidates("p1"), refusal(500)]])
    def test_an_answer_that_nobody_foresaw_is_a_failure(self, answers):
        outcome, _ = serve(*answers)

        assert outcome.end is End.FAILED
        assert "500" in outcome.trouble


class TestALostAnswer:
    def test_a_claim_that_was_done_is_acknowledged_by_looking(self):
        held = Answer(200, {"allocations": {"p1": HELD | {"generation": 3}}}, 0.001)

        outcome, _ = serve(candidates("p1"), Unknown("broken"), held)

        assert (outcome.end, outcome.lost_answers) == (End.CLAIMED, 1)
        assert outcome.claims == {"p1": {"VCPU": 4, "MEMORY_MB": 512}}

    def test_a_claim_that_was_not_done_is_tried_on_the_next_candidate(self):
        nothing = Answer(200, {"allocations": {}}, 0.001)

        outcome, _ = serve(candidates("p1", "p2"), Unknown("broken"), nothing, DONE)

        assert (outcome.end, list(outcome.claims)) == (End.CLAIMED, ["p2"])

    def test_a_claim_that_was_done_after_we_looked_is_found_when_the_next_is_refused(self):
        nothing = Answer(200, {"allocations": {}}, 0.001)
        held = Answer(200, {"allocations": {"p1": HELD}}, 0.001)
        not_new = refusal(code="placement.concurrent_update")

        outcome, _ = serve(candidates("p1", "p2"), Unknown("broken"), nothing, not_new, held)

        assert (outcome.end, list(outcome.claims)) == (End.CLAIMED, ["p1"])

    def test_a_service_that_is_gone_ends_the_replay(self):
        with pytest.raises(Unreachable):
            serve(candidates("p1"), Unknown("broken"), Unreachable("gone"))
