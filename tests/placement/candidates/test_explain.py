"""Why a search finds what it finds, in memory."""

import pytest
from hypothesis import given

from placement_app.candidates import explain
from placement_app.candidates.explain import Explanation, Funnel
from placement_app.candidates.snapshot import SHARING, Stock
from tests.placement.candidates import oracle
from tests.placement.candidates.clouds import Cloud
from tests.placement.candidates.test_against_the_definition import cases, thorough


def explained(cloud: Cloud, query: str, version: str = "1.39") -> Explanation:
    return explain.of_snapshots(cloud.ask(query, version), [cloud.snapshot()])


def funnel(group: Funnel) -> list[tuple[str, str, int, list[str]]]:
    return [(step.condition, step.wants, step.left, step.removed) for step in group.steps]


def whole(explanation: Explanation) -> list[tuple[str, str, int]]:
    return [(step.condition, step.wants, step.left) for step in explanation.whole]


def misses(explanation: Explanation) -> dict[str, list[str]]:
    return {miss.root.name: list(map(str, miss.lacks)) for miss in explanation.nearest}


@pytest.fixture
def hosts() -> Cloud:
    cloud = Cloud()
    cloud.add("free", VCPU=16, traits=["HW_CPU_X86_AVX2"], aggregates=["X"])
    cloud.add("busy", VCPU=Stock(16, used=10), traits=["HW_CPU_X86_AVX2"], aggregates=["X"])
    cloud.add("coarse", VCPU=Stock(16, step_size=3), traits=["HW_CPU_X86_AVX2"], aggregates=["X"])
    cloud.add("plain", VCPU=16, aggregates=["X"])
    cloud.add("marked", VCPU=16, traits=["HW_CPU_X86_AVX2", "CUSTOM_BAD"], aggregates=["X"])
    cloud.add("outside", VCPU=16, traits=["HW_CPU_X86_AVX2"])
    cloud.add("storage", DISK_GB=100)
    return cloud


class TestFunnelOfAGroup:
    def test_counts_who_is_left_after_each_condition_and_names_who_went(self, hosts):
        explanation = explained(hosts, "resources_A=VCPU:8&required_A=HW_CPU_X86_AVX2,!CUSTOM_BAD&member_of_A=X")

        (group,) = explanation.groups
        assert (group.suffix, group.wants) == ("_A", "resources_A=VCPU:8")
        assert [step[:1] + step[2:] for step in funnel(group)] == [
            ("inventory", 6, ["storage"]),
            ("capacity", 5, ["busy"]),
            ("units", 4, ["coarse"]),
            ("required", 3, ["plain"]),
            ("required", 2, ["marked"]),
            ("member_of", 1, ["outside"]),
        ]
        assert [step[1] for step in funnel(group)[:5]] == [
            *("VCPU", "VCPU:8", "VCPU:8", "HW_CPU_X86_AVX2", "!CUSTOM_BAD")
        ]

    def test_names_only_a_few_of_many(self):
        cloud = Cloud()
        for number in range(10):
            cloud.add(f"host{number}", VCPU=1)

        (group,) = explained(cloud, "resources=VCPU:2").groups

        assert funnel(group)[1] == ("capacity", "VCPU:2", 0, ["host0", "host1", "host2"])

    def test_follows_each_class_of_the_unsuffixed_group_by_itself(self, hosts):
        explanation = explained(hosts, "resources=VCPU:8,DISK_GB:10")

        assert [(group.wants, group.steps[-1].left) for group in explanation.groups] == [
            ("resources=VCPU:8", 4),
            ("resources=DISK_GB:10", 1),
        ]


class TestWhole:
    def test_counts_the_roots_that_are_left(self, hosts):
        explanation = explained(hosts, "resources=VCPU:8&root_required=HW_CPU_X86_AVX2")

        assert (explanation.providers, explanation.roots) == (7, 7)
        assert whole(explanation) == [
            ("root_required", "HW_CPU_X86_AVX2", 5),
            ("served", "resources=VCPU:8", 3),
        ]
        assert explanation.roots_with_candidates == 3

    def test_tells_which_rule_between_groups_is_to_blame(self):
        cloud = Cloud()
        cloud.add("host", VCPU=8)
        for number in range(2):
            cloud.add(f"numa{number}", "host", MEMORY_MB=1024)
            cloud.add(f"pf{number}", f"numa{number}", SRIOV_NET_VF=Stock(1, used=number))
        apart = "resources_M=MEMORY_MB:1&resources_V=SRIOV_NET_VF:1&required_V=!CUSTOM_NO&same_subtree=_M,_V"

        isolated = explained(cloud, "resources_A=SRIOV_NET_VF:1&resources_B=SRIOV_NET_VF:1&group_policy=isolate")
        summed = explained(cloud, "resources_A=SRIOV_NET_VF:1&resources_B=SRIOV_NET_VF:1&group_policy=none")
        flat = explained(cloud, "resources=VCPU:1,MEMORY_MB:1", version="1.28")
        kept = explained(cloud, f"{apart}&group_policy=none")

        assert misses(isolated) == {"host": ["host lacks together group_policy=isolate"]}
        assert misses(summed) == {"host": ["host lacks together room for all groups that take SRIOV_NET_VF"]}
        assert misses(flat) == {"host": ["host lacks together one provider of a tree"]}
        assert misses(kept) == {}
        assert whole(kept)[-1] == ("together", "same_subtree=_M,_V", 1)

    @thorough
    @given(cases())
    def test_leaves_just_the_roots_that_have_candidates(self, case):
        cloud, request = case

        explanation = explain.of_snapshots(request, [cloud.snapshot()])

        with_candidates = [
            anchor
            for anchor in cloud.members()
            if anchor.parent_uuid is None
            and any(
                oracle.keeps_every_rule(request, served, anchor, cloud.members())
                for served in oracle.combinations(request, cloud.members())
            )
        ]
        assert explanation.roots_with_candidates == len(with_candidates)
        assert not {miss.root.name for miss in explanation.nearest} & {anchor.name for anchor in with_candidates}


