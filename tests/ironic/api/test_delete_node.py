"""DELETE /v1/nodes/<node>."""

import pytest

from claimsite.foundation.uuids import new_uuid
from ironic_app.models import Allocation, Node, OwnershipEvent, Port, PortGroup, VifAttachment
from tests.ironic.builders import fault, make_allocation, make_node


def delete(client, node, **options):
    return client.delete(f"/v1/nodes/{node.uuid}", **options)


class TestDelete:
    @pytest.mark.parametrize("state", ["enroll", "manageable", "adopt failed", "available"])
    def test_is_possible_in_these_states(self, baremetal, state):
        node = make_node(provision_state=state)

        response = delete(baremetal, node)

        assert (response.status_code, response.content) == (204, b"")
        assert not Node.objects.exists()
        assert delete(baremetal, node).status_code == 404

    @pytest.mark.parametrize("state", ["active", "deploying", "cleaning", "error", "deploy failed", "inspecting"])
    def test_is_refused_in_others_but_not_in_maintenance(self, baremetal, state):
        node, broken = make_node(provision_state=state), make_node(provision_state=state, maintenance=True)

        response = delete(baremetal, node)

        assert (response.status_code, fault(response)["code"]) == (409, "NodeUndeletable")
        assert delete(baremetal, broken).status_code == 204

    def test_is_refused_while_somebody_has_the_node(self, baremetal):
        node = make_node(instance_uuid=new_uuid())

        response = delete(baremetal, node)

        assert response.status_code == 409
        assert fault(response)["faultstring"] == f"Node {node.uuid} is associated with instance {node.instance_uuid}."

    def test_is_never_possible_for_protected_nodes(self, baremetal):
        node = make_node(protected=True, provision_state="active", maintenance=True)

        response = delete(baremetal, node)

        assert (response.status_code, fault(response)["code"]) == (403, "NodeProtected")
        assert Node.objects.exists()

    def test_is_refused_while_there_are_children(self, baremetal):
        node = make_node()
        make_node(parent_id=node.uuid)

        assert delete(baremetal, node).status_code == 409

    def test_takes_everything_with_it(self, baremetal):
        node = make_node()
        group = PortGroup.objects.create(uuid=new_uuid(), node=node)
        port = Port.objects.create(uuid=new_uuid(), node=node, portgroup=group, address="52:54:00:00:00:01")
        VifAttachment.objects.create(node=node, vif_id="vif-1", port=port)

        assert delete(baremetal, node).status_code == 204
        assert not Port.objects.exists()

    def test_in_maintenance_ends_the_claim_and_its_allocation(self, baremetal):
        """Story 2007823: this ended in an error of the server."""
        allocation = make_allocation(state="active")
        node = make_node(instance_uuid=allocation.uuid, allocation=allocation, maintenance=True)

        assert delete(baremetal, node).status_code == 204

        assert not Allocation.objects.exists()
        event = OwnershipEvent.objects.get()
        assert (event.event, event.before, event.reason) == ("released", allocation.uuid, "deleted")

    def test_leaves_the_nodes_story(self, baremetal):
        node = make_node(owner="p1")
        OwnershipEvent.objects.create(event="claimed", node_uuid=node.uuid, after="p1", subject="owner")

        delete(baremetal, node)

        assert OwnershipEvent.objects.filter(node_uuid=node.uuid).exists()
