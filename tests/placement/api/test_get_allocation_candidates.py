"""GET /allocation_candidates, from query to answer. What a search finds is in tests/placement/candidates."""

from __future__ import annotations

import json
import time

import pytest

from claimsite.foundation.uuids import new_uuid
from placement_app.candidates import remembered
from placement_app.candidates.remembered import Memory
from placement_app.models import Allocation
from tests.builders import claim, provider

SHARING, FAST = "MISC_SHARES_VIA_AGGREGATE", "HW_CPU_X86_AVX2"


def ask(api, query: str, **options):
    response = api.get(f"/allocation_candidates?{query}", **options)
    assert response.status_code == 200, response.content
    return response.json()


class TestAllocationRequests:
    @pytest.fixture
    def host(self, db):
        return provider(vcpu=8, memory_mb=64)

    def test_are_lists_at_first(self, api, host):
        found = ask(api, "resources=VCPU:1", version="1.11")

        assert found["allocation_requests"] == [
            {"allocations": [{"resource_provider": {"uuid": host.uuid}, "resources": {"VCPU": 1}}]}
        ]

    def test_are_maps_by_provider_later(self, api, host):
        found = ask(api, "resources=VCPU:1,MEMORY_MB:2", version="1.12")

        assert found["allocation_requests"] == [
            {"allocations": {host.uuid: {"resources": {"VCPU": 1, "MEMORY_MB": 2}}}}
        ]

    def test_say_who_serves_which_group(self, api, host):
        found = ask(api, "resources=VCPU:1&resources_A=MEMORY_MB:2")

        assert found["allocation_requests"] == [
            {
                "allocations": {host.uuid: {"resources": {"VCPU": 1, "MEMORY_MB": 2}}},
                "mappings": {"": [host.uuid], "_A": [host.uuid]},
            }
        ]

    @pytest.mark.parametrize(
        ("version", "owner"),
        [
            ("1.10", {"project_id": "p", "user_id": "u"}),
            ("1.12", {"project_id": "p", "user_id": "u"}),
            ("1.28", {"project_id": "p", "user_id": "u", "consumer_generation": None}),
            ("1.34", {"project_id": "p", "user_id": "u", "consumer_generation": None}),
            ("1.39", {"project_id": "p", "user_id": "u", "consumer_generation": None, "consumer_type": "INSTANCE"}),
        ],
    )
    def test_can_be_claimed_as_they_are(self, api, host, version, owner):
        storage = provider(disk_gb=100, traits=(SHARING,), aggregates=(aggregate := new_uuid(),))
        host.aggregates.create(aggregate_uuid=aggregate)
        wanted = ask(api, "resources=VCPU:1,DISK_GB:5", version=version)["allocation_requests"][0]

        response = api.put(f"/allocations/{new_uuid()}", {**wanted, **owner}, version=version)

        assert response.status_code == 204
        held = {each.provider.uuid: (each.resource_class_id, each.used) for each in Allocation.objects.all()}
        assert held == {host.uuid: ("VCPU", 1), storage.uuid: ("DISK_GB", 5)}

    def test_are_none_where_nothing_fits(self, api, host):
        assert ask(api, "resources=VCPU:9") == {"allocation_requests": [], "provider_summaries": {}}

    def test_follow_what_is_claimed(self, api, host):
        """LP #1619722: a host whose inventory shrank below its use is not offered."""
        consumer = new_uuid()
        api.put(f"/allocations/{consumer}", claim({host: {"VCPU": 8}}))

        full = ask(api, "resources=VCPU:1")
        api.delete(f"/allocations/{consumer}")
        empty = ask(api, "resources=VCPU:1")

        assert full["allocation_requests"] == []
        assert len(empty["allocation_requests"]) == 1


