"""GET and POST /resource_classes; GET, PUT and DELETE /resource_classes/{name}."""

from __future__ import annotations

import pytest

from claimsite.foundation.uuids import new_uuid
from placement_app.models import ResourceClass
from placement_app.services import standards
from tests.builders import claim, provider

URL = "/resource_classes"
NO_NAMES = ["CUSTOM_", "CUSTOM_x", "custom_X", "CUSTOM-X", "CUSTOM_X Y", "CUSTOM_Ä", "VCPU", "X", "CUSTOM_X\n"]


def detail(response) -> str:
    return response.json()["errors"][0]["detail"]


class TestTheList:
    def test_has_the_standard_ones_first_then_the_custom_ones_by_creation(self, api):
        for name in ("CUSTOM_B", "CUSTOM_A"):
            api.put(f"{URL}/{name}")

        response = api.get(URL)

        names = [document["name"] for document in response.json()["resource_classes"]]
        assert names == [*standards.standard_resource_classes(), "CUSTOM_B", "CUSTOM_A"]
        assert response.json()["resource_classes"][0] == {
            "name": "VCPU",
            "links": [{"rel": "self", "href": "/placement/resource_classes/VCPU"}],
        }
        assert {"last-modified", "cache-control"} <= {name.lower() for name in response.headers}

    def test_costs_one_query(self, api, django_assert_num_queries):
        with django_assert_num_queries(1):
            api.get(URL)


class TestOneClass:
    @pytest.mark.parametrize("name", ["VCPU", "CUSTOM_GOLD"])
    def test_is_shown_with_its_address(self, api, name):
        """LP #1760322: standard names are there from the start, whatever the first request was."""
        api.put(f"{URL}/CUSTOM_GOLD")

        response = api.get(f"{URL}/{name}")

        assert response.json() == {
            "name": name,
            "links": [{"rel": "self", "href": f"/placement/resource_classes/{name}"}],
        }
        assert {"last-modified", "cache-control"} <= {header.lower() for header in response.headers}

    @pytest.mark.parametrize("name", ["CUSTOM_NONE", "vcpu", "%00", "%F0%9F%A4%96", "x" * 300])
    def test_that_nobody_made_is_not_found(self, api, name):
        assert api.get(f"{URL}/{name}").status_code == 404


class TestPost:
    def test_makes_a_class(self, api):
        response = api.post(URL, {"name": "CUSTOM_GOLD"})

        assert (response.status_code, response.content) == (201, b"")
        assert response.headers["location"] == "http://testserver/placement/resource_classes/CUSTOM_GOLD"
        assert not {"content-type", "last-modified"} & {name.lower() for name in response.headers}
        assert api.get(response.headers["location"]).status_code == 200

    def test_of_a_name_that_is_taken_is_refused(self, api):
        """LP #1723123."""
        api.post(URL, {"name": "CUSTOM_GOLD"})

        response = api.post(URL, {"name": "CUSTOM_GOLD"})

        assert response.status_code == 409
        assert "Conflicting resource class already exists" in detail(response)

    @pytest.mark.parametrize("name", [*NO_NAMES, "CUSTOM_" + "X" * 249, 5, None])
    def test_of_what_is_no_custom_name_is_refused(self, api, name):
        response = api.post(URL, {"name": name})

        assert response.status_code == 400
        assert "JSON does not validate" in detail(response)
        assert ResourceClass.objects.count() == len(standards.standard_resource_classes())

    @pytest.mark.parametrize("body", [{}, [], {"name": "CUSTOM_X", "more": 1}, "{"])
    def test_of_what_does_not_fit_is_refused(self, api, body):
        assert api.post(URL, body).status_code == 400


class TestPut:
    def test_makes_a_class_once(self, api):
        """LP #1723123."""
        name = "CUSTOM_" + "X" * 248

        answers = [api.put(f"{URL}/{name}") for _ in range(2)]

        assert [answer.status_code for answer in answers] == [201, 204]
        for answer in answers:
            assert answer.headers["location"] == f"http://testserver/placement/resource_classes/{name}"
            assert answer.content == b""
            assert "content-type" not in {header.lower() for header in answer.headers}

    @pytest.mark.parametrize("name", [*NO_NAMES[:-1], "CUSTOM_X%0A", "%00"])
    def test_of_what_is_no_custom_name_is_refused(self, api, name):
        """LP #1658868: standard ones, too, are not for making."""
        response = api.put(f"{URL}/{name}")

        assert response.status_code == 400
        assert "JSON does not validate" in detail(response)

    def test_names_the_rule_that_was_broken(self, api):
        assert "Failed validating 'pattern'" in detail(api.put(f"{URL}/CUSTOM-X"))
        assert "Failed validating 'maxLength'" in detail(api.put(f"{URL}/CUSTOM_{'X' * 249}"))

    def test_minds_no_body_and_no_media_type(self, api):
        assert api.put(f"{URL}/CUSTOM_X", "anything", content_type="text/plain").status_code == 201


class TestDelete:
    def test_removes_a_class_that_nobody_uses(self, api):
        api.put(f"{URL}/CUSTOM_GOLD")

        response = api.delete(f"{URL}/CUSTOM_GOLD")

        assert (response.status_code, response.content) == (204, b"")
        assert api.get(f"{URL}/CUSTOM_GOLD").status_code == 404

    def test_of_a_class_in_use_is_refused(self, api):
        """LP #1658868."""
        host = provider(custom_gold=4)
        api.put(f"/allocations/{new_uuid()}", claim({host: {"CUSTOM_GOLD": 1}}))

        response = api.delete(f"{URL}/CUSTOM_GOLD")

        assert response.status_code == 409
        assert "Error in delete resource class" in detail(response)
        assert "Class is in use in inventory" in detail(response)
        assert api.get(f"{URL}/CUSTOM_GOLD").status_code == 200

    def test_of_a_standard_class_is_refused(self, api):
        response = api.delete(f"{URL}/VCPU")

        assert response.status_code == 400
        assert "Cannot delete standard resource class" in detail(response)

    def test_of_what_nobody_made_is_not_found(self, api):
        assert api.delete(f"{URL}/CUSTOM_NONE").status_code == 404
