"""Locks that outlived their holder."""

import datetime

import pytest
from django.utils import timezone

from ironic_app import errors
from ironic_app.models import Node, NodeHistory, Transition
from ironic_app.services import reservations
from tests.ironic.builders import ORIGIN, make_node

NOW = timezone.now()


class TestFind:
    def test_lists_the_longest_locked_first(self, db):
        make_node(name="free")
        make_node(name="young", reservation="host-a", reserved_at=NOW)
        make_node(name="old", reservation="host-b", reserved_at=NOW - datetime.timedelta(hours=1))

        assert [node.name for node in reservations.find()] == ["old", "young"]
        assert [node.name for node in reservations.find(before=NOW - datetime.timedelta(minutes=5))] == ["old"]

    def test_counts_a_lock_without_a_time_as_old(self, db):
        make_node(name="timeless", reservation="host-a")

        assert [node.name for node in reservations.find(before=NOW)] == ["timeless"]


class TestRelease:
    def test_takes_the_lock_off_and_notes_who_did(self, db):
        """Host names are the same whatever their case (LP #1866380)."""
        make_node(name="node-1", reservation="Host-A", reserved_at=NOW)

        assert reservations.release(ident="node-1", held_by="host-a", origin=ORIGIN)

        node = Node.objects.get()
        assert (node.reservation, node.reserved_at, node.generation) == (None, None, 0)
        assert NodeHistory.objects.get().event == "tests took off the lock of Host-A."

    @pytest.mark.parametrize("holder", [None, "host-b"])
    def test_leaves_the_lock_of_others_alone(self, db, holder):
        make_node(name="node-1", reservation=holder)

        assert not reservations.release(ident="node-1", held_by="host-a", origin=ORIGIN)
        assert Node.objects.get().reservation == holder

    def test_is_refused_while_there_is_work_to_go_on_with(self, db):
        node = make_node(name="node-1", reservation="host-a")
        Transition.objects.create(node=node, kind="power", verb="power on", due_at=NOW)

        with pytest.raises(errors.NodeLocked):
            reservations.release(ident="node-1", held_by="host-a", origin=ORIGIN)
