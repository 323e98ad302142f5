"""GET /allocations/{consumer_uuid} and GET /resource_providers/{uuid}/allocations."""

from __future__ import annotations

import pytest

from claimsite.foundation.uuids import new_uuid
from tests.builders import claim, provider

CONSUMER = "11111111-aaaa-4aaa-8aaa-111111111111"
URL = f"/allocations/{CONSUMER}"


class TestOfAConsumer:
    @pytest.mark.parametrize(
        ("version", "keys"),
        [
            ("1.0", {"allocations"}),
            ("1.11", {"allocations"}),
            ("1.12", {"allocations", "project_id", "user_id"}),
            ("1.27", {"allocations", "project_id", "user_id"}),
            ("1.28", {"allocations", "project_id", "user_id", "consumer_generation"}),
            ("1.38", {"allocations", "project_id", "user_id", "consumer_generation", "consumer_type"}),
        ],
    )
    def test_shows_what_its_version_knows(self, api, version, keys):
        api.put(URL, claim({provider(vcpu=4): {"VCPU": 1}}))

        assert api.get(URL, version=version).json().keys() == keys

    @pytest.mark.parametrize("version", ["1.0", "1.28", "1.39"])
    @pytest.mark.parametrize("text", [CONSUMER, "not-a-uuid"])
    def test_that_holds_nothing_is_empty_and_says_nothing_else(self, api, version, text):
        """LP #1778591."""
        response = api.get(f"/allocations/{text}", version=version)

        assert (response.status_code, response.json()) == (200, {"allocations": {}})

    @pytest.mark.parametrize("spelling", [CONSUMER.upper(), CONSUMER.replace("-", "")])
    def test_is_found_under_every_spelling_of_its_uuid(self, api, spelling):
        host = provider(vcpu=4)
        api.put(URL, claim({host: {"VCPU": 1}}))

        assert list(api.get(f"/allocations/{spelling}").json()["allocations"]) == [host.uuid]

    def test_costs_one_statement_however_much_it_holds(self, api, django_assert_num_queries):
        api.put(URL, claim({provider(vcpu=4, memory_mb=9): {"VCPU": 1, "MEMORY_MB": 9} for _ in range(5)}))

        with django_assert_num_queries(1):
            api.get(URL)

    def test_carries_cache_headers_from_1_15_on(self, api):
        """LP #1632852: proxies must not serve old generations."""
        api.put(URL, claim({provider(vcpu=4): {"VCPU": 1}}))

        old, new = api.get(URL, version="1.14"), api.get(URL, version="1.15")

        assert not {"cache-control", "last-modified"} & {name.lower() for name in old.headers}
        assert new.headers["cache-control"] == "no-cache"
        assert new.headers["last-modified"].endswith("GMT")
        assert new.headers["vary"] == "openstack-api-version"


class TestOfAProvider:
    def test_lists_who_holds_what_of_it(self, api):
        host, other = provider(vcpu=4, memory_mb=1024), new_uuid()
        api.put(URL, claim({host: {"VCPU": 1, "MEMORY_MB": 64}}))
        api.put(f"/allocations/{other}", claim({host: {"VCPU": 2}}))

        document = api.get(f"/resource_providers/{host.uuid}/allocations").json()

        assert document == {
            "allocations": {
                CONSUMER: {"resources": {"VCPU": 1, "MEMORY_MB": 64}, "consumer_generation": 1},
                other: {"resources": {"VCPU": 2}, "consumer_generation": 1},
            },
            "resource_provider_generation": 2,
        }

    def test_shows_no_consumer_generations_before_1_28(self, api):
        host = provider(vcpu=4)
        api.put(URL, claim({host: {"VCPU": 1}}))

        document = api.get(f"/resource_providers/{host.uuid}/allocations", version="1.27").json()

        assert document["allocations"] == {CONSUMER: {"resources": {"VCPU": 1}}}

    def test_of_nobody_is_empty(self, api):
        host = provider(vcpu=4)

        document = api.get(f"/resource_providers/{host.uuid}/allocations").json()

        assert document == {"allocations": {}, "resource_provider_generation": 0}

    def test_of_an_unknown_provider_is_a_404(self, api):
        assert api.get(f"/resource_providers/{new_uuid()}/allocations").status_code == 404

    def test_costs_one_statement_however_many_hold_it(self, api, django_assert_num_queries):
        host = provider(vcpu=40)
        for _ in range(7):
            api.put(f"/allocations/{new_uuid()}", claim({host: {"VCPU": 1}}))

        with django_assert_num_queries(1):
            api.get(f"/resource_providers/{host.uuid}/allocations")
