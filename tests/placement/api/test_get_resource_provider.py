"""GET /resource_providers/{uuid}."""

from __future__ import annotations

import pytest

from claimsite.foundation.uuids import new_uuid
from tests.builders import provider


class TestAProvider:
    def test_shows_its_place_in_the_tree_and_where_its_parts_are(self, api):
        root = provider(name="root")
        child = provider(name="child", parent=root)

        response = api.get(f"/resource_providers/{child.uuid}")

        assert response.status_code == 200
        address = f"/placement/resource_providers/{child.uuid}"
        assert response.json() == {
            "uuid": child.uuid,
            "name": "child",
            "generation": 0,
            "parent_provider_uuid": root.uuid,
            "root_provider_uuid": root.uuid,
            "links": [
                {"rel": "self", "href": address},
                {"rel": "inventories", "href": f"{address}/inventories"},
                {"rel": "usages", "href": f"{address}/usages"},
                {"rel": "aggregates", "href": f"{address}/aggregates"},
                {"rel": "traits", "href": f"{address}/traits"},
                {"rel": "allocations", "href": f"{address}/allocations"},
            ],
        }

    def test_without_a_parent_is_its_own_root(self, api):
        host = provider()

        document = api.get(f"/resource_providers/{host.uuid}").json()

        assert (document["parent_provider_uuid"], document["root_provider_uuid"]) == (None, host.uuid)

    def test_is_found_by_every_spelling_of_its_uuid(self, api):
        host = provider()

        spellings = [host.uuid.upper(), host.uuid.replace("-", ""), f"{{{host.uuid}}}"]

        assert [api.get(f"/resource_providers/{spelling}").json()["uuid"] for spelling in spellings] == [host.uuid] * 3

    def test_costs_one_query(self, api, django_assert_num_queries):
        host = provider()

        with django_assert_num_queries(1):
            api.get(f"/resource_providers/{host.uuid}")

    def test_says_when_it_was_last_changed(self, api):
        """LP #1632852: without these headers caches in between handed out old generations."""
        host = provider()

        response = api.get(f"/resource_providers/{host.uuid}", version="1.15")

        assert response.headers["last-modified"].startswith(f"{host.updated_at:%a, %d %b %Y %H:%M:%S}")
        assert response.headers["cache-control"] == "no-cache"
        assert response.headers["vary"] == "openstack-api-version"

    @pytest.mark.parametrize("path", ["00000000-0000-4000-8000-00000000dead", "foo", "f" * 300, "%00", "%F0%9F%A4%96"])
    def test_that_is_unknown_is_not_found(self, api, path):
        response = api.get(f"/resource_providers/{path}")

        assert response.status_code == 404
        assert "The resource could not be found." in response.json()["errors"][0]["detail"]

    def test_that_is_unknown_is_named(self, api):
        unknown = new_uuid()

        response = api.get(f"/resource_providers/{unknown}")

        assert f"No resource provider with uuid {unknown} found" in response.json()["errors"][0]["detail"]

    def test_knows_its_methods_whatever_the_version(self, api):
        response = api.post(f"/resource_providers/{new_uuid()}", {}, version="1.0")

        assert (response.status_code, response.headers["allow"]) == (405, "GET, PUT, DELETE")
