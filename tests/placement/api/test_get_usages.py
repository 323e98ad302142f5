"""GET /usages and GET /resource_providers/{uuid}/usages."""

from __future__ import annotations

import pytest

from claimsite.foundation.uuids import new_uuid
from placement_app.models import Consumer
from tests.builders import claim, provider


def put(api, resources, **options):
    consumer = new_uuid()
    response = api.put(f"/allocations/{consumer}", claim(resources, **options))
    assert response.status_code == 204, response.content
    return consumer


def usages(api, query: str, **options):
    response = api.get(f"/usages?{query}", **options)
    assert response.status_code == 200, response.content
    return response.json()["usages"]


def detail(response) -> str:
    return response.json()["errors"][0]["detail"]


class TestOfAProvider:
    def test_has_every_class_of_its_inventory(self, api):
        host = provider(vcpu=8, memory_mb=1024, disk_gb=10)
        other = provider(vcpu=8)
        put(api, {host: {"VCPU": 2, "MEMORY_MB": 64}})
        put(api, {host: {"VCPU": 1}, other: {"VCPU": 4}})

        response = api.get(f"/resource_providers/{host.uuid}/usages")

        assert response.json() == {
            "resource_provider_generation": 2,
            "usages": {"VCPU": 3, "MEMORY_MB": 64, "DISK_GB": 0},
        }
        assert {"last-modified", "cache-control"} <= {name.lower() for name in response.headers}

    def test_is_numbers_and_not_text(self, api):
        """LP #1817633: sums came as decimals from some databases."""
        host = provider(vcpu=8)
        put(api, {host: {"VCPU": 2}})

        assert b'"VCPU":2}' in api.get(f"/resource_providers/{host.uuid}/usages").content

    def test_costs_one_query(self, api, django_assert_num_queries):
        host = provider(vcpu=8, memory_mb=1024)

        with django_assert_num_queries(1):
            api.get(f"/resource_providers/{host.uuid}/usages")

    def test_of_none_is_empty(self, api):
        response = api.get(f"/resource_providers/{provider().uuid}/usages")

        assert response.json() == {"resource_provider_generation": 0, "usages": {}}

    def test_of_an_unknown_one_is_not_found(self, api):
        response = api.get(f"/resource_providers/{new_uuid()}/usages")

        assert response.status_code == 404
        assert "No resource provider with uuid" in detail(response)


