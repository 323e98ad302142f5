"""Conductors at work: states that take their time, work that fails, and what is left behind by those that die."""

import datetime

import pytest
from django.utils import timezone

from claimsite.foundation.uuids import new_uuid
from ironic_app import errors
from ironic_app.hardware import FakeHardware
from ironic_app.models import Conductor, ConflictRecord, NodeHistory, Transition
from ironic_app.services import conductor, conductors, states, transitions
from ironic_app.services.states import Order
from ironic_app.services.transitions import Orphans, Worker
from tests.ironic.builders import ORIGIN, make_allocation, make_node

pytestmark = pytest.mark.django_db(transaction=True)


def worker(hostname="conductor-1", *, delays=None, failure_rates=None, **options):
    return Worker(hostname=hostname, machines=FakeHardware(delays or {}, failure_rates or {}), **options)


@pytest.fixture
def alive():
    """Sign a conductor on: ``alive("conductor-1")``."""

    def sign_on(hostname="conductor-1", group=""):
        conductors.sign_on(hostname=hostname, conductor_group=group, drivers=["fake-hardware"])

    return sign_on


def dies(hostname="conductor-1"):
    """As far as heartbeats tell."""
    Conductor.objects.filter(hostname=hostname).update(last_seen_at=timezone.now() - datetime.timedelta(hours=1))


def time_passes(seconds=3600):
    for transition in Transition.objects.all():
        transition.due_at -= datetime.timedelta(seconds=seconds)
        transition.save()


def ask(node, target, **brought_along):
    states.provision(ident=node.uuid, order=Order(target, **brought_along), origin=ORIGIN)


def shown(node):
    node.refresh_from_db()
    return node.provision_state, node.target_provision_state, node.reservation


class TestRounds:
    def test_end_what_needs_no_time(self, alive):
        alive()
        node = make_node(provision_state="active", instance_uuid=new_uuid())
        ask(node, "deleted")

        conductor.run_once(worker=worker())

        assert shown(node) == ("available", None, None)
        assert node.instance_uuid is None

    def test_show_work_that_takes_time_with_its_holder(self, alive):
        alive()
        node = make_node()
        ask(node, "active")
        slow = worker(delays={"deploying": 60})

        conductor.run_once(worker=slow)
        assert shown(node) == ("deploying", "active", "conductor-1")
        conductor.run_once(worker=slow)
        assert shown(node) == ("deploying", "active", "conductor-1")

        time_passes()
        conductor.run_once(worker=slow)
        assert shown(node) == ("active", None, None)

    def test_wait_for_the_machine_unlocked_where_they_are_told_to(self, alive):
        alive()
        node = make_node()
        ask(node, "active")
        slow = worker(delays={"wait call-back": 60})

        conductor.run_once(worker=slow)
        assert shown(node) == ("wait call-back", "active", None)

        time_passes()
        conductor.run_once(worker=slow)
        assert shown(node) == ("active", None, None)

    def test_leave_an_aborted_node_alone(self, alive):
        alive()
        node = make_node()
        ask(node, "active")
        slow = worker(delays={"wait call-back": 60})
        conductor.run_once(worker=slow)

        ask(node, "abort")
        time_passes()
        conductor.run_once(worker=slow)

        assert shown(node) == ("deploy failed", "active", None)

    def test_take_every_state_of_tearing_down_in_turn(self, alive):
        alive()
        node = make_node(provision_state="active", instance_uuid=new_uuid())
        ask(node, "deleted")
        slow = worker(delays={"deleting": 60, "cleaning": 60})

        seen = []
        for _ in range(3):
            conductor.run_once(worker=slow)
            seen.append((*shown(node), node.instance_uuid is None))
            time_passes()

        assert seen == [
            ("deleting", "available", "conductor-1", False),
            ("cleaning", "available", "conductor-1", True),
            ("available", None, None, True),
        ]

    def test_pass_through_cleaning_where_it_is_switched_off(self, alive):
        alive()
        node = make_node(provision_state="manageable", automated_clean=False)
        ask(node, "provide")

        conductor.run_once(worker=worker(delays={"cleaning": 60}, failure_rates={"cleaning": 1}))

        assert shown(node) == ("available", None, None)

    def test_clean_on_request_all_the_same(self, alive):
        alive()
        node = make_node(provision_state="manageable", automated_clean=False)
        ask(node, "clean", clean_steps=[{"interface": "deploy", "step": "erase"}])

        conductor.run_once(worker=worker(delays={"cleaning": 60}))

        assert shown(node) == ("cleaning", "manageable", "conductor-1")

    def test_change_power(self, alive):
        alive()
        node = make_node(power_state="power off")
        states.power(ident=node.uuid, target="power on", origin=ORIGIN)

        conductor.run_once(worker=worker())

        assert shown(node) == ("available", None, None)
        assert (node.power_state, node.target_power_state) == ("power on", None)

    def test_bring_abandoned_allocations_to_their_end(self, alive):
        node = make_node(resource_class="baremetal", power_state="power off")
        served, in_vain = make_allocation(door="baremetal"), make_allocation(resource_class="other")

        conductor.run_once(worker=worker())

        served.refresh_from_db()
        in_vain.refresh_from_db()
        node.refresh_from_db()
        assert (served.state, in_vain.state, node.instance_uuid) == ("active", "error", served.uuid)

    def test_are_for_the_nodes_of_the_conductors_group(self, alive):
        alive("conductor-1", "rack-1")
        node = make_node(conductor_group="rack-1")
        ask(node, "active")

        conductor.run_once(worker=worker("conductor-2"))
        assert shown(node) == ("deploying", "active", "conductor-1")

        conductor.run_once(worker=worker("conductor-1", conductor_group="rack-1"))
        assert shown(node) == ("active", None, None)


