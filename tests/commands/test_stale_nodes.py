import pytest
from django.core.management import CommandError

from claimsite.foundation.uuids import new_uuid
from ironic_app.models import Node, OwnershipEvent
from placement_app.models import Consumer
from tests.commands import running
from tests.commands.running import found, run

pytestmark = pytest.mark.django_db

LIVING = "aaaaaaaa-0000-4000-8000-000000000001"


@pytest.fixture
def living(tmp_path):
    path = tmp_path / "living"
    path.write_text(f"{LIVING}\n")
    return "--living", str(path)


@pytest.fixture
def nodes(db):
    """Six: two with a dead instance (one available, one active), one with a living one, three free."""
    made = {
        "available": running.machine(name="n1", instance_uuid=new_uuid())[0],
        "active": running.machine(name="n2", instance_uuid=new_uuid(), provision_state="active")[0],
        "living": running.machine(name="n3", instance_uuid=LIVING, provision_state="active")[0],
    }
    for number in range(3):
        running.machine(name=f"free-{number}")
    return made


def instance(node):
    return Node.objects.get(pk=node.pk).instance_uuid


class TestStaleNodes:
    def test_reports_the_nodes_of_the_dead(self, nodes, living):
        assert found("stale_nodes", *living) == sorted(
            [("dead_instance", nodes["available"].uuid), ("dead_instance", nodes["active"].uuid)]
        )
        assert run("stale_nodes", *living)[0] == 3
        assert instance(nodes["available"])

    def test_frees_what_nobody_can_be_using_and_nothing_else(self, nodes, living, monkeypatch):
        monkeypatch.setenv("SUDO_USER", "alma")

        status, output = run("stale_nodes", *living, "--delete", "--reason", "ticket 4711")

        assert status == 5
        assert "refused: dead_instance n2" in output
        assert instance(nodes["available"]) is None
        assert instance(nodes["active"]) == nodes["active"].instance_uuid
        assert instance(nodes["living"]) == LIVING
        event = OwnershipEvent.objects.get(node_uuid=nodes["available"].uuid)
        assert (event.event, event.actor, event.reason) == ("released", "alma (stale_nodes)", "ticket 4711")

    def test_frees_a_node_in_use_when_told_to_insist(self, nodes, living):
        assert run("stale_nodes", *living, "--delete", "--force")[0] == 4
        assert instance(nodes["active"]) is None
        assert instance(nodes["living"]) == LIVING
        assert run("stale_nodes", *living, "--delete")[0] == 0

    def test_releases_what_the_dead_hold_in_placement_as_well(self, living):
        node, provider = running.machine()
        consumer = running.hold(provider, custom_baremetal=1)
        Node.objects.filter(pk=node.pk).update(instance_uuid=consumer)

        assert run("stale_nodes", *living, "--delete")[0] == 4
        assert not Consumer.objects.exists()
        assert run("reconcile")[0] == 0

    def test_stops_before_touching_anything_when_there_are_more_than_expected(self, nodes, living):
        status, _ = run("stale_nodes", *living, "--delete", "--limit", "1")

        assert status == 6
        assert instance(nodes["available"]) == nodes["available"].instance_uuid

    def test_refuses_an_empty_list(self, nodes, tmp_path):
        (tmp_path / "living").write_text("")

        with pytest.raises(CommandError) as refusal:
            run("stale_nodes", "--living", str(tmp_path / "living"), "--delete")

        assert refusal.value.returncode == 2
        assert instance(nodes["available"])

    def test_leaves_a_node_that_somebody_works_on(self, living):
        node, _ = running.machine(instance_uuid=new_uuid(), reservation="host-1")

        assert run("stale_nodes", *living, "--delete")[0] == 5
        assert instance(node) == node.instance_uuid

    def test_leaves_a_node_that_was_taken_just_now(self, baremetal, living):
        node, _ = running.machine()
        body = [{"op": "add", "path": "/instance_uuid", "value": new_uuid()}]
        assert baremetal.patch(f"/v1/nodes/{node.uuid}", body).status_code == 200

        assert run("stale_nodes", *living, "--delete")[0] == 0
        assert instance(node)
