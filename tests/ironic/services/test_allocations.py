"""Allocations beneath the API: which node they get, how they end, and that claim and owner are one thing."""

import pytest

from claimsite.foundation.uuids import new_uuid
from ironic_app import errors
from ironic_app.models import Allocation, ConflictRecord, Node, OwnershipEvent
from ironic_app.services import allocations, association, conductors, matching
from ironic_app.services.allocations import Wanted
from tests.ironic.builders import ORIGIN, make_allocation, make_node

pytestmark = pytest.mark.django_db(transaction=True)


def free_node(**attributes):
    return make_node(**{"resource_class": "baremetal", "power_state": "power off"} | attributes)


def allocate(**wanted):
    made = allocations.create(wanted=Wanted(**{"resource_class": "baremetal"} | wanted), origin=ORIGIN)
    return allocations.get(ident=made.uuid)


def problem(allocation):
    assert allocation.state == "error"
    prefix = f"Failed to process allocation {allocation.uuid}: "
    assert allocation.last_error.startswith(prefix)
    return allocation.last_error.removeprefix(prefix)


class TestCreating:
    def test_is_answered_before_the_node_is_known_and_has_one_right_after(self):
        node = free_node()

        made = allocations.create(wanted=Wanted(resource_class="baremetal", name="web-1"), origin=ORIGIN)

        assert made.state == "allocating"
        found = allocations.get(ident="web-1")
        assert (found.state, found.last_error, allocations.node_uuid(found)) == ("active", None, node.uuid)

    def test_gives_the_node_its_owner_and_what_was_asked_for_in_one(self):
        node = free_node(traits=["CUSTOM_GPU", "CUSTOM_SSD"], instance_info={"kept": 1})

        allocation = allocate(traits=["CUSTOM_GPU"])

        node.refresh_from_db()
        assert (node.instance_uuid, node.allocation_id) == (allocation.uuid, allocation.uuid)
        assert node.instance_info == {"kept": 1, "traits": ["CUSTOM_GPU"]}
        event = OwnershipEvent.objects.get()
        assert (event.event, event.after, event.allocation_uuid) == ("claimed", allocation.uuid, allocation.uuid)
        assert (event.reason, event.actor) == ("allocated", ORIGIN.actor)

    def test_needs_a_resource_class(self):
        with pytest.raises(errors.ResourceClassMissing):
            allocate(resource_class=None)

    def test_refuses_a_name_or_uuid_that_is_taken(self):
        make_allocation(name="web-1", uuid="11111111-1111-4111-8111-111111111111")

        with pytest.raises(errors.AllocationNameTaken, match="name web-1 already exists"):
            allocate(name="web-1")
        with pytest.raises(errors.AllocationExists, match="UUID 1111"):
            allocate(uuid="11111111-1111-4111-8111-111111111111")

        assert Allocation.objects.count() == 1
        assert ConflictRecord.objects.filter(operation="allocations.create").count() == 2

    def test_stores_candidates_by_uuid_however_they_were_spelled(self):
        one, two = free_node(name="node-1"), free_node()

        allocation = allocate(candidate_nodes=["node-1", two.uuid.upper(), one.uuid])

        assert allocation.candidate_nodes == [one.uuid, two.uuid]

    def test_refuses_candidates_that_nobody_knows(self):
        free_node(name="node-1")

        with pytest.raises(errors.UnknownCandidates, match="cannot be found: nope, 2222"):
            allocate(candidate_nodes=["nope", "node-1", "22222222-2222-4222-8222-222222222222"])

        assert not Allocation.objects.exists()


