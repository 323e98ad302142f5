"""What was different about resource classes in older versions: PUT renamed them."""

from __future__ import annotations

import pytest

from claimsite.foundation.uuids import new_uuid
from placement_app.models import Allocation, Inventory, ResourceClass
from tests.builders import claim, provider

URL = "/resource_classes"


def rename(api, name: str, body, version: str = "1.6"):
    return api.put(f"{URL}/{name}", body, version=version)


def detail(response) -> str:
    return response.json()["errors"][0]["detail"]


@pytest.fixture
def gold(db) -> ResourceClass:
    return ResourceClass.objects.create(id=10_000, name="CUSTOM_GOLD")


class TestRenaming:
    @pytest.mark.parametrize("version", ["1.2", "1.6"])
    def test_keeps_the_class_and_its_place_in_the_list(self, api, gold, version):
        response = rename(api, "CUSTOM_GOLD", {"name": "CUSTOM_SILVER"}, version=version)

        assert response.status_code == 200
        assert response.json() == api.get(f"{URL}/CUSTOM_SILVER").json()
        assert api.get(f"{URL}/CUSTOM_GOLD").status_code == 404
        assert ResourceClass.objects.get(name="CUSTOM_SILVER").pk == gold.pk

    def test_to_the_present_name_is_nothing(self, api, gold):
        assert rename(api, "CUSTOM_GOLD", {"name": "CUSTOM_GOLD"}).status_code == 200

    def test_reaches_everything_that_is_made_of_it(self, api, gold):
        host, consumer = provider(custom_gold=4), new_uuid()
        api.put(f"/allocations/{consumer}", claim({host: {"CUSTOM_GOLD": 3}}))

        rename(api, "CUSTOM_GOLD", {"name": "CUSTOM_SILVER"})

        inventory, allocation = Inventory.objects.get(), Allocation.objects.get()
        assert (inventory.resource_class_id, inventory.used) == ("CUSTOM_SILVER", 3)
        assert (allocation.resource_class_id, allocation.used) == ("CUSTOM_SILVER", 3)
        host.refresh_from_db()
        assert host.generation == 1

    def test_to_a_name_that_is_taken_is_refused(self, api, gold):
        api.post(URL, {"name": "CUSTOM_SILVER"})

        response = rename(api, "CUSTOM_GOLD", {"name": "CUSTOM_SILVER"})

        assert response.status_code == 409
        assert "Resource class already exists" in detail(response)
        assert "CUSTOM_SILVER" in detail(response)
        assert api.get(f"{URL}/CUSTOM_GOLD").status_code == 200

    def test_of_a_standard_class_is_refused(self, api):
        response = rename(api, "VCPU", {"name": "CUSTOM_VCPU"})

        assert response.status_code == 400
        assert "Cannot update standard resource class VCPU" in detail(response)

    def test_of_what_nobody_made_is_not_found(self, api):
        assert rename(api, "CUSTOM_NONE", {"name": "CUSTOM_GOLD"}).status_code == 404

    @pytest.mark.parametrize(
        ("body", "text"),
        [
            ({"name": "VCPU"}, "JSON does not validate"),
            ({"name": "CUSTOM_x"}, "JSON does not validate"),
            ({"name": "CUSTOM_" + "X" * 249}, "Failed validating 'maxLength'"),
            ({"name": "CUSTOM_X", "links": []}, "Additional properties are not allowed"),
            (" ", "Malformed JSON:"),
        ],
    )
    def test_needs_a_custom_name(self, api, gold, body, text):
        response = rename(api, "CUSTOM_GOLD", body)

        assert response.status_code == 400
        assert text in detail(response)

    def test_minds_the_media_type(self, api, gold):
        answers = [
            api.put(
                f"{URL}/CUSTOM_GOLD", '{"name": "CUSTOM_X"}', version=version, content_type="text/plain"
            ).status_code
            for version in ("1.6", "1.7")
        ]

        assert answers == [415, 204]


class TestTheRoutes:
    def test_came_with_1_2(self, api, gold):
        before = [
            api.send(method, url, {}, version="1.1").status_code
            for method, url in [
                ("GET", URL),
                ("POST", URL),
                ("GET", f"{URL}/VCPU"),
                ("PUT", f"{URL}/CUSTOM_GOLD"),
                ("DELETE", f"{URL}/CUSTOM_GOLD"),
            ]
        ]

        assert before == [404] * 5
        assert api.get(URL, version="1.2").status_code == 200

    def test_have_no_cache_headers_before_1_15(self, api):
        for url in (URL, f"{URL}/VCPU"):
            headers = api.get(url, version="1.14").headers

            assert not {"last-modified", "cache-control"} & {name.lower() for name in headers}
