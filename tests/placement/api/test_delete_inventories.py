"""DELETE /resource_providers/{uuid}/inventories and …/inventories/{resource_class}."""

from __future__ import annotations

import pytest

from claimsite.foundation.uuids import new_uuid
from placement_app.models import Inventory, ResourceProvider
from tests.builders import claim, provider


def url(host: ResourceProvider, resource_class: str = "") -> str:
    return f"/resource_providers/{host.uuid}/inventories{resource_class and '/'}{resource_class}"


def error(response) -> dict:
    return response.json()["errors"][0]


def generation(host: ResourceProvider) -> int:
    host.refresh_from_db()
    return host.generation


class TestDeletingAll:
    def test_moves_the_generation_whether_there_were_any_or_not(self, api):
        host = provider(vcpu=1, disk_gb=1)

        answers = [(api.delete(url(host)).status_code, generation(host)) for _ in range(2)]

        assert answers == [(204, 1), (204, 2)]
        assert not Inventory.objects.exists()

    def test_is_refused_for_all_classes_that_are_claimed(self, api):
        host = provider(disk_gb=10, vcpu=4, memory_mb=64)
        api.put(f"/allocations/{new_uuid()}", claim({host: {"DISK_GB": 1, "VCPU": 1}}))

        response = api.delete(url(host))

        assert (response.status_code, error(response)["code"]) == (409, "placement.inventory.inuse")
        assert f"Inventory for 'VCPU, DISK_GB' on resource provider '{host.uuid}' in use" in error(response)["detail"]
        assert Inventory.objects.count() == 3
        assert generation(host) == 1

    def test_came_with_1_5_and_is_another_method_before(self, api):
        """LP #1746374."""
        host = provider(vcpu=1)

        response = api.delete(url(host), version="1.4")

        assert response.status_code == 405
        assert response.headers["allow"] == "GET, POST, PUT, DELETE"
        assert "The method DELETE is not allowed for this resource." in error(response)["detail"]
        assert api.delete(url(host), version="1.5").status_code == 204

    def test_of_an_unknown_provider_is_not_found(self, api):
        assert api.delete(f"/resource_providers/{new_uuid()}/inventories").status_code == 404


class TestDeletingOne:
    def test_leaves_the_others(self, api):
        host = provider(vcpu=1, disk_gb=1)

        response = api.delete(url(host, "VCPU"))

        assert (response.status_code, response.content, generation(host)) == (204, b"", 1)
        assert Inventory.objects.get().resource_class_id == "DISK_GB"

    def test_is_refused_while_it_is_claimed_and_not_as_a_race(self, api):
        """LP #1728722: a code that says "concurrent update" would have clients try again for ever."""
        host = provider(vcpu=4)
        api.put(f"/allocations/{new_uuid()}", claim({host: {"VCPU": 1}}))

        response = api.delete(url(host, "VCPU"))

        assert (response.status_code, error(response)["code"]) == (409, "placement.inventory.inuse")
        assert "Unable to delete inventory of class VCPU: Inventory for 'VCPU'" in error(response)["detail"]
        assert "in use" in error(response)["detail"]
        assert generation(host) == 1

    @pytest.mark.parametrize("resource_class", ["DISK_GB", "HOUSE"])
    def test_of_none_is_not_found(self, api, resource_class):
        host = provider(vcpu=4)

        response = api.delete(url(host, resource_class))

        assert response.status_code == 404
        assert f"No inventory of class {resource_class} found for delete" in error(response)["detail"]
        assert generation(host) == 0

    def test_of_an_unknown_provider_is_not_found(self, api):
        response = api.delete(f"/resource_providers/{new_uuid()}/inventories/VCPU")

        assert response.status_code == 404
        assert "No resource provider with uuid" in error(response)["detail"]
