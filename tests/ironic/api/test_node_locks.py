"""Nodes on which somebody works: writes wait a moment and are told who it is; reads never wait (LP #1321494)."""

import threading
import time

import pytest
from django.utils import timezone

from ironic_app.models import ConflictRecord, Node, OwnershipEvent
from tests.ironic.builders import add, fault, make_node, remove

ONE = "1f0e8f0a-0000-4000-8000-00000000000a"
OTHER = "2f0e8f0a-0000-4000-8000-00000000000b"
WRITES = {
    "claim": ("PATCH", "", [add("/instance_uuid", ONE)]),
    "update": ("PATCH", "", [add("/extra/a", 1)]),
    "delete": ("DELETE", "", None),
    "begin maintenance": ("PUT", "/maintenance", {}),
    "end maintenance": ("DELETE", "/maintenance", None),
    "replace traits": ("PUT", "/traits", {"traits": ["CUSTOM_A"]}),
    "add a trait": ("PUT", "/traits/CUSTOM_A", None),
    "remove traits": ("DELETE", "/traits", None),
    "deploy": ("PUT", "/states/provision", {"target": "active"}),
    "switch on": ("PUT", "/states/power", {"target": "power on"}),
    "open the console": ("PUT", "/states/console", {"enabled": True}),
}


class TestLockedNode:
    @pytest.fixture(autouse=True)
    def impatience(self, settings):
        settings.NODE_LOCK_WAIT_SECONDS = 0

    @pytest.fixture
    def node(self, db):
        return make_node(reservation="other-host", reserved_at=timezone.now())

    @pytest.mark.parametrize("name", WRITES)
    def test_refuses_writes_for_the_moment_and_names_the_holder(self, baremetal, node, name):
        method, path, body = WRITES[name]

        response = baremetal.send(method, f"/v1/nodes/{node.uuid}{path}", body)

        assert response.status_code == 409
        assert fault(response)["faultstring"] == (
            f"Node {node.uuid} is locked by host other-host, please retry after the current operation is completed."
        )
        assert fault(response)["code"] == "NodeLocked"
        assert response["Retry-After"] == "1"
        stored = Node.objects.get()
        assert (stored.generation, stored.reservation) == (0, "other-host")

    @pytest.mark.parametrize("path", ["", "/states", "/traits", "/validate", "/children"])
    def test_answers_reads_at_once(self, baremetal, node, path):
        assert baremetal.get(f"/v1/nodes/{node.uuid}{path}").status_code == 200

    def test_shows_its_holder(self, baremetal, node):
        assert baremetal.get(f"/v1/nodes/{node.uuid}").json()["reservation"] == "other-host"

    def test_says_that_it_is_associated_when_it_is_since_waiting_would_not_help(self, baremetal):
        node = make_node(reservation="other-host", instance_uuid=ONE)

        response = baremetal.patch(f"/v1/nodes/{node.uuid}", [add("/instance_uuid", OTHER)])

        assert fault(response)["code"] == "NodeAssociated"
        assert "Retry-After" not in response

    def test_says_that_the_instance_is_associated_when_it_is(self, baremetal, node):
        make_node(instance_uuid=ONE)

        response = baremetal.patch(f"/v1/nodes/{node.uuid}", [add("/instance_uuid", ONE)])

        assert fault(response)["code"] == "InstanceAssociated"

    def test_lets_its_owner_claim_again(self, baremetal):
        node = make_node(reservation="other-host", instance_uuid=ONE)

        assert baremetal.patch(f"/v1/nodes/{node.uuid}", [add("/instance_uuid", ONE)]).status_code == 200

    def test_tells_of_refused_claims_in_its_story_and_of_the_rest_elsewhere(self, baremetal, node):
        baremetal.patch(f"/v1/nodes/{node.uuid}", [add("/instance_uuid", ONE)])
        baremetal.patch(f"/v1/nodes/{node.uuid}", [add("/extra/a", 1)])

        event, record = OwnershipEvent.objects.get(), ConflictRecord.objects.get()
        assert (event.event, event.reason, event.before, event.after) == ("refused", "NodeLocked", None, ONE)
        assert (record.operation, record.reason, record.node_uuid) == ("nodes.edit", "NodeLocked", node.uuid)
        assert record.facts["host"] == "other-host"


@pytest.mark.django_db(transaction=True)
class TestWaiting:
    @pytest.mark.parametrize("name", ["claim", "deploy", "switch on"])
    def test_ends_when_the_node_is_free(self, baremetal, settings, name):
        settings.NODE_LOCK_WAIT_SECONDS = 5
        node = make_node(reservation="other-host")
        release = threading.Timer(0.3, free, [node.pk])
        release.start()
        method, path, body = WRITES[name]

        response = baremetal.send(method, f"/v1/nodes/{node.uuid}{path}", body)

        release.join()
        assert response.status_code in {200, 202}
        assert Node.objects.get().generation > 0

    def test_lets_an_order_follow_the_one_before(self, baremetal, settings):
        """What is not possible yet is when the work that is being done has ended."""
        settings.NODE_LOCK_WAIT_SECONDS = 5
        node = make_node(provision_state="verifying", target_provision_state="manageable", reservation="other-host")
        release = threading.Timer(0.3, arrive, [node.pk])
        release.start()

        response = baremetal.put(f"/v1/nodes/{node.uuid}/states/provision", {"target": "provide"})

        release.join()
        assert response.status_code == 202
        assert Node.objects.get().provision_state == "available"

    def test_ends_when_its_time_is_over(self, baremetal, settings):
        settings.NODE_LOCK_WAIT_SECONDS = 0.2
        node = make_node(reservation="other-host", instance_uuid=ONE)
        began = time.monotonic()

        response = baremetal.patch(f"/v1/nodes/{node.uuid}", [remove("/instance_uuid")])

        assert response.status_code == 409
        assert 0.2 <= time.monotonic() - began < 2


def free(pk, **changes):
    from django.db import connection

    try:
        Node.objects.filter(pk=pk).update(reservation=None, **changes)
    finally:
        connection.close()


def arrive(pk):
    free(pk, provision_state="manageable", target_provision_state=None)
