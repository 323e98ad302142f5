"""One cloud with trees, a shared disk and a lone host, and what each kind of request finds in it."""

import pytest

from placement_app.candidates.snapshot import SHARING
from tests.placement.candidates.clouds import Cloud

TREE_OF_CN1 = ["CN1", "NUMA0", "PF0", "NUMA1", "PF1"]
ALL = [*TREE_OF_CN1, "SS", "CN2"]


@pytest.fixture
def cloud() -> Cloud:
    cloud = Cloud()
    cloud.add("CN1", VCPU=8, traits=["COMPUTE_NODE"], aggregates=["X"])
    cloud.add("NUMA0", "CN1", MEMORY_MB=1024, traits=["HW_NUMA_ROOT", "CUSTOM_A"])
    cloud.add("PF0", "NUMA0", SRIOV_NET_VF=4)
    cloud.add("NUMA1", "CN1", MEMORY_MB=1024, traits=["HW_NUMA_ROOT"])
    cloud.add("PF1", "NUMA1", SRIOV_NET_VF=4)
    cloud.add("SS", DISK_GB=100, traits=[SHARING], aggregates=["X"])
    cloud.add("CN2", VCPU=8, MEMORY_MB=1024, DISK_GB=50)
    return cloud


class TestUnsuffixedGroup:
    def test_spreads_over_a_tree_and_the_providers_it_shares(self, cloud):
        query = "resources=VCPU:1,MEMORY_MB:512,DISK_GB:10"

        assert cloud.find(query) == [
            "CN1:VCPU=1 NUMA0:MEMORY_MB=512 SS:DISK_GB=10",
            "CN1:VCPU=1 NUMA1:MEMORY_MB=512 SS:DISK_GB=10",
            "CN2:VCPU=1,MEMORY_MB=512,DISK_GB=10",
        ]
        assert cloud.summarised(query) == ALL

    def test_takes_all_of_one_provider_where_clients_know_no_trees(self, cloud):
        query = "resources=VCPU:1,MEMORY_MB:512,DISK_GB:10"

        assert cloud.find(query, "1.28") == ["CN2:VCPU=1,MEMORY_MB=512,DISK_GB=10"]
        assert cloud.summarised(query, "1.28") == ["CN2"]

    def test_still_shares_where_clients_know_no_trees(self, cloud):
        query = "resources=VCPU:1,DISK_GB:10"

        assert cloud.find(query, "1.28") == ["CN1:VCPU=1 SS:DISK_GB=10", "CN2:VCPU=1,DISK_GB=10"]
        assert cloud.summarised(query, "1.28") == ["CN1", "SS", "CN2"]

    def test_still_takes_of_one_child_where_clients_know_no_trees(self, cloud):
        query = "resources=MEMORY_MB:1"

        assert cloud.find(query, "1.28") == ["NUMA0:MEMORY_MB=1", "NUMA1:MEMORY_MB=1", "CN2:MEMORY_MB=1"]
        assert cloud.summarised(query, "1.28") == ["NUMA0", "NUMA1", "CN2"]

    def test_offers_what_is_shared_once_and_without_the_trees_that_share_it(self, cloud):
        query = "resources=DISK_GB:10"

        assert cloud.find(query) == ["SS:DISK_GB=10", "CN2:DISK_GB=10"]
        assert cloud.summarised(query) == ["SS", "CN2"]

    def test_in_a_tree_uses_nothing_from_outside_of_it(self, cloud):
        assert cloud.find("resources=VCPU:1,DISK_GB:10&in_tree=NUMA0") == []

    def test_next_to_a_suffixed_one_is_served_for_the_same_anchor(self, cloud):
        query = "resources=VCPU:1&resources1=DISK_GB:10"

        assert cloud.find(query) == ["CN1:VCPU=1 SS:DISK_GB=10; 1→SS", "CN2:VCPU=1,DISK_GB=10; 1→CN2"]
        assert cloud.summarised(query) == ALL

    def test_finds_a_required_trait_on_any_of_the_providers_used(self, cloud):
        query = "resources=VCPU:1,MEMORY_MB:512&required=CUSTOM_A"

        assert cloud.find(query) == ["CN1:VCPU=1 NUMA0:MEMORY_MB=512"]
        assert cloud.summarised(query) == TREE_OF_CN1

    def test_ignores_the_traits_of_providers_that_give_nothing(self, cloud):
        assert cloud.find("resources=VCPU:1&required=CUSTOM_A") == []

    def test_uses_no_provider_with_a_forbidden_trait(self, cloud):
        query = "resources=VCPU:1,MEMORY_MB:512&required=!CUSTOM_A"

        assert cloud.find(query) == ["CN1:VCPU=1 NUMA1:MEMORY_MB=512", "CN2:VCPU=1,MEMORY_MB=512"]
        assert cloud.summarised(query) == [*TREE_OF_CN1, "CN2"]

    def test_is_in_an_aggregate_by_its_root(self, cloud):
        query = "resources=VCPU:1,MEMORY_MB:512&member_of=X"

        assert cloud.find(query) == ["CN1:VCPU=1 NUMA0:MEMORY_MB=512", "CN1:VCPU=1 NUMA1:MEMORY_MB=512"]
        assert cloud.summarised(query) == TREE_OF_CN1


