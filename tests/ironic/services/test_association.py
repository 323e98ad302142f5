"""Taking and releasing nodes beneath the API: what commands, the admin and allocations stand on."""

import pytest
from django.db import transaction

from claimsite.foundation.uuids import new_uuid
from ironic_app import errors
from ironic_app.models import Allocation, ConflictRecord, Node, OwnershipEvent
from ironic_app.services import association
from tests.ironic.builders import ORIGIN, make_node


def give(node, instance, **options):
    with transaction.atomic():
        association.give(node=node, instance_uuid=instance, origin=ORIGIN, **options)


@pytest.mark.django_db(transaction=True)
class TestRelease:
    def test_frees_the_node_and_tells_the_story(self):
        instance = new_uuid()
        node = make_node(name="node-1", instance_uuid=instance)

        assert association.release(ident="node-1", held_by=instance, origin=ORIGIN, reason="instance is gone")

        node.refresh_from_db()
        assert (node.instance_uuid, node.generation) == (None, 1)
        event = OwnershipEvent.objects.get()
        assert (event.event, event.before, event.after) == ("released", instance, None)
        assert (event.reason, event.door, event.actor, event.generation) == ("instance is gone", "command", "tests", 1)

    def test_leaves_the_next_owner_alone(self):
        node = make_node(instance_uuid=new_uuid())

        assert not association.release(ident=node.uuid, held_by=new_uuid(), origin=ORIGIN)

        assert Node.objects.get().instance_uuid == node.instance_uuid
        assert not OwnershipEvent.objects.exists()

    def test_deletes_the_allocation_with_the_claim(self):
        allocation = Allocation.objects.create(uuid=new_uuid(), state="active")
        node = make_node(instance_uuid=allocation.uuid, allocation=allocation)

        association.release(ident=node.uuid, held_by=allocation.uuid, origin=ORIGIN)

        assert not Allocation.objects.exists()
        assert Node.objects.get().allocation_id is None
        assert OwnershipEvent.objects.get().allocation_uuid == allocation.uuid

    def test_is_refused_while_a_conductor_works_on_the_node(self, settings):
        settings.NODE_LOCK_WAIT_SECONDS = 0
        instance = new_uuid()
        node = make_node(instance_uuid=instance, reservation="conductor-1")

        with pytest.raises(errors.NodeLocked, match="is locked by host conductor-1"):
            association.release(ident=node.uuid, held_by=instance, origin=ORIGIN)

        event = OwnershipEvent.objects.get()
        assert (event.event, event.reason, event.before, event.after) == ("refused", "NodeLocked", instance, None)
        assert not ConflictRecord.objects.exists()

    def test_finds_nothing_by_an_unknown_name(self):
        with pytest.raises(errors.NodeNotFound):
            association.release(ident="node-1", held_by=new_uuid(), origin=ORIGIN)


class TestGive:
    def test_makes_the_instance_the_owner(self, db):
        instance, allocation = new_uuid(), Allocation.objects.create(uuid=new_uuid())
        node = make_node()

        give(node, instance, allocation=allocation)

        stored = Node.objects.get()
        assert (stored.instance_uuid, stored.allocation_id) == (instance, allocation.uuid)
        event = OwnershipEvent.objects.get()
        assert (event.event, event.after, event.reason) == ("claimed", instance, "allocated")

    def test_changes_nothing_for_the_owner(self, db):
        node = make_node(instance_uuid=new_uuid())

        give(node, node.instance_uuid)

        assert Node.objects.get().generation == 0
        assert not OwnershipEvent.objects.exists()

    def test_is_refused_when_somebody_else_has_the_node(self, db):
        node = make_node(instance_uuid=new_uuid())

        with pytest.raises(
            errors.NodeAssociated, match=f"{node.uuid} is associated with instance {node.instance_uuid}"
        ):
            give(node, new_uuid())

    def test_is_refused_when_the_instance_has_another_node(self, db):
        instance = make_node(instance_uuid=new_uuid()).instance_uuid

        with pytest.raises(errors.InstanceAssociated, match=f"{instance} is already associated"):
            give(make_node(), instance)