class TestOfAProject:
    @pytest.fixture(autouse=True)
    def claims(self, api):
        host, other = provider(vcpu=100, disk_gb=100), provider(vcpu=100)
        put(api, {host: {"VCPU": 1, "DISK_GB": 10}, other: {"VCPU": 2}}, project="p1", user="u1")
        put(api, {host: {"VCPU": 4}}, project="p1", user="u2")
        put(api, {host: {"VCPU": 8}}, project="p1", user="u1", consumer_type="MIGRATION")
        put(api, {host: {"VCPU": 16}}, project="p2", user="u1")
        untyped = put(api, {host: {"VCPU": 32}}, project="p1", user="u1")
        Consumer.objects.filter(uuid=untyped).update(consumer_type=None)

    def test_is_grouped_by_consumer_type(self, api):
        assert usages(api, "project_id=p1") == {
            "INSTANCE": {"VCPU": 7, "DISK_GB": 10, "consumer_count": 2},
            "MIGRATION": {"VCPU": 8, "consumer_count": 1},
            "unknown": {"VCPU": 32, "consumer_count": 1},
        }

    def test_is_narrowed_by_user(self, api):
        assert usages(api, "project_id=p1&user_id=u2") == {"INSTANCE": {"VCPU": 4, "consumer_count": 1}}
        assert usages(api, "project_id=p1&user_id=u1")["INSTANCE"] == {"VCPU": 3, "DISK_GB": 10, "consumer_count": 1}

    @pytest.mark.parametrize(
        ("consumer_type", "expected"),
        [
            ("MIGRATION", {"MIGRATION": {"VCPU": 8, "consumer_count": 1}}),
            ("all", {"all": {"VCPU": 47, "DISK_GB": 10, "consumer_count": 4}}),
            ("unknown", {"unknown": {"VCPU": 32, "consumer_count": 1}}),
            ("NONE", {}),
            ("ALL", {}),
            ("UNKNOWN", {}),
        ],
    )
    def test_is_narrowed_by_consumer_type(self, api, consumer_type, expected):
        """Story 2009167: claims of older clients have no type, and must be found all the same."""
        assert usages(api, f"project_id=p1&consumer_type={consumer_type}") == expected

    @pytest.mark.parametrize("more", ["", "&consumer_type=all", "&consumer_type=unknown", "&user_id=u1"])
    def test_that_holds_nothing_is_empty(self, api, more):
        assert usages(api, f"project_id=nobody{more}") == {}

    def test_costs_two_queries(self, api, django_assert_num_queries):
        with django_assert_num_queries(2):
            usages(api, "project_id=p1")

    def test_is_dated_now(self, api):
        headers = {name.lower() for name in api.get("/usages?project_id=p1").headers}

        assert {"last-modified", "cache-control"} <= headers

    def test_was_ungrouped_before_1_38(self, api):
        assert usages(api, "project_id=p1", version="1.37") == {"VCPU": 47, "DISK_GB": 10}
        assert usages(api, "project_id=p1&user_id=u2", version="1.9") == {"VCPU": 4}
        assert usages(api, "project_id=nobody", version="1.9") == {}

    def test_is_the_same_for_any_name_of_a_project(self, api):
        """LP #1621605."""
        name = "projé-🤖"
        put(api, {provider(vcpu=4): {"VCPU": 1}}, project=name)

        assert usages(api, "project_id=proj%C3%A9-%F0%9F%A4%96")["INSTANCE"]["VCPU"] == 1
        assert usages(api, "project_id=proje%CC%81-%F0%9F%A4%96") == {}

    def test_follows_a_claim_to_its_new_owner(self, api):
        """LP #1779717: usage stayed with the project that had the claim before."""
        consumer = put(api, {provider(vcpu=4): {"VCPU": 1}}, project="old")
        host = provider(vcpu=4)

        api.put(f"/allocations/{consumer}", claim({host: {"VCPU": 1}}, generation=1, project="new"))

        assert usages(api, "project_id=old") == {}
        assert usages(api, "project_id=new") == {"INSTANCE": {"VCPU": 1, "consumer_count": 1}}


class TestARefusal:
    @pytest.mark.parametrize(
        ("query", "text"),
        [
            ("", "'project_id' is a required property"),
            ("user_id=u1", "'project_id' is a required property"),
            ("project_id=", "Failed validating 'minLength'"),
            (f"project_id={'x' * 256}", "Failed validating 'maxLength'"),
            ("project_id=p1&user_id=", "Failed validating 'minLength'"),
            (f"project_id=p1&user_id={'x' * 256}", "Failed validating 'maxLength'"),
            ("project_id=p1&bogus=1", "Additional properties are not allowed"),
            ("project_id=p1&consumer_type=instance", "Failed validating 'pattern'"),
            ("project_id=p1&consumer_type=allsorts", "Failed validating 'pattern'"),
            ("project_id=p1&consumer_type=unknown%0A", "consumer_type must match pattern"),
            ("project_id=p1&consumer_type=", "Failed validating"),
            ("project_id=%FF", "Invalid query string parameters"),
            ("project_id=a%00b", "Invalid query string parameters"),
        ],
    )
    def test_names_the_rule_that_was_broken(self, api, query, text):
        response = api.get(f"/usages?{query}")

        assert response.status_code == 400
        assert "Invalid query string parameters" in detail(response)
        assert text in detail(response)

    def test_of_consumer_types_before_1_38(self, api):
        response = api.get("/usages?project_id=p1&consumer_type=INSTANCE", version="1.37")

        assert response.status_code == 400

    def test_of_a_reader_who_names_no_project_comes_first(self, api):
        reader = {"X-Roles": "reader", "X-Project-Id": "p1"}

        answers = [
            api.get(f"/usages{query}", headers=reader).status_code for query in ("", "?project_id=p1", "?project_id=p2")
        ]

        assert answers == [403, 200, 403]

    def test_of_versions_before_1_9(self, api):
        assert [api.get("/usages?project_id=p1", version=version).status_code for version in ("1.8", "1.9")] == [
            404,
            200,
        ]
