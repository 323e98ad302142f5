import os

import pytest

from claimsite.foundation.uuids import new_uuid
from ironic_app.models import Node
from placement_app.models import Allocation, ClaimEvent, Consumer, Inventory, ResourceProvider
from tests.commands import running
from tests.commands.faults import held, plant
from tests.commands.running import found, report, run
from tests.ironic.builders import make_allocation, make_node

pytestmark = pytest.mark.django_db


GREEN = ["no_allocation", "not_reserved"]
AMBER = [
    "orphan_allocation",
    "reserved_but_free",
    "no_provider",
    "no_node",
    "stale_reservation",
    "allocation_without_node",
]
RED = ["different_consumer", "double_claim", "two_stories"]


class TestReconcile:
    def test_finds_both_sides_of_a_quarrel_by_their_consumers(self):
        node, _, consumer = held()
        other = new_uuid()
        Node.objects.filter(pk=node.pk).update(instance_uuid=other)
        plant("not_reserved")

        for party in (consumer, other):
            assert found("reconcile", "--consumer", party) == [("different_consumer", node.uuid)]

    def test_finds_nothing_where_both_tell_the_same(self):
        held()
        running.machine()
        running.machine(maintenance=True, reserved=1)
        make_node(resource_class="of-ironic-alone", instance_uuid=new_uuid())

        assert run("reconcile")[0] == 0

    @pytest.mark.parametrize("code", GREEN + AMBER + RED)
    def test_finds_each_kind_and_nothing_else(self, code):
        held()
        subject = plant(code)

        assert found("reconcile") == [(code, subject)]
        assert run("reconcile")[0] == 3

    @pytest.mark.parametrize("code", GREEN + AMBER)
    def test_puts_it_right_and_then_finds_nothing(self, code):
        _, _, living = held()
        plant(code)

        status, output = run("reconcile", "--fix", "amber", "--reason", "ticket 4711")

        assert status == 4, output
        assert run("reconcile", "--fix", "amber")[0] == 0
        assert Consumer.objects.filter(uuid=living).exists()

    @pytest.mark.parametrize("code", AMBER + RED)
    def test_frees_nothing_when_told_only_to_protect(self, code):
        plant(code)
        before = (list(Allocation.objects.values()), list(Inventory.objects.values()), list(Node.objects.values()))

        assert run("reconcile", "--fix", "green")[0] == 3
        after = (list(Allocation.objects.values()), list(Inventory.objects.values()), list(Node.objects.values()))
        assert after == before

    @pytest.mark.parametrize("code", RED)
    def test_never_touches_what_may_be_in_use(self, code):
        plant(code)

        assert run("reconcile", "--fix", "amber")[0] == 3
        assert found("reconcile")[0][0] == code

    def test_an_adopted_claim_belongs_to_the_owner_of_the_node(self, monkeypatch):
        node_uuid = plant("no_allocation")

        monkeypatch.setenv("SUDO_USER", "alma")

        run("reconcile", "--fix", "green", "--reason", "ticket 4711")

        allocation = Allocation.objects.select_related("consumer", "provider").get()
        assert allocation.provider.uuid == node_uuid
        assert allocation.consumer_id == Node.objects.get().instance_uuid
        assert allocation.consumer.project_id == "team-a"
        event = ClaimEvent.objects.get()
        assert (event.actor, event.reason) == ("alma (reconcile)", "ticket 4711")

    @pytest.mark.parametrize(
        ("environment", "person"),
        [({"SUDO_USER": "alma", "LOGNAME": "root"}, "alma"), ({"LOGNAME": "root"}, "root"), ({}, None)],
    )
    def test_the_history_tells_who_typed_it(self, monkeypatch, environment, person):
        plant("no_allocation")
        for name in ("SUDO_USER", "LOGNAME", "USER", "LNAME", "USERNAME"):
            monkeypatch.delenv(name, raising=False)
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        if person is None:
            monkeypatch.setattr("pwd.getpwuid", {}.__getitem__)

        run("reconcile", "--fix", "green")

        assert ClaimEvent.objects.get().actor == f"{person or os.getuid()} (reconcile)"

    def test_an_instance_keeps_what_else_it_holds(self):
        node_uuid = plant("no_allocation")
        instance = Node.objects.get().instance_uuid
        from tests import builders

        running.hold(builders.provider(name="storage", disk_gb=100), consumer=instance, disk_gb=40)

        assert run("reconcile", "--fix", "green")[0] == 4
        assert dict(Allocation.objects.values_list("provider__name", "used")) == {
            "storage": 40,
            f"machine-{node_uuid[:8]}": 1,
        }

    def test_what_changed_just_now_is_in_flight(self, baremetal):
        node, _ = running.machine()
        body = [{"op": "add", "path": "/instance_uuid", "value": new_uuid()}]
        assert baremetal.patch(f"/v1/nodes/{node.uuid}", body).status_code == 200

        document = report("reconcile", "--fix", "amber")

        assert document["exit"] == 0
        assert [each["code"] for each in document["findings"]] == ["in_flight"]
        assert document["findings"][0]["facts"]["becomes"] == "no_allocation"

    @pytest.mark.parametrize("state", ["active", "cleaning", "deploying", "clean failed"])
    def test_an_orphan_on_a_machine_at_work_is_left(self, state):
        node_uuid = plant("orphan_allocation")
        Node.objects.update(provision_state=state)

        document = report("reconcile", "--fix", "amber")

        colours = {each["code"]: each["colour"] for each in document["findings"]}
        assert colours["orphan_allocation"] == "red"
        assert Allocation.objects.filter(provider__uuid=node_uuid).exists()

    def test_an_orphan_whose_consumer_has_a_node_elsewhere_is_left(self):
        plant("orphan_allocation")
        consumer = Consumer.objects.get().uuid
        make_node(instance_uuid=consumer, provision_state="active")

        document = report("reconcile", "--fix", "amber")

        assert [(each["code"], each["colour"]) for each in document["findings"]] == [("orphan_allocation", "red")]
        assert Consumer.objects.exists()

    def test_an_orphan_that_got_its_instance_meanwhile_is_left(self, monkeypatch):
        from claimsite.operations import repairs

        plant("orphan_allocation")
        release = repairs.release_orphan

        def associate_first(**arguments):
            Node.objects.update(instance_uuid=arguments["consumer_uuid"])
            release(**arguments)

        monkeypatch.setattr(repairs, "release_orphan", associate_first)

        status, output = run("reconcile", "--fix", "amber")

        assert status == 5
        assert "changed meanwhile: orphan_allocation" in output
        assert Consumer.objects.exists()

    def test_keeps_to_the_node_and_project_it_is_told(self):
        running.machine(maintenance=True, name="n1", owner="team-a")
        node, _ = running.machine(maintenance=True, name="n2", owner="team-b")

        assert found("reconcile", "--provider", "n2") == [("not_reserved", node.uuid)]
        assert found("reconcile", "--project", "team-b") == [("not_reserved", node.uuid)]

    def test_a_node_that_is_claimed_in_ironic_alone_and_reserved_is_in_order(self):
        allocation = make_allocation(state="active")
        running.machine(reserved=1, instance_uuid=allocation.uuid, allocation=allocation, provision_state="active")

        assert run("reconcile")[0] == 0

    def test_needs_no_more_statements_for_more_nodes(self, django_assert_max_num_queries):
        for _ in range(30):
            held()

        with django_assert_max_num_queries(12):
            run("reconcile")

        assert ResourceProvider.objects.count() == 30
