"""From what was acknowledged and what the service's books say to reasons, figures and the verdict."""

import pytest

from claimsite.replay import invariants, room, summary
from claimsite.replay.claims import End, Outcome
from claimsite.replay.crowd import Replay
from claimsite.replay.survey import Books, Stock
from claimsite.replay.trace import Request


def machine(uuid, *, vcpu, gpu=0, consumers=None, usages=None, model=""):
    consumers = consumers or {}
    sums = {"VCPU": 0, "CUSTOM_GPU_MILLI": 0}
    for resources in consumers.values():
        for name, amount in resources.items():
            sums[name] += amount
    return Books(
        uuid=uuid,
        name=f"name-of-{uuid}",
        stocks={"VCPU": Stock(vcpu), "CUSTOM_GPU_MILLI": Stock(gpu, max_unit=8000)},
        usages=sums if usages is None else usages,
        consumers=consumers,
        gpu_model=model,
    )


def outcome(name, *, provider="", end=End.CLAIMED, at=(0.0, 1.0), any_of=(), **resources):
    searched_at, ended_at = at
    return Outcome(
        request=Request(name=name, consumer=name, resources=resources, any_of=any_of),
        client=0,
        end=end,
        claims={provider: resources} if provider else {},
        searched_at=searched_at,
        ended_at=ended_at,
    )


def broken(books, outcomes, *, consumer_count=None):
    acknowledged = [one for one in outcomes if one.end is End.CLAIMED]
    checked = invariants.check(
        books,
        outcomes,
        consumer_count=len(acknowledged) if consumer_count is None else consumer_count,
        shortages=room.shortages(books, outcomes),
    )
    return {invariant.name: invariant.broken for invariant in checked if not invariant.holds}


class TestTheInvariants:
    def test_hold_when_the_books_are_what_was_acknowledged(self):
        books = [machine("p1", vcpu=4, consumers={"c1": {"VCPU": 3}, "somebody": {"VCPU": 1}})]

        assert broken(books, [outcome("c1", provider="p1", VCPU=3)]) == {}

    def test_see_a_machine_that_gave_more_than_it_has(self):
        books = [machine("p1", vcpu=2, consumers={"c1": {"VCPU": 3}})]

        assert broken(books, [outcome("c1", provider="p1", VCPU=3)]) == {
            "capacity": ["name-of-p1: 3 VCPU used of 2"],
        }

    def test_see_a_usage_that_is_not_the_sum(self):
        books = [machine("p1", vcpu=4, consumers={"c1": {"VCPU": 3}}, usages={"VCPU": 4})]

        assert list(broken(books, [outcome("c1", provider="p1", VCPU=3)])) == ["usages"]

    def test_see_a_lost_claim(self):
        assert list(broken([machine("p1", vcpu=4)], [outcome("c1", provider="p1", VCPU=3)])) == ["acknowledged"]

    def test_see_a_claim_held_twice(self):
        books = [machine(uuid, vcpu=4, consumers={"c1": {"VCPU": 3}}) for uuid in ("p1", "p2")]

        assert list(broken(books, [outcome("c1", provider="p1", VCPU=3)])) == ["acknowledged"]

    def test_see_a_refused_request_that_holds_something(self):
        books = [machine("p1", vcpu=4, consumers={"c1": {"VCPU": 3}})]

        assert list(broken(books, [outcome("c1", end=End.OUTRUN, VCPU=3)])) == ["refused"]

    def test_see_a_consumer_that_holds_nothing(self):
        assert broken([], [], consumer_count=1) == {"consumers": ["1 consumers counted, 0 acknowledged"]}

    def test_see_an_answer_that_nobody_foresaw(self):
        failed = outcome("c1", end=End.FAILED, VCPU=3)
        failed.trouble = "claim: 500"

        assert broken([], [failed]) == {"answers": ["c1: claim: 500"]}

    def test_see_a_search_that_overlooked_a_machine(self):
        assert broken([machine("p1", vcpu=4)], [outcome("c1", end=End.NO_ROOM, VCPU=3)]) == {
            "searches": ["c1: no candidate, though name-of-p1 had room"],
        }


