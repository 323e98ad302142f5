"""/v1/nodes/<node>/vifs: what of the network is bound to which port."""

import pytest

from ironic_app.models import Node, PortGroup, VifAttachment
from tests.ironic.builders import fault, make_node, make_port

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def node():
    return make_node(name="node-1")


def attach(baremetal, vif, **options):
    return baremetal.post("/v1/nodes/node-1/vifs", {"id": vif} | options)


class TestVifs:
    def test_are_attached_listed_and_detached(self, baremetal, node):
        port = make_port(node, address="52:54:00:00:00:01")

        assert attach(baremetal, "vif-1").status_code == 204
        assert baremetal.get("/v1/nodes/node-1/vifs").json() == {"vifs": [{"id": "vif-1"}]}
        assert baremetal.get(f"/v1/ports/{port.uuid}").json()["internal_info"] == {"tenant_vif_port_id": "vif-1"}

        assert baremetal.delete("/v1/nodes/node-1/vifs/vif-1").status_code == 204
        assert baremetal.get("/v1/nodes/node-1/vifs").json() == {"vifs": []}
        assert baremetal.get(f"/v1/ports/{port.uuid}").json()["internal_info"] == {}

    def test_are_attached_once(self, baremetal, node):
        port = make_port(node, address="52:54:00:00:00:01")
        make_port(node, address="52:54:00:00:00:02")
        attach(baremetal, "vif-1")

        response = attach(baremetal, "vif-1")

        assert response.status_code == 409
        assert fault(response)["faultstring"] == (
            f"Unable to attach VIF because VIF vif-1 is already attached to Ironic Port {port.uuid}"
        )

    def test_need_a_free_port_each(self, baremetal, node):
        make_port(node, address="52:54:00:00:00:01")
        attach(baremetal, "vif-1")

        response = attach(baremetal, "vif-2")

        assert response.status_code == 400
        assert "not enough free physical ports" in fault(response)["faultstring"]

    def test_of_a_node_that_is_only_kept_in_the_books_need_none(self, baremetal, node):
        assert {attach(baremetal, vif).status_code for vif in ("vif-1", "vif-2")} == {204}

    def test_go_to_groups_first_and_to_ports_that_boot_before_others(self, baremetal, node):
        make_port(node, address="52:54:00:00:00:01", pxe_enabled=False)
        boots = make_port(node, address="52:54:00:00:00:02")
        group = PortGroup.objects.create(uuid="22222222-2222-4222-8222-222222222222", node=node)
        make_port(node, address="52:54:00:00:00:03", portgroup=group)

        for vif in ("vif-1", "vif-2"):
            attach(baremetal, vif)

        first, second = VifAttachment.objects.order_by("pk")
        assert (first.portgroup, second.port) == (group, boots)

    def test_go_where_they_are_told_to(self, baremetal, node):
        make_port(node, address="52:54:00:00:00:01")
        port = make_port(node, address="52:54:00:00:00:02")

        assert attach(baremetal, "vif-1", port_uuid=port.uuid).status_code == 204
        assert VifAttachment.objects.get().port == port
        assert attach(baremetal, "vif-2", port_uuid=port.uuid).status_code == 400
        assert attach(baremetal, "vif-2", port_uuid=port.uuid, portgroup_uuid=port.uuid).status_code == 400
        assert attach(baremetal, "vif-2", port_uuid="x").status_code == 400

    @pytest.mark.parametrize("body", [None, {}, [], {"id": 7}, {"id": ""}, {"id": "x" * 256}])
    def test_have_an_id(self, baremetal, node, body):
        assert baremetal.post("/v1/nodes/node-1/vifs", body).status_code == 400

    def test_that_are_not_attached_can_not_be_detached(self, baremetal, node):
        response = baremetal.delete("/v1/nodes/node-1/vifs/vif-1")

        assert response.status_code == 400
        assert fault(response)["faultstring"].startswith("Unable to detach VIF vif-1")

    def test_were_not_there_before_their_version(self, baremetal, node):
        assert baremetal.get("/v1/nodes/node-1/vifs", version="1.27").status_code == 404

    def test_of_a_locked_node_can_be_seen_but_not_changed(self, baremetal, node):
        Node.objects.update(reservation="conductor-1")

        assert baremetal.get("/v1/nodes/node-1/vifs").status_code == 200
        assert attach(baremetal, "vif-1").status_code == 409
