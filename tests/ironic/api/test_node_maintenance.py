"""PUT and DELETE /v1/nodes/<node>/maintenance."""

import pytest

from ironic_app.models import Node
from tests.ironic.builders import make_node


class TestMaintenance:
    @pytest.mark.parametrize(
        ("body", "reason"),
        [({"reason": "broken fan"}, "broken fan"), ({}, None), (None, None), ({"reason": None}, None)],
    )
    def test_begins_with_a_reason_or_without(self, baremetal, body, reason):
        node = make_node()

        response = baremetal.put(f"/v1/nodes/{node.uuid}/maintenance", body)

        assert (response.status_code, response.content) == (202, b"")
        stored = Node.objects.get()
        assert (stored.maintenance, stored.maintenance_reason) == (True, reason)

    def test_ends_with_its_reason_and_the_fault(self, baremetal):
        node = make_node(maintenance=True, maintenance_reason="broken fan", fault="power failure")

        response = baremetal.delete(f"/v1/nodes/{node.uuid}/maintenance")

        assert response.status_code == 202
        stored = Node.objects.get()
        assert (stored.maintenance, stored.maintenance_reason, stored.fault) == (False, None, None)

    def test_is_possible_in_the_middle_of_a_transition(self, baremetal):
        node = make_node(provision_state="deploying", target_provision_state="active")

        assert baremetal.put(f"/v1/nodes/{node.uuid}/maintenance", {}).status_code == 202

    def test_that_is_what_it_was_changes_nothing(self, baremetal):
        node = make_node()

        baremetal.delete(f"/v1/nodes/{node.uuid}/maintenance")

        assert Node.objects.get().generation == 0

    @pytest.mark.parametrize("body", [[], "x", {"reason": 7}, {"why": "x"}])
    def test_refuses_what_is_no_reason(self, baremetal, body):
        node = make_node()

        assert baremetal.put(f"/v1/nodes/{node.uuid}/maintenance", body).status_code == 400

    def test_of_no_node_is_not_found(self, baremetal):
        assert baremetal.put("/v1/nodes/node-1/maintenance", {}).status_code == 404
