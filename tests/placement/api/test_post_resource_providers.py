"""POST /resource_providers."""

from __future__ import annotations

import pytest

from claimsite.foundation.uuids import new_uuid
from placement_app.models import ConflictRecord, ResourceProvider
from tests.builders import provider

URL = "/resource_providers"


def detail(response) -> str:
    return response.json()["errors"][0]["detail"]


def code(response) -> str:
    return response.json()["errors"][0]["code"]


class TestANewProvider:
    def test_is_returned_with_its_address(self, api):
        uuid = new_uuid()

        response = api.post(URL, {"name": "host-a", "uuid": uuid})

        assert response.status_code == 200
        assert response.headers["location"] == f"http://testserver/placement/resource_providers/{uuid}"
        assert response.json() == api.get(f"{URL}/{uuid}").json()
        assert response.json()["generation"] == 0
        assert {"last-modified", "cache-control"} <= {name.lower() for name in response.headers}

    def test_without_a_uuid_is_given_one(self, api):
        response = api.post(URL, {"name": "host-a"})

        assert api.get(response.headers["location"]).json()["uuid"] == response.json()["uuid"]

    def test_below_a_parent_has_the_parents_root(self, api):
        root = provider()
        child = provider(parent=root)

        response = api.post(URL, {"name": "grandchild", "parent_provider_uuid": child.uuid.upper()})

        document = response.json()
        assert (document["parent_provider_uuid"], document["root_provider_uuid"]) == (child.uuid, root.uuid)

    def test_with_a_parent_of_null_is_a_root(self, api):
        response = api.post(URL, {"name": "host-a", "parent_provider_uuid": None})

        assert response.json()["root_provider_uuid"] == response.json()["uuid"]

    def test_moves_no_generation_of_its_tree(self, api):
        root = provider()

        api.post(URL, {"name": "child", "parent_provider_uuid": root.uuid})

        root.refresh_from_db()
        assert root.generation == 0

    @pytest.mark.parametrize("spelling", ["{0}", "{{{0}}}", "urn:uuid:{0}"])
    def test_may_spell_its_uuid_in_any_way_but_once(self, api, spelling):
        """LP #1758057: the same uuid with and without dashes became two providers."""
        uuid = new_uuid()

        first = api.post(URL, {"name": "host-a", "uuid": uuid.replace("-", "").upper()})
        second = api.post(URL, {"name": "host-b", "uuid": spelling.format(uuid)})

        assert (first.status_code, first.json()["uuid"]) == (200, uuid)
        assert second.status_code == 409

    @pytest.mark.parametrize("name", ["hôst-🤖", "ho\u0302st", "Host-A", "x" * 200, "🤖" * 200, "a b/c?d", "' OR 1=1"])
    def test_may_have_any_name_of_200_characters(self, api, name):
        """LP #1621605: names beyond ASCII failed on some databases, or could not be asked for."""
        provider(name="host-a")
        provider(name="hôst")

        response = api.post(URL, {"name": name})

        assert (response.status_code, response.json()["name"]) == (200, name)


class TestAProviderThatExists:
    def test_by_name_is_a_duplicate_whatever_the_uuid(self, api):
        """LP #1817833: a host that came back with a new uuid must be told why it is refused."""
        provider(name="host-a")

        response = api.post(URL, {"name": "host-a", "uuid": new_uuid()})

        assert (response.status_code, code(response)) == (409, "placement.duplicate_name")
        assert "Conflicting resource provider name: host-a already exists" in detail(response)
        assert ResourceProvider.objects.count() == 1
        assert ConflictRecord.objects.get().operation == "providers.create"

    def test_by_uuid_is_a_duplicate(self, api):
        host = provider(name="host-a")

        response = api.post(URL, {"name": "host-b", "uuid": host.uuid})

        assert (response.status_code, code(response)) == (409, "placement.duplicate_name")
        assert f"Conflicting resource provider uuid: {host.uuid} already exists" in detail(response)

    def test_by_both_says_so(self, api):
        host = provider(name="host-a")

        response = api.post(URL, {"name": "host-a", "uuid": host.uuid})

        assert f"Conflicting resource provider name: host-a, uuid: {host.uuid} already exists" in detail(response)

    def test_is_told_without_the_words_of_the_database(self, api):
        """LP #1664117: the refusal carried the SQL statement."""
        provider(name="host-a")

        response = api.post(URL, {"name": "host-a"})

        assert not any(word in detail(response).lower() for word in ("insert", "unique", "constraint", "placement_app"))


class TestARefusal:
    @pytest.mark.parametrize(
        "body",
        [
            {},
            {"name": ""},
            {"name": "x" * 201},
            {"name": 5},
            {"name": None},
            {"name": "a", "uuid": "no-uuid"},
            {"name": "a", "uuid": None},
            {"name": "a", "uuid": "5" * 31},
            {"name": "a", "generation": 3},
            {"name": "a", "root_provider_uuid": "5" * 32},
            {"name": "a", "parent_provider_uuid": "host-b"},
            [],
            "a",
            "null",
        ],
    )
    def test_of_what_does_not_fit_stores_nothing(self, api, body):
        response = api.post(URL, body)

        assert response.status_code == 400
        assert not ResourceProvider.objects.exists()

    @pytest.mark.parametrize("raw", ['{"name": "a\\u0000b"}', '{"name": "\\ud800"}', b'{"name": "\xff"}', "{", " "])
    def test_of_what_is_no_json_or_no_column_can_hold(self, api, raw):
        response = api.post(URL, raw)

        assert response.status_code == 400
        assert "Malformed JSON:" in detail(response)

    def test_names_the_rule_that_was_broken(self, api):
        too_long = api.post(URL, {"name": "x" * 201})
        no_uuid = api.post(URL, {"name": "a", "uuid": "x"})

        assert "JSON does not validate" in detail(too_long)
        assert "Failed validating 'maxLength'" in detail(too_long)
        assert "Failed validating 'format'" in detail(no_uuid)

    def test_of_an_unknown_parent(self, api):
        response = api.post(URL, {"name": "child", "parent_provider_uuid": new_uuid()})

        assert response.status_code == 400
        assert "parent provider UUID does not exist" in detail(response)
        assert not ResourceProvider.objects.exists()

    def test_of_being_ones_own_parent(self, api):
        """LP #1779635."""
        uuid = new_uuid()

        response = api.post(URL, {"name": "child", "uuid": uuid.upper(), "parent_provider_uuid": uuid})

        assert response.status_code == 400
        assert f'Unable to create resource provider "child", {uuid}:' in detail(response)
        assert "parent provider UUID cannot be same as UUID" in detail(response)

    def test_of_another_media_type(self, api):
        response = api.post(URL, "name=a", content_type="application/x-www-form-urlencoded")

        assert response.status_code == 415