class TestProviderSummaries:
    @pytest.fixture
    def host(self, db):
        return provider(vcpu={"total": 8, "allocation_ratio": 1.6, "reserved": 1}, memory_mb=64, traits=(FAST,))

    def test_show_the_classes_asked_for_and_what_is_used_of_them(self, api, host):
        api.put(f"/allocations/{new_uuid()}", claim({host: {"VCPU": 3}}))

        found = ask(api, "resources=VCPU:1", version="1.10")

        assert found["provider_summaries"] == {host.uuid: {"resources": {"VCPU": {"capacity": 11, "used": 3}}}}

    def test_show_all_classes_later(self, api, host):
        """LP #1760276."""
        before = ask(api, "resources=VCPU:1", version="1.26")["provider_summaries"][host.uuid]
        after = ask(api, "resources=VCPU:1", version="1.27")["provider_summaries"][host.uuid]

        assert set(before["resources"]) == {"VCPU"}
        assert after["resources"]["MEMORY_MB"] == {"capacity": 64, "used": 0}

    def test_show_traits_in_the_order_of_the_vocabulary(self, api):
        host = provider(vcpu=1, traits=("CUSTOM_B", "CUSTOM_A", "STORAGE_DISK_SSD", FAST))

        before = ask(api, "resources=VCPU:1", version="1.16")["provider_summaries"][host.uuid]
        after = ask(api, "resources=VCPU:1", version="1.17")["provider_summaries"][host.uuid]

        assert "traits" not in before
        assert after["traits"] == [FAST, "STORAGE_DISK_SSD", "CUSTOM_B", "CUSTOM_A"]

    def test_show_the_whole_tree_and_its_shape_later(self, api):
        root = provider(vcpu=1)
        child = provider(parent=root, traits=(FAST,))

        before = ask(api, "resources=VCPU:1", version="1.28")["provider_summaries"]
        after = ask(api, "resources=VCPU:1", version="1.29")["provider_summaries"]

        assert list(before) == [root.uuid]
        assert after[child.uuid] == {
            "resources": {},
            "traits": [FAST],
            "parent_provider_uuid": root.uuid,
            "root_provider_uuid": root.uuid,
        }
        assert after[root.uuid]["parent_provider_uuid"] is None

    def test_hold_all_of_the_trees_in_a_limited_answer(self, api):
        """Story 2005859."""
        root = provider(vcpu=8)
        for _ in range(2):
            provider(parent=root, SRIOV_NET_VF=2)

        found = ask(api, "resources=VCPU:1,SRIOV_NET_VF:1&limit=1")

        assert len(found["allocation_requests"]) == 1
        assert len(found["provider_summaries"]) == 3


