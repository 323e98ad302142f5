from datetime import timedelta

import pytest
from django.utils import timezone

from ironic_app.models import Conductor, Node, NodeHistory, Transition
from tests.commands import running
from tests.commands.running import found, run

pytestmark = pytest.mark.django_db


def locked(by, **attributes):
    attributes = {"reserved_at": timezone.now() - running.DAYS} | attributes
    return running.machine(reservation=by, **attributes)[0]


def conductor(hostname, *, alive):
    Conductor.objects.create(hostname=hostname, last_seen_at=timezone.now() if alive else None)


def reservation(node):
    return Node.objects.get(pk=node.pk).reservation


class TestStaleReservations:
    def test_a_lock_of_a_living_conductor_is_none(self):
        conductor("host-a", alive=True)
        locked("Host-A")

        assert run("stale_reservations")[0] == 0

    def test_a_lock_in_the_old_spelling_of_a_dead_host_is_found_and_taken_off(self):
        conductor("host-a", alive=False)
        node = locked("Host-A")

        assert found("stale_reservations") == [("stale_reservation", node.uuid)]
        assert reservation(node) == "Host-A"
        assert run("stale_reservations", "--delete")[0] == 4
        assert reservation(node) is None
        assert NodeHistory.objects.get().event_type == "lock_removed"
        assert run("stale_reservations", "--delete")[0] == 0

    def test_a_lock_of_an_unknown_host_is_told_as_such(self):
        locked("nobody-knows")

        _, output = run("stale_reservations")

        assert "locked by nobody-knows, who never was a conductor" in output

    def test_a_young_lock_is_left(self):
        node = locked("host-a", reserved_at=timezone.now() - timedelta(minutes=5))

        assert run("stale_reservations", "--delete")[0] == 0
        assert run("stale_reservations", "--delete", "--older-than", "1m")[0] == 4
        assert reservation(node) is None

    def test_a_lock_without_a_time_is_as_old_as_can_be(self):
        locked("host-a", reserved_at=None)

        assert run("stale_reservations")[0] == 3

    def test_a_node_with_work_keeps_its_lock(self):
        node = locked("host-a", provision_state="deploying", target_provision_state="active")
        Transition.objects.create(node=node, kind="provision", verb="deploy", due_at=timezone.now(), door="baremetal")

        assert run("stale_reservations", "--delete")[0] == 3
        assert reservation(node) == "host-a"

    def test_a_holder_that_came_back_meanwhile_keeps_its_lock(self, monkeypatch):
        from claimsite.operations import repairs

        node = locked("host-a")
        break_lock = repairs.break_lock

        def sign_on_first(**arguments):
            conductor("host-a", alive=True)
            break_lock(**arguments)

        monkeypatch.setattr(repairs, "break_lock", sign_on_first)

        status, output = run("stale_reservations", "--delete")

        assert status == 5
        assert "changed meanwhile" in output
        assert reservation(node) == "host-a"

    def test_a_node_that_is_also_wrong_otherwise_is_found_for_its_lock_only(self):
        node = locked("host-a", maintenance=True)

        assert found("stale_reservations") == [("stale_reservation", node.uuid)]
