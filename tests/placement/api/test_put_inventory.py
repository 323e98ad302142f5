"""PUT /resource_providers/{uuid}/inventories/{resource_class}."""

from __future__ import annotations

import logging

import pytest

from claimsite.foundation.uuids import new_uuid
from placement_app.models import Inventory, ResourceProvider
from tests.builders import claim, provider


def put(api, host: ResourceProvider, resource_class: str = "VCPU", generation: int = 0, **record):
    return api.put(
        f"/resource_providers/{host.uuid}/inventories/{resource_class}",
        {"resource_provider_generation": generation, **record},
    )


def error(response) -> dict:
    return response.json()["errors"][0]


class TestOneInventory:
    def test_becomes_what_was_sent_and_the_others_stay(self, api):
        host = provider(vcpu={"total": 8, "reserved": 2}, disk_gb=100)

        response = put(api, host, total=16)

        assert response.status_code == 200
        assert response.json() == api.get(f"/resource_providers/{host.uuid}/inventories/VCPU").json()
        assert (response.json()["total"], response.json()["reserved"]) == (16, 0)
        assert response.json()["resource_provider_generation"] == 1
        assert Inventory.objects.get(resource_class__name="DISK_GB").total == 100

    def test_may_be_less_than_what_is_claimed(self, api, caplog):
        """LP #1619722."""
        host = provider(vcpu=4)
        api.put(f"/allocations/{new_uuid()}", claim({host: {"VCPU": 4}}))

        with caplog.at_level(logging.WARNING):
            response = put(api, host, generation=1, total=2)

        assert response.status_code == 200
        assert "over capacity for VCPU" in caplog.text
        inventory = Inventory.objects.get()
        assert (inventory.total, inventory.used) == (2, 4)


class TestARefusal:
    def test_of_an_old_generation(self, api):
        host = provider(vcpu=8)

        response = put(api, host, generation=3, total=16)

        assert (response.status_code, error(response)["code"]) == (409, "placement.concurrent_update")
        assert "resource provider generation conflict" in error(response)["detail"]
        assert Inventory.objects.get().total == 8

    def test_of_a_class_that_the_provider_has_none_of(self, api):
        response = put(api, provider(vcpu=8), "DISK_GB", total=16)

        assert response.status_code == 400
        assert "No inventory record with resource class DISK_GB" in error(response)["detail"]

    def test_of_a_class_nobody_knows(self, api):
        assert put(api, provider(vcpu=8), "HOUSE", total=16).status_code == 404

    def test_of_more_reserved_than_there_is(self, api):
        host = provider(vcpu=8)

        response = put(api, host, total=8, reserved=9)

        assert response.status_code == 400
        assert f"Unable to update inventory for resource provider {host.uuid}" in error(response)["detail"]
        host.refresh_from_db()
        assert host.generation == 0

    @pytest.mark.parametrize("record", [{}, {"total": 0}, {"total": 1, "used": 1}])
    def test_of_what_does_not_fit(self, api, record):
        response = put(api, provider(vcpu=8), **record)

        assert response.status_code == 400
        assert "JSON does not validate" in error(response)["detail"]

    def test_of_a_body_without_a_generation(self, api):
        host = provider(vcpu=8)

        response = api.put(f"/resource_providers/{host.uuid}/inventories/VCPU", {"total": 1})

        assert "'resource_provider_generation' is a required property" in error(response)["detail"]

    def test_of_an_unknown_provider_comes_before_the_body(self, api):
        assert api.put(f"/resource_providers/{new_uuid()}/inventories/VCPU", "{").status_code == 404
