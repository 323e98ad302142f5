import io
import json
import os
import signal
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from claimsite.foundation.alone import alone
from claimsite.foundation.uuids import new_uuid
from ironic_app import states
from ironic_app.models import (
    Allocation,
    Chassis,
    Node,
    OwnershipEvent,
    Port,
    PortGroup,
    Transition,
    VifAttachment,
    VolumeConnector,
    VolumeTarget,
)
from ironic_app.services import arrivals
from placement_app.models import Inventory
from tests import racing
from tests.commands.running import run
from tests.commands.takeovers import Service, build, take, wiped
from tests.ironic.builders import make_allocation, make_node, make_port

pytestmark = pytest.mark.django_db(transaction=True)

MODELS = (Allocation, Chassis, Node, Port, PortGroup, VolumeConnector, VolumeTarget)
NOT_CARRIED = {"id", "conductor", "reservation", "reserved_at", "generation", "due_at", "door", "actor"}


@pytest.fixture
def remote(baremetal):
    """Its site is wiped, so that there is an empty one to take it over."""
    build()
    return wiped(baremetal)


def everything():
    return {
        model: {
            row["uuid"]: {name: value for name, value in row.items() if name not in NOT_CARRIED}
            for row in model.objects.values()
        }
        for model in MODELS
    }


class TestImportIronic:
    def test_takes_all_there_is_as_it_is(self, baremetal):
        build()
        before = everything()
        remote = wiped(baremetal)

        report = take(remote)

        assert report.faults == report.waiting == []
        after = everything()
        hidden = before[Node][next(iter(Node.objects.filter(name="rack1-n3").values_list("uuid", flat=True)))]
        del hidden["driver_info"]["ipmi_password"], hidden["instance_info"]["configdrive"]
        for row in (*before[Node].values(), *after[Node].values()):
            # What it leaves to the service to choose, the service chooses.
            for name in [name for name in row if name.endswith("_interface")]:
                del row[name]
        assert after == before

    def test_tells_which_secrets_were_not_shown(self, remote):
        report = take(remote)

        assert report.hidden == {"node driver_info.ipmi_password": 1, "node instance_info.configdrive": 1}

    def test_sets_nothing_going(self, remote):
        take(remote)

        assert not Transition.objects.exists()
        assert not Node.objects.exclude(reservation=None).exists()

    def test_keeps_what_is_bound_to_a_port(self, remote, baremetal):
        take(remote)

        [vif] = baremetal.get("/v1/nodes/rack1-n3/vifs").json()["vifs"]
        assert vif["id"] == VifAttachment.objects.get().vif_id

    def test_tells_in_the_history_whose_the_nodes_were_then(self, remote):
        take(remote)

        events = OwnershipEvent.objects.filter(node_name="rack1-n3").order_by("subject")
        assert [(event.subject, event.after, event.reason) for event in events] == [
            ("instance_uuid", Node.objects.get(name="rack1-n3").instance_uuid, "taken over"),
            ("lessee", "team-b", "taken over"),
            ("owner", "team-a", "taken over"),
        ]

    def test_a_rehearsal_writes_nothing(self, remote):
        report = take(remote, is_rehearsal=True)

        assert report.taken["node"] == len(arrivals.SETTLED) + 3
        assert report.taken["port"] == 2
        assert not any(everything().values())

    def test_run_again_it_finds_all_here(self, remote):
        first = take(remote)

        again = take(remote)

        assert again.taken.total() == 0
        assert again.present == first.taken
        assert again.is_complete

    def test_goes_on_where_it_broke_off(self, remote):
        def break_off(name, done, total):
            if done == 5:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            take(remote, stepped=break_off)
        report = take(remote)

        assert report.is_complete
        assert report.present["node"] == 5
        assert Node.objects.count() == len(arrivals.SETTLED) + 3

    def test_a_list_of_many_pages_is_read_to_its_end(self, remote, baremetal, monkeypatch):
        take(remote)
        monkeypatch.setattr("claimsite.operations.takeover.ironic.AT_ONCE", 2)

        report = take(Service(baremetal))

        assert report.present["node"] == len(arrivals.SETTLED) + 3
        assert report.is_complete

    def test_the_mirror_follows(self, remote, settings):
        settings.MIRROR_NODES = True

        assert take(remote).is_complete

        assert Inventory.objects.get().resource_class_id == "CUSTOM_BAREMETAL"
        assert Inventory.objects.get().reserved == 1


class TestWhatIsOnItsWay:
    @pytest.mark.parametrize("state", sorted(states.TRANSITIONAL))
    def test_is_left_out_and_told(self, baremetal, state):
        node = make_node(name="n1", provision_state=state, target_provision_state="available")
        make_port(node, address="52:54:00:00:00:01")
        remote = wiped(baremetal)

        report = take(remote)

        assert report.waiting == [f"node n1 is on its way: {state}"]
        assert report.faults == []
        assert not Node.objects.exists()
        assert not Port.objects.exists()

    def test_so_is_a_change_of_power(self, baremetal):
        make_node(name="n1", target_power_state="power off")
        remote = wiped(baremetal)

        assert take(remote).waiting == ["node n1 is on its way: available, power off"]
        assert not Node.objects.exists()

    def test_is_taken_once_it_has_arrived(self, remote):
        row = remote.node("rack1-n3")
        row["provision_state"] = "deploying"
        take(remote)
        row["provision_state"] = "active"

        report = take(remote)

        assert report.is_complete
        assert report.taken["node"] == 2, "its child had to wait for it"
        assert report.taken["allocation"] == 1
        assert report.taken["port"] == 2

    def test_an_allocation_that_looks_for_a_node_is_left_to_its_service(self, baremetal):
        make_allocation(name="a3", state="allocating", due_at=timezone.now() + timedelta(days=1))
        remote = wiped(baremetal)

        assert take(remote).waiting == ["allocation a3 still looks for a node"]
        assert not Allocation.objects.exists()


