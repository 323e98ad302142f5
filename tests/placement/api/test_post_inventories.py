"""POST /resource_providers/{uuid}/inventories."""

from __future__ import annotations

import pytest

from claimsite.foundation.uuids import new_uuid
from placement_app.models import Inventory, ResourceProvider
from tests.builders import provider


def url(host: ResourceProvider) -> str:
    return f"/resource_providers/{host.uuid}/inventories"


def error(response) -> dict:
    return response.json()["errors"][0]


class TestANewInventory:
    def test_is_returned_with_its_address_and_the_new_generation(self, api):
        host = provider(disk_gb=1)

        response = api.post(url(host), {"resource_class": "VCPU", "total": 8, "reserved": 2})

        assert response.status_code == 201
        assert response.headers["location"] == f"http://testserver/placement{url(host)}/VCPU"
        assert response.json() == api.get(response.headers["location"]).json()
        assert (response.json()["reserved"], response.json()["resource_provider_generation"]) == (2, 1)
        assert {"last-modified", "cache-control"} <= {name.lower() for name in response.headers}
        assert api.get(url(host)).json()["inventories"].keys() == {"DISK_GB", "VCPU"}

    def test_may_name_a_generation_which_is_passed_over(self, api):
        response = api.post(url(provider()), {"resource_class": "VCPU", "total": 8, "resource_provider_generation": 77})

        assert response.status_code == 201

    def test_has_a_plain_address_however_the_provider_was_spelled(self, api):
        host = provider()

        response = api.post(
            f"/resource_providers/{host.uuid.upper()}/inventories", {"resource_class": "VCPU", "total": 8}
        )

        assert response.headers["location"].endswith(f"{url(host)}/VCPU")


class TestARefusal:
    def test_of_a_class_that_is_there_names_class_and_provider(self, api):
        host = provider(vcpu=4)

        response = api.post(url(host), {"resource_class": "VCPU", "total": 8})

        assert (response.status_code, error(response)["code"]) == (409, "placement.concurrent_update")
        text = error(response)["detail"]
        assert all(part in text for part in ("Update conflict", "VCPU", host.uuid))
        assert not any(word in text.lower() for word in ("insert", "unique", "placement_app"))
        host.refresh_from_db()
        assert (host.generation, Inventory.objects.get().total) == (0, 4)

    def test_of_a_class_nobody_knows(self, api):
        response = api.post(url(provider()), {"resource_class": "CUSTOM_NONE", "total": 8})

        assert response.status_code == 400
        assert "Unable to create inventory for resource provider" in error(response)["detail"]
        assert "No such resource class CUSTOM_NONE" in error(response)["detail"]

    @pytest.mark.parametrize(("version", "status"), [("1.25", 400), ("1.26", 201)])
    def test_of_what_is_reserved_in_full_was_dropped(self, api, version, status):
        """LP #1771577."""
        body = {"resource_class": "VCPU", "total": 8, "reserved": 8}

        assert api.post(url(provider()), body, version=version).status_code == status

    def test_of_more_reserved_than_there_is(self, api):
        response = api.post(url(provider()), {"resource_class": "VCPU", "total": 8, "reserved": 9})

        assert response.status_code == 400
        assert "Unable to create inventory for resource provider" in error(response)["detail"]
        assert not Inventory.objects.exists()

    @pytest.mark.parametrize(
        ("body", "text"),
        [
            ({"resource_class": "VCPU"}, "'total' is a required property"),
            ({"total": 4}, "'resource_class' is a required property"),
            ({"resource_class": "vcpu", "total": 4}, "'vcpu' does not match '^[A-Z0-9_]+$'"),
            ({"resource_class": "VCPU", "total": 0}, "Failed validating 'minimum' in schema['properties']['total']"),
            ({"resource_class": "VCPU", "total": 2**31}, "Failed validating 'maximum'"),
            ({"resource_class": "VCPU", "total": 4, "bad_field": 1}, "('bad_field' was unexpected)"),
            ([], "is not of type 'object'"),
        ],
    )
    def test_of_what_does_not_fit_names_the_rule(self, api, body, text):
        response = api.post(url(provider()), body)

        assert response.status_code == 400
        assert "JSON does not validate" in error(response)["detail"]
        assert text in error(response)["detail"]

    def test_of_an_unknown_provider_comes_before_the_body(self, api):
        response = api.post(f"/resource_providers/{new_uuid()}/inventories", "{")

        assert response.status_code == 404
