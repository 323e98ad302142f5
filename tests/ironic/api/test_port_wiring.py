"""/v1/ports: which switch a port is plugged into, and which other ports it goes together with."""

import pytest

from ironic_app.models import PortGroup
from tests.ironic.builders import add, fault, make_node, make_port

pytestmark = pytest.mark.django_db(transaction=True)

MAC, OTHER_MAC = "52:54:00:aa:bb:01", "52:54:00:aa:bb:02"


class TestLinks:
    @pytest.mark.parametrize(
        ("link", "told"),
        [
            ({"switch_id": "x", "port_id": "1"}, "Expected a MAC address or OpenFlow datapath ID but received x."),
            ({"switch_id": 7, "port_id": "1"}, "Schema error for port: 7 is not of type 'string'"),
            ({"switch_id": MAC, "port_id": None}, "Schema error for port: None is not of type 'string'"),
            (
                {"network_type": "managed"},
                "Schema error for port: 'switch_id' and 'port_id' are required properties of local_link_connection",
            ),
            (
                {"switch_id": MAC, "port_id": "1", "network_type": "other"},
                "Schema error for port: 'other' is not one of ['managed', 'unmanaged']",
            ),
            ({"network_type": "unmanaged"}, None),
            ({"switch_id": "00AABBCCDDEEFF00", "port_id": "1"}, None),
            ({"hostname": "smart", "port_id": "1"}, None),
        ],
    )
    def test_name_a_switch_that_can_be(self, baremetal, link, told):
        body = {"node_uuid": make_node().uuid, "address": MAC, "local_link_connection": link}

        response = baremetal.post("/v1/ports", body)

        assert response.status_code == (400 if told else 201)
        assert told is None or fault(response)["faultstring"] == told

    def test_have_one_spelling_of_a_switch(self, baremetal):
        link = {"switch_id": MAC.upper(), "port_id": "Eth1"}

        made = baremetal.post(
            "/v1/ports", {"node_uuid": make_node().uuid, "address": MAC, "local_link_connection": link}
        )

        assert made.json()["local_link_connection"] == {"switch_id": MAC, "port_id": "Eth1"}


class TestGroups:
    """All ports of a group are on one physical network."""

    GROUP = "22222222-2222-4222-8222-222222222222"

    @pytest.fixture
    def node(self, db):
        node = make_node(provision_state="manageable")
        PortGroup.objects.create(uuid=self.GROUP, node=node)
        return node

    def test_take_no_port_of_another_network(self, baremetal, node):
        make_port(node, address=MAC, portgroup_id=self.GROUP, physical_network="net-1")
        other = make_port(node, address=OTHER_MAC)

        joined = baremetal.patch(f"/v1/ports/{other.uuid}", [add("/portgroup_uuid", self.GROUP)])
        brought = baremetal.patch(
            f"/v1/ports/{other.uuid}", [add("/portgroup_uuid", self.GROUP), add("/physical_network", "net-1")]
        )
        left = baremetal.patch(f"/v1/ports/{other.uuid}", [add("/physical_network", "net-2")])

        assert [joined.status_code, brought.status_code, left.status_code] == [409, 200, 409]
        assert fault(joined)["faultstring"] == (
            f"Port with physical network None cannot become a member of port group {self.GROUP} which has ports in "
            "physical network net-1."
        )

    @pytest.mark.parametrize(("network", "status"), [("net-1", 201), (None, 409), ("net-2", 409)])
    def test_without_ports_go_by_their_own_network(self, baremetal, node, network, status):
        PortGroup.objects.update(physical_network="net-1")
        body = {"node_uuid": node.uuid, "address": MAC, "portgroup_uuid": self.GROUP, "physical_network": network}

        assert baremetal.post("/v1/ports", body).status_code == status

    def test_of_no_network_take_the_first_port_whatever_its_network(self, baremetal, node):
        body = {"node_uuid": node.uuid, "address": MAC, "portgroup_uuid": self.GROUP, "physical_network": "net-1"}

        assert baremetal.post("/v1/ports", body).status_code == 201