class TestTheReasonForNoRoom:
    def test_is_the_class_of_which_no_machine_had_enough(self):
        books = [machine("p1", vcpu=4, gpu=500)]
        refused = outcome("c1", end=End.NO_ROOM, VCPU=1, CUSTOM_GPU_MILLI=600)

        assert room.shortages(books, [refused])["c1"].lacking == ("CUSTOM_GPU_MILLI",)

    def test_is_nothing_by_itself_when_the_classes_are_free_on_different_machines(self):
        books = [machine("p1", vcpu=4), machine("p2", vcpu=0, gpu=1000)]
        refused = outcome("c1", end=End.NO_ROOM, VCPU=1, CUSTOM_GPU_MILLI=600)

        assert room.shortages(books, [refused])["c1"] == room.Shortage(lacking=())

    def test_is_told_of_the_moment_of_the_refusal_not_of_the_end(self):
        books = [machine("p1", vcpu=4, consumers={"late": {"VCPU": 4}})]
        refused = outcome("c1", end=End.NO_ROOM, at=(0.0, 1.0), VCPU=3)
        late = outcome("late", provider="p1", at=(2.0, 3.0), VCPU=4)

        assert room.shortages(books, [late, refused])["c1"].machine == "name-of-p1"

    def test_counts_a_claim_that_was_underway_as_made(self):
        books = [machine("p1", vcpu=4, consumers={"underway": {"VCPU": 4}})]
        refused = outcome("c1", end=End.NO_ROOM, at=(1.0, 2.0), VCPU=3)
        underway = outcome("underway", provider="p1", at=(0.5, 3.0), VCPU=4)

        assert room.shortages(books, [underway, refused])["c1"].lacking == ("VCPU",)

    def test_looks_only_at_machines_of_the_models_asked_for(self):
        books = [machine("p1", vcpu=4, model="T4")]
        refused = outcome("c1", end=End.NO_ROOM, any_of=("CUSTOM_GPU_MODEL_A10",), VCPU=1)

        assert room.shortages(books, [refused])["c1"] == room.Shortage(lacking=("VCPU",))

    def test_a_portion_that_the_machine_never_gives_is_lacking(self):
        books = [machine("p1", vcpu=4, gpu=16000)]
        refused = outcome("c1", end=End.NO_ROOM, CUSTOM_GPU_MILLI=9000)

        assert room.shortages(books, [refused])["c1"].lacking == ("CUSTOM_GPU_MILLI",)


class TestTheSummary:
    def test_counts_ends_and_reasons(self):
        books = [machine("p1", vcpu=4, consumers={"c1": {"VCPU": 3}})]
        outcomes = [
            outcome("c1", provider="p1", VCPU=3),
            outcome("c2", end=End.NO_ROOM, at=(2.0, 3.0), VCPU=3),
            outcome("c3", end=End.OUTRUN, VCPU=3),
        ]

        told = summary.summary(Replay(outcomes, seconds=2.0), books, room.shortages(books, outcomes), [])

        assert (told["served"], told["claimed"], told["claims_per_second"]) == (3, 1, 0.5)
        assert told["refused"] == {"no_room": 1, "no_room_why": {"VCPU": 1}, "outrun": 1, "failed": 0}

    def test_adds_up_how_full_it_is(self):
        books = [
            machine("p1", vcpu=4, gpu=1000, model="T4", consumers={"c1": {"VCPU": 3, "CUSTOM_GPU_MILLI": 250}}),
            machine("p2", vcpu=4, gpu=8000, model="G2"),
            machine("p3", vcpu=4),
        ]

        assert summary.fill(books)[0] == {"resource_class": "VCPU", "used": 3, "capacity": 12}
        assert summary.gpu_models(books) == [
            {"model": "G2", "machines": 1, "used": 0, "capacity": 8000},
            {"model": "T4", "machines": 1, "used": 250, "capacity": 1000},
        ]

    def test_a_claim_raced_if_another_was_acknowledged_on_its_machine_since_its_search(self):
        outcomes = [
            outcome("first", provider="p1", at=(0.0, 1.0), VCPU=1),
            outcome("raced", provider="p1", at=(0.5, 2.0), VCPU=1),
            outcome("elsewhere", provider="p2", at=(0.5, 2.0), VCPU=1),
            outcome("later", provider="p1", at=(2.5, 3.0), VCPU=1),
        ]

        assert summary.changed_since_search(outcomes) == 1

    @pytest.mark.parametrize(
        ("seconds", "expected"),
        [
            ([], {}),
            ([0.005], {"p50": 5.0, "p95": 5.0, "p99": 5.0, "max": 5.0}),
            ([number / 1000 for number in range(1, 101)], {"p50": 50.0, "p95": 95.0, "p99": 99.0, "max": 100.0}),
        ],
    )
    def test_percentiles_are_measured_values(self, seconds, expected):
        assert summary.latency(seconds) == expected