class TestRightOutcomes:
    """What clients reported as wrong elsewhere."""

    def test_hosts_use_storage_of_their_own_aggregate_only(self, api):
        """LP #1732707."""
        one, two = new_uuid(), new_uuid()
        pairs = [
            (
                provider(vcpu=8, aggregates=(aggregate,)),
                provider(disk_gb=100, traits=(SHARING,), aggregates=(aggregate,)),
            )
            for aggregate in (one, two)
        ]

        found = ask(api, "resources=VCPU:1,DISK_GB:10")["allocation_requests"]

        assert [set(request["allocations"]) for request in found] == [
            {host.uuid, storage.uuid} for host, storage in pairs
        ]

    def test_a_trait_counts_on_the_branch_that_has_it(self, api):
        """LP #1771707."""
        root = provider(vcpu=8)
        fast = provider(parent=root, SRIOV_NET_VF=2, traits=("HW_NIC_OFFLOAD_GENEVE",))
        provider(parent=root, SRIOV_NET_VF=2)

        found = ask(api, "resources=SRIOV_NET_VF:1&required=HW_NIC_OFFLOAD_GENEVE")["allocation_requests"]

        assert [list(request["allocations"]) for request in found] == [[fast.uuid]]

    def test_local_and_shared_stock_are_both_offered(self, api):
        """LP #1724613."""
        aggregate = new_uuid()
        host = provider(vcpu=8, disk_gb=50, aggregates=(aggregate,))
        shared = [provider(disk_gb=100, traits=(SHARING,), aggregates=(aggregate,)) for _ in range(2)]

        found = ask(api, "resources=VCPU:1,DISK_GB:10")["allocation_requests"]

        assert [set(request["allocations"]) for request in found] == [
            {host.uuid},
            *({host.uuid, storage.uuid} for storage in shared),
        ]

    def test_a_bystander_counts_only_where_a_group_without_resources_ties_it_in(self, api):
        """Story 2009795."""
        root = provider(vcpu=8)
        bystander = provider(parent=root, traits=("HW_GPU_API_DXVA",))

        alone = ask(api, "resources=VCPU:1&required=HW_GPU_API_DXVA")
        tied = ask(api, "resources_V=VCPU:1&required_T=HW_GPU_API_DXVA&same_subtree=_V,_T&group_policy=none")

        assert alone["allocation_requests"] == []
        assert tied["allocation_requests"][0]["mappings"] == {"_V": [root.uuid], "_T": [bystander.uuid]}
        assert list(tied["allocation_requests"][0]["allocations"]) == [root.uuid]

    @pytest.mark.parametrize(("amount", "is_offered"), [(3, False), (4, True), (6, False), (20, True), (24, False)])
    def test_unit_rules_are_kept(self, api, amount, is_offered):
        """LP #1623545."""
        provider(disk_gb={"total": 100, "min_unit": 4, "max_unit": 20, "step_size": 4})

        found = ask(api, f"resources=DISK_GB:{amount}")

        assert bool(found["allocation_requests"]) == is_offered

    def test_what_is_reserved_in_full_is_not_offered(self, api):
        """LP #1771577."""
        provider(disk_gb={"total": 10, "reserved": 10})

        assert ask(api, "resources=DISK_GB:1")["allocation_requests"] == []

    def test_an_aggregate_is_the_same_in_every_spelling(self, api):
        aggregate = new_uuid()
        host = provider(vcpu=1, aggregates=(aggregate,))

        for spelling in (aggregate, aggregate.upper(), aggregate.replace("-", "")):
            found = ask(api, f"resources=VCPU:1&member_of={spelling}&in_tree={host.uuid.upper()}")
            assert len(found["allocation_requests"]) == 1

    @pytest.mark.parametrize("amount", [2**31 - 1, 2**31, 2**63, 10**30])
    def test_an_amount_that_no_column_holds_just_does_not_fit(self, api, amount):
        provider(vcpu=1)

        assert ask(api, f"resources=VCPU:{amount}")["allocation_requests"] == []


class TestLimit:
    @pytest.fixture(autouse=True)
    def hosts(self, db):
        for _ in range(30):
            provider(vcpu=1)

    @pytest.mark.parametrize(("limit", "found"), [("1", 1), ("29", 29), ("31", 30), ("9" * 30, 30), ("9" * 5000, 30)])
    def test_is_the_most_that_is_answered(self, api, limit, found):
        answer = ask(api, f"resources=VCPU:1&limit={limit}")

        assert len(answer["allocation_requests"]) == len(answer["provider_summaries"]) == found

    def test_takes_the_first_of_several_if_all_are_well_formed(self, api):
        answer = ask(api, "resources=VCPU:1&limit=2&limit=5")
        refused = api.get("/allocation_candidates?resources=VCPU:1&limit=cow&limit=5")

        assert len(answer["allocation_requests"]) == 2
        assert refused.status_code == 400
        assert "'cow' is no value for limit" in refused.content.decode()

    def test_draws_at_random_where_the_site_says_so(self, api, settings):
        settings.RANDOMIZE_ALLOCATION_CANDIDATES = True

        drawn = {json.dumps(ask(api, "resources=VCPU:1&limit=1")["allocation_requests"]) for _ in range(20)}

        assert len(drawn) > 1

    def test_is_told_apart_from_a_search_that_the_site_cut_short(self, api, settings):
        settings.MAX_ALLOCATION_CANDIDATES = 10

        limited = api.get("/allocation_candidates?resources=VCPU:1&limit=10")
        cut = api.get("/allocation_candidates?resources=VCPU:1")

        assert len(limited.json()["allocation_requests"]) == len(cut.json()["allocation_requests"]) == 10
        assert "x-claimsite-cut-short" not in limited.headers
        assert cut.headers["x-claimsite-cut-short"] == "true"

    def test_is_the_only_bound_where_the_site_sets_none(self, api, settings):
        settings.MAX_ALLOCATION_CANDIDATES = -1

        assert len(ask(api, "resources=VCPU:1")["allocation_requests"]) == 30