class TestMatching:
    @pytest.mark.parametrize(
        "attributes",
        [
            {"resource_class": "other"},
            {"resource_class": None},
            {"provision_state": "manageable"},
            {"provision_state": "cleaning", "target_provision_state": "available"},
            {"instance_uuid": "11111111-1111-4111-8111-111111111111"},
            {"maintenance": True},
            {"power_state": None},
        ],
    )
    def test_leaves_out_nodes_that_are_not_free(self, attributes):
        free_node(**attributes)

        allocation = allocate()

        assert problem(allocation) == "no available nodes match the resource class baremetal."
        assert allocations.node_uuid(allocation) is None

    def test_takes_candidates_only(self):
        free_node()
        wanted = free_node()

        assert allocations.node_uuid(allocate(candidate_nodes=[wanted.uuid])) == wanted.uuid
        assert problem(allocate(candidate_nodes=[wanted.uuid])) == (
            "none of the requested nodes are available and match the resource class baremetal."
        )

    def test_takes_nodes_with_all_traits_only(self):
        free_node(traits=["CUSTOM_GPU"])
        both = free_node(traits=["CUSTOM_GPU", "CUSTOM_SSD"])

        assert allocations.node_uuid(allocate(traits=["CUSTOM_SSD", "CUSTOM_GPU"])) == both.uuid
        assert problem(allocate(traits=["CUSTOM_SSD", "CUSTOM_GPU"])) == (
            "no suitable nodes have the requested traits CUSTOM_SSD, CUSTOM_GPU."
        )

    def test_takes_nodes_of_the_owner_or_those_lent_to_him(self):
        free_node()
        nodes = {free_node(owner="p1").uuid, free_node(owner="p2", lessee="p1").uuid}

        assert {allocations.node_uuid(allocate(owner="p1")) for _ in nodes} == nodes
        assert problem(allocate(owner="p1")) == "no available nodes match the resource class baremetal."

    def test_prefers_the_node_of_its_own_name(self):
        nodes = {name: free_node(name=name) for name in ("node-1", "node-2", "node-3")}

        for _ in range(10):
            assert allocations.node_uuid(allocate(name="node-2")) == nodes["node-2"].uuid
            allocations.delete(ident="node-2", origin=ORIGIN)

        Node.objects.filter(name="node-2").update(maintenance=True)
        assert allocate(name="node-2").state == "active"

    def test_does_not_always_take_the_same_node_first(self):
        for _ in range(8):
            free_node()

        taken = set()
        for _ in range(20):
            allocation = allocate()
            taken.add(allocations.node_uuid(allocation))
            allocations.delete(ident=allocation.uuid, origin=ORIGIN)

        assert len(taken) > 2

    def test_finds_the_last_node_among_many(self):
        Node.objects.bulk_create(
            Node(uuid=new_uuid(), driver="fake-hardware", resource_class="baremetal", provision_state="active")
            for _ in range(1100)
        )
        last = free_node()

        assert allocations.node_uuid(allocate()) == last.uuid

    def test_ends_in_error_when_its_uuid_is_some_nodes_owner_already(self):
        held = free_node(instance_uuid=new_uuid())
        free = free_node()

        allocation = allocate(uuid=held.instance_uuid)

        assert "is already associated with a node" in problem(allocation)
        free.refresh_from_db()
        assert free.instance_uuid is None


class TestReservedNodes:
    @pytest.fixture
    def conductor(self):
        conductors.sign_on(hostname="conductor-1", conductor_group="", drivers=["fake-hardware"])

    def test_are_tried_again_a_little_later(self, conductor):
        node = free_node(reservation="conductor-1")

        allocation = allocate()

        assert (allocation.state, allocation.attempts) == ("allocating", 1)
        assert matching.due(limit=10) == []

        Node.objects.update(reservation=None)
        assert matching.match(uuid=allocation.uuid)
        assert allocations.node_uuid(allocations.get(ident=allocation.uuid)) == node.uuid

    def test_are_given_up_after_three_rounds(self, conductor):
        free_node(reservation="conductor-1")
        free_node(reservation="conductor-1")

        allocation = allocate()
        while allocation.state == "allocating":
            matching.match(uuid=allocation.uuid)
            allocation.refresh_from_db()

        assert problem(allocation) == "could not reserve any of 2 suitable nodes."
        assert allocation.attempts == 3

    def test_are_given_up_at_once_where_no_conductor_would_come_back(self):
        free_node(reservation="somebody")

        assert problem(allocate()) == "could not reserve any of 1 suitable nodes."

    def test_do_not_stand_in_the_way_of_free_ones(self):
        free_node(reservation="somebody")
        node = free_node()

        assert allocations.node_uuid(allocate()) == node.uuid


class TestAbandonedAllocations:
    def test_are_due_when_their_request_must_have_died(self):
        node = free_node()
        allocation = make_allocation(actor="somebody", door="baremetal")

        assert matching.due(limit=10) == [allocation.uuid]
        assert matching.match(uuid=allocation.uuid)

        node.refresh_from_db()
        assert node.instance_uuid == allocation.uuid

    def test_are_not_tried_twice(self):
        allocation = make_allocation(state="error")

        assert matching.due(limit=10) == []
        assert not matching.match(uuid=allocation.uuid)
        assert not matching.match(uuid=new_uuid())