class TestFailures:
    @pytest.mark.parametrize(
        ("state", "target", "fails_in", "end"),
        [
            ("enroll", "manage", "verifying", ("enroll", None, None)),
            ("available", "active", "deploying", ("deploy failed", "active", None)),
            ("active", "deleted", "deleting", ("error", None, None)),
            ("active", "deleted", "cleaning", ("clean failed", "available", None)),
            ("manageable", "inspect", "inspecting", ("inspect failed", "manageable", None)),
            ("manageable", "adopt", "adopting", ("adopt failed", "active", None)),
        ],
    )
    def test_end_in_the_states_own_failure_and_say_why(self, alive, state, target, fails_in, end):
        alive()
        node = make_node(provision_state=state)
        ask(node, target)

        conductor.run_once(worker=worker(failure_rates={fails_in: 1}))

        assert shown(node) == end
        assert node.last_error == f"The machine failed while {fails_in}, as the conductor was told to let it."
        entry = NodeHistory.objects.get(severity="ERROR")
        assert (entry.event, entry.conductor) == (node.last_error, "conductor-1")

    def test_of_tearing_down_keep_the_owner(self, alive):
        alive()
        node = make_node(provision_state="active", instance_uuid=new_uuid())
        ask(node, "deleted")

        conductor.run_once(worker=worker(failure_rates={"deleting": 1}))

        node.refresh_from_db()
        assert node.instance_uuid is not None

    def test_of_cleaning_put_the_node_into_maintenance(self, alive):
        alive()
        node = make_node(provision_state="manageable")
        ask(node, "provide")

        conductor.run_once(worker=worker(failure_rates={"cleaning": 1}))

        node.refresh_from_db()
        assert (node.maintenance, node.fault, node.maintenance_reason) == (True, "clean failure", node.last_error)

    def test_of_power_leave_it_as_it_was(self, alive):
        alive()
        node = make_node(power_state="power off")
        states.power(ident=node.uuid, target="power on", origin=ORIGIN)

        conductor.run_once(worker=worker(failure_rates={"power": 1}))

        node.refresh_from_db()
        assert (node.power_state, node.target_power_state, node.reservation) == ("power off", None, None)
        assert node.last_error.startswith("The machine failed while power")