class TestWideTrees:
    """LP #2070257: twenty thousand ways into each of three hosts."""

    QUERY = "&".join(f"resources_{number}=CUSTOM_DEV:1" for number in range(6)) + "&group_policy=none"

    @pytest.fixture(autouse=True)
    def hosts(self, db):
        for _ in range(3):
            root = provider()
            for _ in range(8):
                provider(parent=root, CUSTOM_DEV=1)

    def hosts_named(self, found) -> int:
        summaries = found["provider_summaries"].values()
        return len({summary["root_provider_uuid"] for summary in summaries})

    def test_answer_at_once_with_some_of_each_host(self, api):
        started = time.perf_counter()

        found = ask(api, f"{self.QUERY}&limit=10")

        assert time.perf_counter() - started < 1
        assert len(found["allocation_requests"]) == 10
        assert self.hosts_named(found) == 3

    def test_answer_from_one_host_where_the_site_prefers_depth(self, api, settings):
        settings.ALLOCATION_CANDIDATES_STRATEGY = "depth-first"

        found = ask(api, f"{self.QUERY}&limit=10")

        assert self.hosts_named(found) == 1


class TestQueries:
    """A fixed number for each chunk of roots, however many providers there are (LP #1786055)."""

    @pytest.fixture(autouse=True)
    def memory(self, monkeypatch):
        """Nothing is remembered from other tests."""
        monkeypatch.setattr(remembered, "OF_THIS_PROCESS", Memory(1000))

    def count(self, api, django_assert_max_num_queries, query: str, most: int) -> int:
        with django_assert_max_num_queries(most) as captured:
            ask(api, query)
        return len(captured)

    @pytest.mark.parametrize("query", ["resources=VCPU:1", "resources=VCPU:1&limit=1000"])
    def test_are_few_for_a_flat_cloud_of_any_size(self, api, django_assert_num_queries, query):
        aggregate = new_uuid()
        query = f"{query}&required={FAST}&member_of={aggregate}"
        for size in (1, 400):
            for _ in range(size):
                provider(vcpu=1, traits=(FAST,), aggregates=(aggregate,))
            expected = [2, 1] if size == 1 else [3, 1]

            # A survey with the roots, and their trees; where few of these are known, the roots with room once more.
            for number in expected:
                with django_assert_num_queries(number):
                    ask(api, query)

    def test_are_few_for_trees_and_what_they_share(self, api, django_assert_num_queries):
        aggregate = new_uuid()
        provider(disk_gb=1000, traits=(SHARING,), aggregates=(aggregate,))
        for size in (1, 19):
            for _ in range(size):
                root = provider(aggregates=(aggregate,))
                provider(parent=root, vcpu=1)

            # A survey with the roots of a cloud like the last; the sharing trees, the roots again if the cloud has
            # another shape, and with room, if few are known; their trees. Then all is known.
            for number in [4, 1] if size == 1 else [3, 1]:
                with django_assert_num_queries(number):
                    ask(api, "resources=VCPU:1,DISK_GB:1")


class TestTheRoute:
    def test_is_there_from_the_tenth_version(self, api):
        assert api.get("/allocation_candidates?resources=VCPU:1", version="1.9").status_code == 404
        assert api.get("/allocation_candidates?resources=VCPU:1", version="1.10").status_code == 200

    def test_carries_cache_headers_from_the_fifteenth(self, api):
        before = api.get("/allocation_candidates?resources=VCPU:1", version="1.14")
        after = api.get("/allocation_candidates?resources=VCPU:1", version="1.15")

        assert "cache-control" not in before.headers
        assert after.headers["cache-control"] == "no-cache"
        assert "last-modified" in after.headers

    def test_is_for_reading_only(self, api):
        response = api.post("/allocation_candidates", {})

        assert response.status_code == 405
        assert response.headers["allow"] == "GET"

    def test_is_for_administrators_and_services(self, api):
        assert api.get("/allocation_candidates?resources=VCPU:1", token="user:project").status_code == 403
