"""PATCH /v1/nodes/{node}: attributes whose values have a form of their own."""

from typing import Any

import pytest

from tests.ironic.builders import add, fault, make_node, remove, replace

UUID = "8a6f0c6e-6f5d-4f7b-9c1e-0d6a1f1c2b3a"


@pytest.fixture
def node(db):
    return make_node(uuid=UUID)


def patch(client, *operations):
    return client.patch(f"/v1/nodes/{UUID}", list(operations))


class TestNetworkData:
    EMPTY: dict[str, Any] = {"links": [], "networks": [], "services": []}

    @pytest.mark.parametrize(
        ("data", "told"),
        [
            ({}, None),
            (EMPTY, None),
            ({"links": []}, "Invalid network_data: 'networks' is a required property"),
            (EMPTY | {"links": 7}, "Invalid network_data: 7 is not of type 'array'"),
        ],
    )
    def test_is_nothing_or_has_all_three_lists(self, baremetal, node, data, told):
        response = patch(baremetal, replace("/network_data", data))

        assert response.status_code == (400 if told else 200)
        assert told is None or fault(response)["faultstring"] == told

    def test_that_is_torn_to_pieces_is_refused(self, baremetal, node):
        patch(baremetal, replace("/network_data", self.EMPTY))

        assert patch(baremetal, remove("/network_data/links")).status_code == 400
        assert baremetal.get(f"/v1/nodes/{UUID}").json()["network_data"] == self.EMPTY


class TestInstanceName:
    def test_is_a_name_or_nothing(self, baremetal, node):
        assert patch(baremetal, add("/instance_name", "vm-1")).status_code == 200
        assert patch(baremetal, add("/instance_name", "")).status_code == 400
        assert patch(baremetal, remove("/instance_name")).json()["instance_name"] is None