class TestDeath:
    @pytest.fixture
    def orphan(self, alive):
        """A node whose conductor died while it was deploying."""
        alive("conductor-1")
        node = make_node()
        ask(node, "active")
        conductor.run_once(worker=worker("conductor-1", delays={"deploying": 60}))
        alive("conductor-2")
        return node

    def test_is_not_assumed_before_its_time(self, orphan):
        conductor.run_once(worker=worker("conductor-2"))

        assert shown(orphan) == ("deploying", "active", "conductor-1")

    def test_lets_another_carry_the_work_on_visibly(self, orphan):
        dies("conductor-1")

        conductor.run_once(worker=worker("conductor-2", delays={"deploying": 60}))
        assert shown(orphan) == ("deploying", "active", "conductor-2")
        assert NodeHistory.objects.get().event == "Conductor conductor-1 died while deploying; conductor-2 carries on."

        time_passes()
        conductor.run_once(worker=worker("conductor-2", delays={"deploying": 60}))
        assert shown(orphan) == ("active", None, None)

    def test_ends_the_work_as_failed_where_that_is_asked_for(self, orphan):
        dies("conductor-1")

        conductor.run_once(worker=worker("conductor-2", orphans=Orphans.FAIL))

        assert shown(orphan) == ("deploy failed", "active", None)
        assert orphan.last_error == "Conductor conductor-1 died while deploying; conductor-2 gave the work up."

    def test_is_over_when_the_conductor_comes_back(self, orphan):
        time_passes()

        conductor.run_once(worker=worker("conductor-1"))

        assert shown(orphan) == ("active", None, None)

    def test_on_purpose_leaves_the_work_to_anybody(self, orphan):
        transitions.let_go(worker=worker("conductor-1"))
        conductors.sign_off(hostname="conductor-1")
        time_passes()

        conductor.run_once(worker=worker("conductor-2"))

        assert shown(orphan) == ("active", None, None)
        assert not NodeHistory.objects.filter(event_type="take_over").exists()

    def test_of_the_last_one_is_noticed_by_whoever_asks_next(self, orphan):
        """Else the node would be locked until somebody starts a conductor again, on a site that does without."""
        for hostname in ("conductor-1", "conductor-2"):
            dies(hostname)

        ask(orphan, "deleted")

        assert shown(orphan) == ("available", None, None)
        assert "Conductor conductor-1 died while deploying" in NodeHistory.objects.order_by("pk").first().event
        assert not ConflictRecord.objects.exists()

    def test_of_one_is_left_to_those_that_live(self, orphan, settings):
        settings.NODE_LOCK_WAIT_SECONDS = 0
        dies("conductor-1")

        with pytest.raises(errors.NodeLocked, match="conductor-1"):
            ask(orphan, "deleted")

        assert shown(orphan) == ("deploying", "active", "conductor-1")


class TestPuttingRight:
    def test_takes_off_a_lock_whose_holder_does_not_work_whatever_its_spelling(self, alive):
        alive("host-a")
        dies("host-a")
        node = make_node(reservation="Host-A", reserved_at=timezone.now(), power_state="power off")

        conductor.run_once(worker=worker("conductor-2"))

        assert shown(node) == ("available", None, None)
        assert "took off the lock of Host-A" in NodeHistory.objects.get().event

    def test_takes_off_its_own_forgotten_lock(self, alive):
        alive("conductor-1")
        node = make_node(reservation="Conductor-1", power_state="power off")

        conductor.run_once(worker=worker("conductor-1"))

        assert shown(node)[2] is None

    @pytest.mark.parametrize("holder", ["somebody-else", "conductor-2"])
    def test_leaves_the_locks_of_the_living_and_of_strangers(self, alive, holder):
        alive("conductor-2")
        node = make_node(reservation=holder, power_state="power off")

        conductor.run_once(worker=worker("conductor-1"))

        assert shown(node)[2] == holder

    def test_ends_states_in_which_nobody_works(self):
        long_ago = timezone.now() - datetime.timedelta(hours=1)
        node = make_node(
            provision_state="deploying", target_provision_state="active", provision_updated_at=long_ago, power_state="x"
        )

        conductor.run_once(worker=worker())

        assert shown(node) == ("deploy failed", "active", None)
        assert node.last_error == "Nobody was working on the node while it was deploying."

    def test_gives_such_states_a_little_time(self):
        node = make_node(
            provision_state="deploying", target_provision_state="active", provision_updated_at=timezone.now()
        )

        conductor.run_once(worker=worker())

        assert shown(node)[0] == "deploying"

    def test_finds_out_the_power_of_nodes_that_are_looked_after(self):
        known, unlooked, resting = (
            make_node(),
            make_node(provision_state="enroll"),
            make_node(maintenance=True),
        )

        conductor.run_once(worker=worker())

        powers = []
        for node in (known, unlooked, resting):
            node.refresh_from_db()
            powers.append(node.power_state)
        assert powers == ["power off", None, None]

    def test_changes_nothing_the_second_time(self):
        make_node(power_state=None)
        conductor.run_once(worker=worker())

        assert conductor.run_once(worker=worker()) == 0
