"""GET /explain/allocation_candidates: an addition of this site, beside the paths of the mirrored API."""

from __future__ import annotations

import pytest

from tests.builders import provider

FAST = "HW_CPU_X86_AVX2"


def explain(api, query: str, **options):
    response = api.get(f"/explain/allocation_candidates?{query}", **options)
    assert response.status_code == 200, response.content
    return response.json()


class TestExplainedCandidates:
    def test_are_a_funnel_and_the_nearest_misses(self, api):
        fast = provider(name="fast", vcpu=8, traits=(FAST,))
        slow = provider(name="slow", vcpu=16)

        explanation = explain(api, f"resources=VCPU:12&required={FAST}")

        assert explanation == {
            "providers": 2,
            "roots": 2,
            "roots_with_candidates": 0,
            "groups": [
                {
                    "suffix": "",
                    "wants": "resources=VCPU:12",
                    "steps": [
                        {"condition": "inventory", "wants": "VCPU", "left": 2, "removed": []},
                        {"condition": "capacity", "wants": "VCPU:12", "left": 1, "removed": ["fast"]},
                        {"condition": "units", "wants": "VCPU:12", "left": 1, "removed": []},
                    ],
                }
            ],
            "whole": [
                {"condition": "served", "wants": "resources=VCPU:12", "left": 1, "removed": ["fast"]},
                {"condition": "together", "wants": f"required={FAST}", "left": 0, "removed": ["slow"]},
            ],
            "nearest_misses": [
                {
                    "provider": {"uuid": slow.uuid, "name": "slow"},
                    "lacks": [
                        {
                            "provider": "slow",
                            "condition": "together",
                            "wants": f"required={FAST}",
                            "has": "",
                            "text": f"slow lacks together required={FAST}",
                        }
                    ],
                },
                {
                    "provider": {"uuid": fast.uuid, "name": "fast"},
                    "lacks": [
                        {
                            "provider": "fast",
                            "condition": "capacity",
                            "wants": "VCPU:12",
                            "has": "8 free of 8",
                            "text": "fast lacks capacity VCPU:12: 8 free of 8",
                        }
                    ],
                },
            ],
        }

    def test_count_everything_whatever_the_limit(self, api):
        for _ in range(3):
            provider(vcpu=1)

        assert explain(api, "resources=VCPU:1&limit=1")["roots_with_candidates"] == 3

    def test_agree_with_the_search(self, api):
        root = provider(vcpu=8)
        provider(parent=root, SRIOV_NET_VF=4)
        query = "resources=VCPU:1&resources_V=SRIOV_NET_VF:1"

        found = api.get(f"/allocation_candidates?{query}").json()

        assert len(found["allocation_requests"]) == explain(api, query)["roots_with_candidates"] == 1

    def test_cost_the_same_queries_for_any_number_of_providers(self, api, django_assert_num_queries):
        for size in (1, 30):
            for _ in range(size):
                provider(vcpu=1)

            # A survey, roots, their trees, and the roots after the last.
            with django_assert_num_queries(4):
                explain(api, "resources=VCPU:1")

    @pytest.mark.parametrize(
        ("query", "version", "status"),
        [
            ("", "1.39", 400),
            ("resources=BOGUS:1", "1.39", 400),
            ("resources=VCPU:1&limit=cow&limit=1", "1.39", 400),
            ("resources=VCPU:1&limit=1", "1.10", 400),
            ("resources=VCPU:1", "1.9", 404),
        ],
    )
    def test_are_asked_for_as_the_version_asks_for_candidates(self, api, query, version, status):
        assert api.get(f"/explain/allocation_candidates?{query}", version=version).status_code == status

    def test_are_for_those_who_may_search(self, api):
        assert api.get("/explain/allocation_candidates?resources=VCPU:1", token="user:project").status_code == 403