class TestBackfilling:
    def test_makes_an_allocation_of_what_is_there(self):
        node = make_node(provision_state="active", resource_class="baremetal", instance_uuid=new_uuid(), name="node-1")

        made = allocations.create(wanted=Wanted(node="node-1", name="web-1"), origin=ORIGIN)

        assert (made.state, made.uuid, made.resource_class) == ("active", node.instance_uuid, "baremetal")
        node.refresh_from_db()
        assert node.allocation_id == made.uuid

    def test_takes_a_node_that_nobody_has(self):
        node = make_node(provision_state="active", resource_class="baremetal")

        made = allocations.create(wanted=Wanted(node=node.uuid), origin=ORIGIN)

        node.refresh_from_db()
        assert node.instance_uuid == made.uuid

    @pytest.mark.parametrize(
        ("attributes", "wanted", "text"),
        [
            ({"provision_state": "available"}, {}, 'must be in the "active" state'),
            ({}, {"resource_class": "other"}, "does not match the requested resource class other"),
            ({}, {"traits": ["CUSTOM_NO"]}, "does not match the requested traits"),
        ],
    )
    def test_refuses_a_node_that_is_not_what_is_asked_for(self, attributes, wanted, text):
        node = make_node(**{"provision_state": "active", "resource_class": "baremetal"} | attributes)

        with pytest.raises(errors.BackfillRefused, match=text):
            allocations.create(wanted=Wanted(node=node.uuid, **wanted), origin=ORIGIN)

        node.refresh_from_db()
        assert node.instance_uuid is None
        assert not Allocation.objects.exists()

    def test_refuses_a_node_that_is_not_a_candidate(self):
        node = make_node(provision_state="active", resource_class="baremetal")
        other = make_node()

        with pytest.raises(errors.BackfillRefused, match="Candidate nodes must be empty or contain the target node"):
            allocations.create(wanted=Wanted(node=node.uuid, candidate_nodes=[other.uuid]), origin=ORIGIN)

    def test_refuses_a_node_that_another_instance_has(self):
        node = make_node(provision_state="active", instance_uuid=new_uuid())

        with pytest.raises(errors.NodeAssociated, match=node.instance_uuid):
            allocations.create(wanted=Wanted(node=node.uuid, uuid=new_uuid()), origin=ORIGIN)

        assert not Allocation.objects.exists()

    def test_of_a_node_that_has_one_is_a_duplicate(self):
        allocation = make_allocation(state="active")
        node = make_node(provision_state="active", allocation=allocation, instance_uuid=allocation.uuid)

        with pytest.raises(errors.AllocationExists):
            allocations.create(wanted=Wanted(node=node.uuid), origin=ORIGIN)

    def test_of_a_node_that_nobody_knows_is_a_mistake_in_the_body(self):
        with pytest.raises(errors.UnknownNodeInBody, match="Node nope could not be found"):
            allocations.create(wanted=Wanted(node="nope"), origin=ORIGIN)


class TestDeleting:
    def test_frees_the_node_at_once(self):
        node = free_node()
        allocation = allocate(name="web-1")

        allocations.delete(ident="web-1", origin=ORIGIN)

        node.refresh_from_db()
        assert (node.instance_uuid, node.allocation_id) == (None, None)
        assert not Allocation.objects.filter(uuid=allocation.uuid).exists()
        assert OwnershipEvent.objects.get(event="released").reason == "deallocated"

    def test_works_for_one_that_never_got_a_node(self):
        allocation = make_allocation(state="error")

        allocations.delete(ident=allocation.uuid, origin=ORIGIN)

        assert not Allocation.objects.exists()

    @pytest.mark.parametrize(
        ("state", "target"),
        [("active", None), ("deploying", "active"), ("cleaning", "available"), ("deleting", "available")],
    )
    def test_is_refused_while_the_node_is_in_use(self, state, target):
        allocation = make_allocation(state="active")
        node = make_node(
            provision_state=state, target_provision_state=target, allocation=allocation, instance_uuid=allocation.uuid
        )

        with pytest.raises(errors.AllocationInUse, match=f"because the node is {state}"):
            allocations.delete(ident=allocation.uuid, origin=ORIGIN)

        Node.objects.update(maintenance=True)
        allocations.delete(ident=allocation.uuid, origin=ORIGIN)
        node.refresh_from_db()
        assert node.instance_uuid is None

    def test_is_refused_while_somebody_works_on_the_node(self):
        allocation = make_allocation(state="active")
        make_node(allocation=allocation, instance_uuid=allocation.uuid, reservation="somebody")

        with pytest.raises(errors.NodeLocked):
            allocations.delete(ident=allocation.uuid, origin=ORIGIN)

        assert Allocation.objects.exists()

    def test_of_what_is_not_there_says_so(self):
        with pytest.raises(errors.AllocationNotFound, match="Allocation nope could not be found"):
            allocations.delete(ident="nope", origin=ORIGIN)

    def test_happens_by_itself_when_the_node_is_released(self):
        node = free_node()
        allocation = allocate()

        assert association.release(ident=node.uuid, held_by=allocation.uuid, origin=ORIGIN)

        assert not Allocation.objects.exists()
