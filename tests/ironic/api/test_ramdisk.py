"""What machines ask that boot from a ramdisk: without a token, and here in vain, since no machine exists."""

import pytest

from tests.ironic.builders import fault, make_node

pytestmark = pytest.mark.django_db(transaction=True)

MAC = "52:54:00:00:00:01"
DATA = {"inventory": {"interfaces": [{"mac_address": MAC}]}}


NOBODY = {"token": "somebody:p1", "headers": {"X-Roles": ""}}


class TestLookup:
    @pytest.mark.parametrize(
        ("query", "status"),
        [
            ("", 400),
            (f"?addresses={MAC}", 404),
            ("?node_uuid=1f0e8f0a-0000-4000-8000-00000000000a", 404),
            ("?x=1", 400),
        ],
    )
    def test_finds_nobody(self, baremetal, query, status):
        assert baremetal.get(f"/v1/lookup{query}", **NOBODY).status_code == status

    def test_was_not_there_before_its_version(self, baremetal):
        assert baremetal.get(f"/v1/lookup?addresses={MAC}", **NOBODY, version="1.21").status_code == 404


class TestHeartbeat:
    def test_needs_a_secret_that_nobody_was_given(self, baremetal):
        node = make_node()

        response = baremetal.post(f"/v1/heartbeat/{node.uuid}", {"callback_url": "http://x"}, **NOBODY)

        assert response.status_code == 400
        assert fault(response)["faultstring"] == "Agent token is required for heartbeat processing."

    @pytest.mark.parametrize(("body", "status"), [({}, 400), ([], 400), (None, 400), ({"callback_url": "x"}, 404)])
    def test_is_of_a_node_and_says_whence(self, baremetal, body, status):
        path = "/v1/heartbeat/1f0e8f0a-0000-4000-8000-00000000000a"

        assert baremetal.post(path, body, **NOBODY).status_code == status


class TestContinueInspection:
    @pytest.mark.parametrize("version", ["1.1", "1.84", "newest"])
    def test_finds_no_node_that_waits_for_it(self, baremetal, version):
        response = baremetal.post("/v1/continue_inspection", DATA, **NOBODY, version=version)

        assert (response.status_code, fault(response)["faultstring"]) == (404, "Resource could not be found.")

    @pytest.mark.parametrize(("query", "version"), [("", "1.2"), ("", "1.83"), ("?node_uuid=" + "a" * 32, "1.1")])
    def test_was_not_there_before_its_version(self, baremetal, query, version):
        response = baremetal.post(f"/v1/continue_inspection{query}", DATA, **NOBODY, version=version)

        assert response.status_code == 404
        assert fault(response)["faultstring"] == "API version 1.84 or newer is required"

    @pytest.mark.parametrize(
        ("body", "text"),
        [
            (None, "Schema error for data: None is not of type 'object'"),
            ([], "Schema error for data: [] is not of type 'object'"),
            ({}, "Schema error for data: 'inventory' is a required property"),
            ({"inventory": {}}, "Schema error for data: 'interfaces' is a required property"),
            ({"inventory": {"interfaces": []}}, "Schema error for data: [] should be non-empty"),
            ({"inventory": {"interfaces": [7]}}, "Schema error for data: 7 is not of type 'object'"),
        ],
    )
    def test_says_what_is_wrong_with_the_data(self, baremetal, body, text):
        response = baremetal.post("/v1/continue_inspection", body, **NOBODY)

        assert (response.status_code, fault(response)["faultstring"]) == (400, text)

    def test_is_listed_where_it_is_known(self, baremetal):
        assert "continue_inspection" in baremetal.get("/v1", version="1.84").json()
        assert "continue_inspection" not in baremetal.get("/v1", version="1.83").json()