class TestSuffixedGroups:
    def test_are_in_an_aggregate_by_themselves_only(self, cloud):
        assert cloud.find("resources1=MEMORY_MB:512&member_of1=X") == []

    def test_are_on_different_providers_when_isolated(self, cloud):
        query = "resources1=SRIOV_NET_VF:1&resources2=SRIOV_NET_VF:1&group_policy=isolate"

        assert cloud.find(query) == [
            "PF0:SRIOV_NET_VF=1 PF1:SRIOV_NET_VF=1; 1→PF0; 2→PF1",
            "PF1:SRIOV_NET_VF=1 PF0:SRIOV_NET_VF=1; 1→PF1; 2→PF0",
        ]
        assert cloud.summarised(query) == TREE_OF_CN1

    def test_may_share_a_provider_and_add_up_when_not_isolated(self, cloud):
        query = "resources1=SRIOV_NET_VF:1&resources2=SRIOV_NET_VF:1&group_policy=none"

        assert cloud.find(query) == [
            "PF0:SRIOV_NET_VF=2; 1→PF0; 2→PF0",
            "PF0:SRIOV_NET_VF=1 PF1:SRIOV_NET_VF=1; 1→PF0; 2→PF1",
            "PF1:SRIOV_NET_VF=1 PF0:SRIOV_NET_VF=1; 1→PF1; 2→PF0",
            "PF1:SRIOV_NET_VF=2; 1→PF1; 2→PF1",
        ]
        assert cloud.summarised(query) == TREE_OF_CN1

    def test_share_a_provider_only_if_the_sum_fits(self, cloud):
        query = "resources1=SRIOV_NET_VF:3&resources2=SRIOV_NET_VF:3&group_policy=none"

        assert cloud.find(query) == [
            "PF0:SRIOV_NET_VF=3 PF1:SRIOV_NET_VF=3; 1→PF0; 2→PF1",
            "PF1:SRIOV_NET_VF=3 PF0:SRIOV_NET_VF=3; 1→PF1; 2→PF0",
        ]
        assert cloud.summarised(query) == TREE_OF_CN1

    def test_add_up_afresh_for_each_candidate(self, cloud):
        query = "resources=VCPU:1,MEMORY_MB:512&resources1=MEMORY_MB:600"

        assert cloud.find(query) == [
            "CN1:VCPU=1 NUMA0:MEMORY_MB=512 NUMA1:MEMORY_MB=600; 1→NUMA1",
            "CN1:VCPU=1 NUMA1:MEMORY_MB=512 NUMA0:MEMORY_MB=600; 1→NUMA0",
        ]
        assert cloud.summarised(query) == TREE_OF_CN1


class TestSameSubtree:
    def test_pairs_each_device_with_the_memory_above_it(self, cloud):
        query = "resources_M=MEMORY_MB:512&resources_V=SRIOV_NET_VF:1&group_policy=none&same_subtree=_M,_V"

        assert cloud.find(query) == [
            "NUMA0:MEMORY_MB=512 PF0:SRIOV_NET_VF=1; _M→NUMA0; _V→PF0",
            "NUMA1:MEMORY_MB=512 PF1:SRIOV_NET_VF=1; _M→NUMA1; _V→PF1",
        ]
        assert cloud.summarised(query) == TREE_OF_CN1

    def test_ties_in_a_provider_that_gives_nothing(self, cloud):
        query = (
            "resources_C=VCPU:1&resources_V=SRIOV_NET_VF:1&required_N=HW_NUMA_ROOT&group_policy=none&same_subtree=_N,_V"
        )

        assert cloud.find(query) == [
            "CN1:VCPU=1 PF0:SRIOV_NET_VF=1; _C→CN1; _V→PF0; _N→NUMA0",
            "CN1:VCPU=1 PF1:SRIOV_NET_VF=1; _C→CN1; _V→PF1; _N→NUMA1",
        ]
        assert cloud.summarised(query) == TREE_OF_CN1

    def test_minds_what_the_provider_that_gives_nothing_must_not_have(self, cloud):
        query = "resources_V=SRIOV_NET_VF:1&required_N=HW_NUMA_ROOT,!CUSTOM_A&group_policy=none&same_subtree=_N,_V"

        assert cloud.find(query) == ["PF1:SRIOV_NET_VF=1; _V→PF1; _N→NUMA1"]
        assert cloud.summarised(query) == TREE_OF_CN1


class TestRootRequired:
    def test_is_kept_by_any_anchor_that_what_is_shared_could_serve(self, cloud):
        query = "resources=DISK_GB:10&root_required=COMPUTE_NODE"

        assert cloud.find(query) == ["SS:DISK_GB=10"]
        assert cloud.summarised(query) == ["SS"]

    def test_refuses_roots_with_a_forbidden_trait(self, cloud):
        query = "resources=VCPU:1,DISK_GB:10&root_required=!COMPUTE_NODE"

        assert cloud.find(query) == ["CN2:VCPU=1,DISK_GB=10"]
        assert cloud.summarised(query) == ["CN2"]
