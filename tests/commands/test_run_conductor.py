"""The conductor's command: its options, and real processes that are asked to stop or killed in the middle of work."""

import contextlib
import io
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from ironic_app.models import Conductor, NodeHistory, Transition
from ironic_app.services import conductors, states
from ironic_app.services.states import Order
from tests.ironic.builders import ORIGIN, make_allocation, make_node

ROOT = Path(__file__).resolve().parents[2]
TIMEOUT_SECONDS = 2

pytestmark = pytest.mark.django_db(transaction=True)


def run(*arguments):
    output = io.StringIO()
    call_command("run_conductor", *arguments, stdout=output)
    return output.getvalue()


class TestOptions:
    @pytest.mark.parametrize(
        ("arguments", "text"),
        [
            (["--delay", "sleeping=1"], "'sleeping' is not one of"),
            (["--delay", "deploying=soon"], "expected deploying=number"),
            (["--fail", "deploying=1.5"], "between 0 and 1"),
            (["--hostname", " "], "1 to 255 characters"),
            (["--workers", "0"], "--workers must be at least 1"),
            (["--poll", "0"], "--poll more than 0"),
        ],
    )
    def test_that_make_no_sense_end_it_with_a_reason(self, arguments, text):
        with pytest.raises(CommandError, match=text):
            run(*arguments)

    def test_once_does_what_is_due_and_ends(self):
        node = make_node(power_state="power off", resource_class="baremetal")
        allocation = make_allocation(door="baremetal")

        assert run("--once") == "1 steps done\n"

        node.refresh_from_db()
        assert node.instance_uuid == allocation.uuid

    def test_from_the_environment_count_unless_the_command_line_says_otherwise(self, settings):
        settings.CONDUCTOR_FAILURE_RATES = ["deploying=1"]
        conductors.sign_on(hostname="conductor-1", conductor_group="", drivers=[])
        first, second = make_node(), make_node()

        order(first, "active")
        run("--once", "--hostname", "conductor-1")
        order(second, "active")
        run("--once", "--hostname", "conductor-1", "--fail", "deploying=0")

        assert (state(first), state(second)) == ("deploy failed", "active")


class TestProcesses:
    @pytest.fixture(autouse=True)
    def impatience(self, settings):
        settings.CONDUCTOR_TIMEOUT_SECONDS = TIMEOUT_SECONDS

    @pytest.fixture
    def conductor(self):
        """Start a conductor of this name with these options."""
        with contextlib.ExitStack() as stack:

            def start(name, *options):
                process = subprocess.Popen(
                    [sys.executable, "manage.py", "run_conductor", "--hostname", name, "--poll", "0.05", *options],
                    cwd=ROOT,
                    env=os.environ
                    | {
                        "CLAIMSITE_DATABASE_URL": database_url(),
                        "CLAIMSITE_CONDUCTOR_TIMEOUT_SECONDS": str(TIMEOUT_SECONDS),
                    },
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                )
                stack.callback(process.wait)
                stack.callback(process.kill)
                until(lambda: name in conductors.alive())
                return process

            yield start

    def test_that_are_asked_to_stop_end_their_work_and_sign_off(self, conductor):
        process = conductor("conductor-1")
        node = make_node(provision_state="enroll")
        order(node, "manage")
        until(lambda: state(node) == "manageable")

        process.send_signal(signal.SIGTERM)

        assert process.wait(timeout=30) == 0
        assert Conductor.objects.get().last_seen_at is None

    def test_that_are_killed_leave_nothing_stuck(self, conductor):
        killed = conductor("conductor-1", "--delay", "deploying=3600", "--delay", "deleting=3600")
        coming, going = make_node(), make_node(provision_state="active", instance_uuid=make_allocation().uuid)
        order(coming, "active")
        order(going, "deleted")
        until(lambda: Transition.objects.filter(taken_by="conductor-1").count() == 2)
        waiting = make_allocation(door="baremetal", resource_class="nothing like it")

        killed.kill()
        conductor("conductor-2")

        until(lambda: (state(coming), state(going)) == ("active", "available"))
        going.refresh_from_db()
        assert (going.instance_uuid, going.reservation) == (None, None)
        taken_over = NodeHistory.objects.filter(event_type="take_over").values_list("event", flat=True)
        assert sorted(taken_over) == [
            "Conductor conductor-1 died while deleting; conductor-2 carries on.",
            "Conductor conductor-1 died while deploying; conductor-2 carries on.",
        ]
        until(lambda: refreshed(waiting).state == "error")


def database_url():
    """The test's own database, for another process."""
    name = connection.settings_dict["NAME"]
    if connection.vendor == "sqlite":
        return f"sqlite:///{name}"
    of = connection.settings_dict
    return f"postgres://{of['USER']}@{of['HOST']}:{of['PORT']}/{name}"


def order(node, target):
    states.provision(ident=node.uuid, order=Order(target), origin=ORIGIN)


def refreshed(row):
    row.refresh_from_db()
    return row


def state(node):
    return refreshed(node).provision_state


def until(condition, seconds=60):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.05)