class TestNearestMisses:
    def test_come_in_order_of_how_little_they_lack(self):
        cloud = Cloud()
        cloud.add("nothing")
        cloud.add("small", VCPU=4, MEMORY_MB=64)
        cloud.add("nearly", VCPU=7, MEMORY_MB=64)
        cloud.add("used-up", VCPU=Stock(8, used=8), MEMORY_MB=64)

        explanation = explained(cloud, "resources=VCPU:8,MEMORY_MB:64")

        assert misses(explanation) == {
            "nearly": ["nearly lacks capacity VCPU:8: 7 free of 7"],
            "small": ["small lacks capacity VCPU:8: 4 free of 4"],
            "used-up": ["used-up lacks capacity VCPU:8: 0 free of 8"],
            "nothing": [
                "nothing lacks inventory VCPU",
                "nothing lacks inventory MEMORY_MB",
            ],
        }

    def test_name_the_provider_of_the_tree_that_comes_closest(self):
        cloud = Cloud()
        cloud.add("host", VCPU=8, aggregates=["X"])
        cloud.add("pf0", "host", SRIOV_NET_VF=Stock(8, used=8), traits=["CUSTOM_FAST"])
        cloud.add("pf1", "host", SRIOV_NET_VF=8)
        cloud.add("shared", SRIOV_NET_VF=1, traits=[SHARING], aggregates=["X"])

        explanation = explained(cloud, "resources=VCPU:1&resources_V=SRIOV_NET_VF:4&required_V=CUSTOM_FAST")

        assert misses(explanation)["host"] == ["pf1 lacks required CUSTOM_FAST"]

    def test_whoever_has_the_class_comes_before_whoever_lacks_it(self):
        cloud = Cloud()
        for number in range(5):
            cloud.add(f"other{number}", VCPU=8)
        cloud.add("full", CUSTOM_CHUC=Stock(1, used=1))

        explanation = explained(cloud, "resources=CUSTOM_CHUC:1")

        assert next(iter(misses(explanation))) == "full"
        assert explanation.most_free == {"CUSTOM_CHUC": (0, "full")}

    def test_an_amount_too_large_in_two_ways_is_one_lack(self):
        cloud = Cloud()
        cloud.add("reserved", VCPU=Stock(512, reserved=512))
        cloud.add("half", VCPU=Stock(128, used=24, max_unit=128))
        cloud.add("whole", VCPU=Stock(128, max_unit=128))

        explanation = explained(cloud, "resources=VCPU:500")

        assert list(misses(explanation)) == ["whole", "half", "reserved"]
        assert misses(explanation)["reserved"] == ["reserved lacks capacity VCPU:500: 0 free of 0, 512 of 512 reserved"]
        assert explanation.most_free == {"VCPU": (128, "whole")}

    def test_name_the_root_once(self):
        cloud = Cloud()
        cloud.add("host", VCPU=Stock(16, max_unit=16))
        cloud.add("pf", "host", SRIOV_NET_VF=1)

        own, child = (explained(cloud, query).nearest[0] for query in ("resources=VCPU:20", "resources=SRIOV_NET_VF:2"))

        assert str(own) == (
            "host lacks capacity VCPU:20: 16 free of 16; lacks units VCPU:20: min_unit 1, max_unit 16, step_size 1"
        )
        assert str(child) == "host: pf lacks capacity SRIOV_NET_VF:2: 1 free of 1"

    def test_tell_units_by_their_numbers(self):
        cloud = Cloud()
        cloud.add("host", VCPU=Stock(16, min_unit=2, max_unit=4, step_size=2))

        assert misses(explained(cloud, "resources=VCPU:5")) == {
            "host": ["host lacks units VCPU:5: min_unit 2, max_unit 4, step_size 2"]
        }

    def test_are_no_more_than_a_few(self):
        cloud = Cloud()
        for number in range(20):
            cloud.add(f"host{number}", VCPU=number + 1)

        explanation = explained(cloud, "resources=VCPU:100")

        assert list(misses(explanation)) == ["host19", "host18", "host17", "host16", "host15"]
