"""What a search costs: bounded by what is asked for, not by how many ways there are (LP #2070257)."""

import itertools
import random
import time
import tracemalloc

import pytest

from placement_app.candidates import merge
from placement_app.candidates.groups import Plan
from placement_app.candidates.limits import Bounds
from placement_app.candidates.merge import Patience
from placement_app.candidates.snapshot import SHARING
from tests.placement.candidates.clouds import Cloud


def wide_cloud(roots: int, children: int = 8) -> Cloud:
    cloud = Cloud()
    for number in range(roots):
        cloud.add(f"host{number}")
        for child in range(children):
            cloud.add(f"host{number}-dev{child}", f"host{number}", CUSTOM_DEV=1)
    return cloud


def like_groups(count: int, policy: str = "none") -> str:
    return "&".join(f"resources_{number}=CUSTOM_DEV:1" for number in range(count)) + f"&group_policy={policy}"


class TestWideTree:
    def test_has_as_many_candidates_as_there_are_ways_to_choose_and_order_devices(self):
        result = wide_cloud(roots=1).result(like_groups(6), bounds=Bounds(most=None))

        assert len(result.candidates) == 20_160
        assert result.is_complete

    def test_gives_ten_of_them_without_making_the_rest(self):
        cloud = wide_cloud(roots=10)
        tracemalloc.start()
        started = time.perf_counter()

        result = cloud.result(like_groups(6), bounds=Bounds(limit=10))

        seconds, peak = time.perf_counter() - started, tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert len(result.candidates) == 10
        assert seconds < 0.5
        assert peak < 2_000_000

    def test_names_as_many_hosts_as_it_can_in_a_short_answer(self):
        cloud = wide_cloud(roots=4)

        by_turns = cloud.result(like_groups(2), bounds=Bounds(limit=6))
        in_depth = cloud.result(like_groups(2), bounds=Bounds(limit=6, breadth_first=False))

        assert [candidate.anchor.name for candidate in by_turns.candidates] == [
            *("host0", "host0", "host1", "host1", "host2", "host3")
        ]
        assert {candidate.anchor.name for candidate in in_depth.candidates} == {"host0"}


class TestMostCandidates:
    def test_ends_a_search_and_says_so(self):
        result = wide_cloud(roots=1).result(like_groups(6), bounds=Bounds(most=1000))

        assert len(result.candidates) == 1000
        assert not result.is_complete

    def test_is_no_matter_to_a_client_that_wants_fewer(self):
        result = wide_cloud(roots=1).result(like_groups(6), bounds=Bounds(limit=10, most=1000))

        assert result.is_complete


class TestSample:
    def test_draws_from_all_candidates_with_equal_chance(self):
        cloud = wide_cloud(roots=5, children=1)
        drawn = dict.fromkeys((f"host{number}" for number in range(5)), 0)
        source = random.Random(7)

        for _ in range(1000):
            result = cloud.result("resources=CUSTOM_DEV:1", bounds=Bounds(limit=2, sample=source))
            for candidate in result.candidates:
                drawn[candidate.anchor.name] += 1

        assert all(350 < times < 450 for times in drawn.values())

    def test_takes_only_the_trees_of_the_drawn(self):
        bounds = Bounds(limit=2, sample=random.Random(7))

        result = wide_cloud(roots=5, children=1).result("resources=CUSTOM_DEV:1", bounds=bounds)

        assert [tree.root for tree in result.trees] == [candidate.anchor for candidate in result.candidates]


class TestHopelessRequests:
    @pytest.mark.parametrize("policy", ["none", "isolate"])
    def test_end_at_once_where_each_order_would_have_to_be_tried(self, policy):
        cloud = wide_cloud(roots=50, children=11)
        started = time.perf_counter()

        result = cloud.result(like_groups(12, policy))

        assert result.candidates == []
        assert result.is_complete
        assert time.perf_counter() - started < 1

    def test_end_at_once_where_only_the_first_choices_are_to_blame(self):
        """The first group may take the only device that one of the later ones can take."""
        cloud = Cloud()
        cloud.add("host")
        for number in range(10):
            traits = ["HW_GPU_API_VULKAN"] if number == 0 else ["HW_NIC_SRIOV"]
            cloud.add(f"dev{number}", "host", CUSTOM_DEV=1, traits=traits)
        others = "&".join(f"resources_{number}=CUSTOM_DEV:1&required_{number}=HW_NIC_SRIOV" for number in range(9))
        query = f"resources_any=CUSTOM_DEV:1&{others}&group_policy=isolate"
        started = time.perf_counter()

        result = cloud.result(query, bounds=Bounds(limit=1))

        assert result.candidates[0].mappings["_any"][0].name == "dev0"
        assert time.perf_counter() - started < 1

    def test_are_given_up_when_they_are_puzzles_and_other_hosts_get_their_turn(self, monkeypatch):
        monkeypatch.setattr(merge.Effort, "MOST", 1000)
        cloud = Cloud()
        cloud.add("puzzle")
        for number in range(8):
            cloud.add(f"puzzle-dev{number}", "puzzle", CUSTOM_DEV=10)
        cloud.add("host")
        cloud.add("host-dev", "host", CUSTOM_DEV=1000)
        # Sixteen pieces of 6 and 5: seats for each piece by itself, no two of 6 together, and the sum is too much.
        pieces = "&".join(f"resources_{number}=CUSTOM_DEV:{amount}" for number, amount in enumerate([5] * 8 + [6] * 8))

        result = cloud.result(f"{pieces}&group_policy=none")

        assert [candidate.anchor.name for candidate in result.candidates] == ["host"]
        assert not result.is_complete


class TestAssignments:
    def test_are_made_one_at_a_time(self):
        cloud = wide_cloud(roots=1, children=60)
        plan = Plan.of(cloud.ask(like_groups(20)))
        anchor = next(iter(cloud.snapshot().anchors()))

        first = list(itertools.islice(merge.assignments(plan, anchor, Patience()), 5))

        assert len(set(first)) == 5


class TestSharedOnly:
    def test_is_found_once_for_any_number_of_hosts(self):
        cloud = Cloud()
        cloud.add("storage", DISK_GB=100, traits=[SHARING], aggregates=["X"])
        for number in range(50):
            cloud.add(f"host{number}", VCPU=1, aggregates=["X"])

        assert cloud.find("resources=DISK_GB:1") == ["storage:DISK_GB=1"]
        assert len(cloud.find("resources=DISK_GB:1,VCPU:1")) == 50