class TestWhatIsDifferentHere:
    def test_is_told_with_both_sides_and_left(self, remote):
        take(remote)
        other = new_uuid()
        Node.objects.filter(name="in-available").update(instance_uuid=other, extra={"mine": 1})
        Port.objects.filter(address="52:54:00:00:00:02").update(pxe_enabled=False)

        report = take(remote)

        uuid = Port.objects.get(address="52:54:00:00:00:02").uuid
        assert report.faults == [
            f"node in-available is different here: extra, instance_uuid is None there, {other} here",
            f"port {uuid} is different here: pxe_enabled",
        ]
        assert Node.objects.get(name="in-available").instance_uuid == other

    def test_a_secret_that_was_given_again_is_no_difference(self, remote):
        take(remote)
        node = Node.objects.get(name="rack1-n3")
        node.driver_info["ipmi_password"] = "new"
        node.save()

        assert take(remote).is_complete

    def test_a_part_that_came_there_since_is_taken(self, remote):
        take(remote)
        Port.objects.filter(address="52:54:00:00:00:02").delete()

        report = take(remote)

        assert report.is_complete
        assert report.taken == {"port": 1, "parts of node": 0}
        assert Port.objects.filter(address="52:54:00:00:00:02").exists()

    @pytest.mark.parametrize(
        ("taken_here", "text"),
        [
            ({"name": "rack1-n3"}, "name"),
            ({"instance_uuid": "THEIRS"}, "instance"),
        ],
    )
    def test_what_another_node_has_here_is_not_given_away(self, remote, taken_here, text):
        theirs = remote.node("rack1-n3")["instance_uuid"]
        mine = make_node(**{name: theirs if value == "THEIRS" else value for name, value in taken_here.items()})

        report = take(remote)

        assert any(fault.startswith("node rack1-n3: ") and text in fault.lower() for fault in report.faults)
        assert Node.objects.filter(pk=mine.pk, **{next(iter(taken_here)): getattr(mine, next(iter(taken_here)))})
        assert not Port.objects.exists()
        assert not Allocation.objects.filter(name="a1").exists()
        assert report.taken["node"] == len(arrivals.SETTLED) + 1


class TestWhatHappensThereMeanwhile:
    def test_a_node_that_changed_hands_is_told(self, remote):
        [compared] = [row for row in remote.rows("/v1/nodes?fields") if row["instance_uuid"]]
        compared["instance_uuid"] = new_uuid()

        assert take(remote).faults == [f"node {compared['uuid']} was changed there meanwhile: run it again"]

    def test_a_new_port_is_told(self, remote):
        node = remote.node("in-available")["uuid"]
        row = {"uuid": new_uuid(), "node_uuid": node}
        remote.rows("/v1/ports?fields").append(row)

        assert take(remote).faults == [f"port {row['uuid']} was made there meanwhile: run it again"]


class TestTheCommand:
    def test_speaks_to_a_running_service(self, live_server, settings):
        build()

        status, output = run("import_ironic", f"{live_server.url}/{settings.BAREMETAL_PREFIX}", "--json")

        document = json.loads(output)
        assert status == document["exit"] == 0
        assert document["command"] == "import_ironic"
        assert document["present"]["node"] == len(arrivals.SETTLED) + 3
        assert document["taken"] == {}

    def test_says_by_its_exit_status_that_something_was_left_out(self, live_server, settings):
        make_node(name="n1", provision_state="cleaning")
        Node.objects.update(provision_state="cleaning")
        url = f"{live_server.url}/{settings.BAREMETAL_PREFIX}"

        status, output = run("import_ironic", url)

        assert status == 0, "it is here already, just so"
        assert "1 here already" in output

    def test_ctrl_c_ends_it_between_two_nodes_and_tells_what_was_done(self, remote, monkeypatch):
        monkeypatch.setattr(
            "claimsite.operations.management.commands.import_ironic.Command.client",
            staticmethod(lambda url, token: remote),
        )
        settle = arrivals.settle

        def interrupted(**arguments):
            settle(**arguments)
            os.kill(os.getpid(), signal.SIGINT)

        monkeypatch.setattr(arrivals, "settle", interrupted)
        output = io.StringIO()

        with pytest.raises(SystemExit) as ended:
            call_command("import_ironic", "http://127.0.0.1:23000", "--json", stdout=output)

        document = json.loads(output.getvalue())
        assert ended.value.code == document["exit"] == 130
        assert document["taken"]["node"] == Node.objects.count() == 1

    def test_a_second_one_is_told_who_is_at_it(self):
        with alone("import_ironic"), pytest.raises(CommandError, match="Another import_ironic is running") as refusal:
            racing.together([lambda: run("import_ironic", "http://127.0.0.1:23499")])

        assert refusal.value.returncode == 1

    def test_a_service_that_is_not_there_is_told(self):
        with pytest.raises(CommandError, match="can't be reached") as failure:
            run("import_ironic", "http://127.0.0.1:23499")

        assert failure.value.returncode == 1

    def test_a_site_without_the_service_is_told(self, live_server):
        with pytest.raises(CommandError, match="was answered with 404") as failure:
            run("import_ironic", f"{live_server.url}/nowhere")

        assert failure.value.returncode == 1
