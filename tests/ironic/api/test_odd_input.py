"""Input that nobody means: a clear refusal, or stored as it came. Never an error of the server."""

import json
from typing import Any

import pytest

from tests.ironic.builders import add, fault, make_node

UUID = "8a6f0c6e-6f5d-4f7b-9c1e-0d6a1f1c2b3a"


def nested(depth):
    return json.loads("[" * depth + "]" * depth)


@pytest.fixture
def node(db):
    return make_node(uuid=UUID)


class TestDocuments:
    @pytest.mark.parametrize(
        "value",
        [
            2**31,
            2**63,
            2**64 - 1,
            -(2**63),
            1.5e308,
            5e-324,
            -0.0,
            "",
            "\u2028\ufeff\U0001f600",
            "%s %(x)s {x} \\",
            "'; DROP TABLE ironic_app_node; --",
            {"": 1},
            {"%": {"\u0000x"[1:]: None}},
            nested(20),
            [],
            {},
            True,
        ],
    )
    def test_are_stored_as_they_came(self, baremetal, node, value):
        response = baremetal.patch(f"/v1/nodes/{UUID}", [add("/extra/value", value)])

        assert response.status_code == 200, response.content
        assert baremetal.get(f"/v1/nodes/{UUID}").json()["extra"] == {"value": value}

    @pytest.mark.parametrize("depth", [300, 900, 980, 1000, 1020, 1100, 100_000])
    @pytest.mark.parametrize("path", ["/extra/value", "/instance_uuid", "/name"])
    def test_that_are_too_deep_are_refused(self, baremetal, node, path, depth):
        body = f'[{{"op": "add", "path": "{path}", "value": {"[" * depth}{"]" * depth}}}]'

        assert baremetal.patch(f"/v1/nodes/{UUID}", body).status_code == 400

    def test_do_not_get_too_deep_step_by_step(self, baremetal, node):
        path, statuses = "/extra", []
        for _ in range(5):
            value: dict[str, Any] = {}
            for _ in range(30):
                value = {"a": value}
            statuses.append(baremetal.patch(f"/v1/nodes/{UUID}", [add(f"{path}/a", value)]).status_code)
            path += "/a" * 30

        assert statuses == [200, 200, 400, 400, 400]
        assert baremetal.patch(f"/v1/nodes/{UUID}", [add("/extra" + "/a" * 5000, 1)]).status_code == 400

    def test_may_have_numbers_that_are_too_long_for_any_column(self, baremetal, node):
        body = f'[{{"op": "add", "path": "/extra/value", "value": {"9" * 400}}}]'

        assert baremetal.patch(f"/v1/nodes/{UUID}", body).status_code in {200, 400}

    @pytest.mark.parametrize(
        "text", [r'"\ud800"', r'"\u0000"', '"\x00"', "NaN", "Infinity", "1e999", "01", "'a'", "{a: 1}"]
    )
    def test_that_are_no_json_are_refused(self, baremetal, node, text):
        response = baremetal.patch(f"/v1/nodes/{UUID}", f'[{{"op": "add", "path": "/extra/value", "value": {text}}}]')

        assert response.status_code == 400
        assert fault(response)["faultstring"]

    @pytest.mark.parametrize("body", [b"\xff\xfe", b"\xc3\x28", b"[" * 5000, b"\x00", b"[]garbage", b" "])
    @pytest.mark.parametrize(
        ("method", "path"),
        [
            ("POST", "/v1/nodes"),
            ("PATCH", f"/v1/nodes/{UUID}"),
            ("PUT", f"/v1/nodes/{UUID}/maintenance"),
            ("PUT", f"/v1/nodes/{UUID}/traits"),
            ("PUT", f"/v1/nodes/{UUID}/states/provision"),
            ("PUT", f"/v1/nodes/{UUID}/states/power"),
        ],
    )
    def test_that_are_no_text_are_refused(self, baremetal, node, method, path, body):
        assert baremetal.send(method, path, body).status_code == 400


class TestFields:
    @pytest.mark.parametrize("value", ["x" * 100_000, 7, 7.5, [], {}, True])
    @pytest.mark.parametrize(
        "name",
        [
            "name", "owner", "lessee", "driver", "resource_class", "shard", "instance_name", "conductor_group",
            "chassis_uuid", "parent_node", "instance_uuid", "power_interface", "maintenance", "protected_reason",
            "retired_reason", "description", "automated_clean", "extra", "network_data",
        ],
    )  # fmt: skip
    def test_take_their_own_kind_of_value_only(self, baremetal, node, name, value):
        status = baremetal.patch(f"/v1/nodes/{UUID}", [add(f"/{name}", value)]).status_code

        fits = (value is True and name in {"maintenance", "automated_clean"}) or (
            value == {} and name in {"extra", "network_data"}
        )
        assert status == (200 if fits else 400)


class TestQueries:
    @pytest.mark.parametrize(
        "query",
        [
            "limit=99999999999999999999",
            "limit=1&limit=2",
            "marker=&limit=1",
            "fields=",
            "fields=,,",
            "sort_key=",
            "owner=" + "x" * 5000,
            "owner=%00",
            "owner=%F0%9F%98%80",
            "%FF=1",
            "&&&",
            "=",
            "limit",
            "shard=,",
            "description_contains=%25%5F%5C",
            "provision_state=%00",
            "sort_key=id&sort_dir=desc&marker=" + UUID,
        ],
    )
    def test_are_answered_or_refused(self, baremetal, node, query):
        assert baremetal.get(f"/v1/nodes?{query}").status_code in {200, 400}
