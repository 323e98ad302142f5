"""GET /resource_providers/{uuid}/inventories and …/inventories/{resource_class}."""

from __future__ import annotations

import pytest

from claimsite.foundation.uuids import new_uuid
from placement_app.models import Inventory, ResourceProvider
from tests.builders import provider

RECORD = {
    "total": 8,
    "reserved": 1,
    "min_unit": 2,
    "max_unit": 4,
    "step_size": 2,
    "allocation_ratio": 1.5,
}


def url(host: ResourceProvider, resource_class: str = "") -> str:
    return f"/resource_providers/{host.uuid}/inventories{resource_class and '/'}{resource_class}"


class TestAllInventories:
    def test_come_with_the_generation_to_write_them(self, api):
        host = provider(vcpu=RECORD, memory_mb=64)

        document = api.get(url(host)).json()

        assert document["resource_provider_generation"] == 0
        assert document["inventories"]["VCPU"] == RECORD
        assert document["inventories"]["MEMORY_MB"] == {
            "total": 64,
            "reserved": 0,
            "min_unit": 1,
            "max_unit": 2147483647,
            "step_size": 1,
            "allocation_ratio": 1.0,
        }

    def test_cost_one_query(self, api, django_assert_num_queries):
        host = provider(vcpu=1, memory_mb=1, disk_gb=1)

        with django_assert_num_queries(1):
            api.get(url(host))

    def test_were_last_modified_when_the_youngest_was(self, api):
        host = provider(vcpu=1, memory_mb=1)
        young = Inventory.objects.latest("pk").updated_at

        response = api.get(url(host), version="1.15")

        assert response.headers["last-modified"].startswith(f"{young:%a, %d %b %Y %H:%M:%S}")

    def test_are_dated_also_when_there_are_none(self, api):
        response = api.get(url(provider()))

        assert response.json() == {"resource_provider_generation": 0, "inventories": {}}
        assert {"last-modified", "cache-control"} <= {name.lower() for name in response.headers}

    def test_of_an_unknown_provider_are_not_found(self, api):
        unknown = new_uuid()

        response = api.get(f"/resource_providers/{unknown}/inventories")

        assert response.status_code == 404
        assert f"No resource provider with uuid {unknown} found" in response.json()["errors"][0]["detail"]


class TestOneInventory:
    def test_comes_with_the_generation(self, api):
        host = provider(vcpu=RECORD)

        response = api.get(url(host, "VCPU"))

        assert response.json() == {**RECORD, "resource_provider_generation": 0}
        assert {"last-modified", "cache-control"} <= {name.lower() for name in response.headers}

    def test_costs_one_query(self, api, django_assert_num_queries):
        host = provider(vcpu=1)

        with django_assert_num_queries(1):
            api.get(url(host, "VCPU"))

    @pytest.mark.parametrize("resource_class", ["DISK_GB", "HOUSE", "vcpu", "%F0%9F%A4%96"])
    def test_that_is_not_there_is_not_found(self, api, resource_class):
        host = provider(vcpu=1)

        response = api.get(url(host, resource_class))

        assert response.status_code == 404
        text = response.json()["errors"][0]["detail"]
        assert "No inventory of class" in text
        assert f"for {host.uuid}" in text

    def test_of_an_unknown_provider_is_not_found(self, api):
        response = api.get(f"/resource_providers/{new_uuid()}/inventories/VCPU")

        assert response.status_code == 404
        assert "No resource provider with uuid" in response.json()["errors"][0]["detail"]
