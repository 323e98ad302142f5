"""Many who want some node: nobody shares one, none is left over, nobody waits for ever."""

from collections import Counter
from functools import partial

import pytest

from claimsite.foundation.uuids import new_uuid
from ironic_app.models import Allocation, Node, OwnershipEvent
from ironic_app.services import association, matching
from tests.clients import BaremetalClient
from tests.ironic.builders import ORIGIN, add, make_allocation, make_node
from tests.ironic.racing import race

CLIENTS = 16
ROUNDS = 3

pytestmark = pytest.mark.django_db(transaction=True)


def free_nodes(number, **attributes):
    return [
        make_node(**{"resource_class": "baremetal", "power_state": "power off"} | attributes) for _ in range(number)
    ]


def allocate(**wanted):
    return BaremetalClient().post("/v1/allocations", {"resource_class": "baremetal"} | wanted)


def ensure_whole():
    """Every claim is one thing: allocation, node and owner know of each other, or none of them does."""
    for allocation in Allocation.objects.select_related("node"):
        node = getattr(allocation, "node", None)
        assert (allocation.state == "active") == (node is not None), allocation.state
    for node in Node.objects.all():
        assert node.instance_uuid == node.allocation_id


def releases_from_both_ends(node_uuid, allocation_uuid):
    return (
        lambda: BaremetalClient().delete(f"/v1/allocations/{allocation_uuid}").status_code,
        lambda: BaremetalClient().delete(f"/v1/nodes/{node_uuid}/allocation").status_code,
        lambda: association.release(ident=node_uuid, held_by=allocation_uuid, origin=ORIGIN),
    )


class TestAllocations:
    def test_as_many_as_nodes_get_one_each_and_as_many_again_get_none(self):
        nodes = free_nodes(CLIENTS)

        for wave, state in ((1, "active"), (2, "error")):
            responses = race(*(allocate for _ in range(CLIENTS)))
            assert {response.status_code for response in responses} == {201}
            found = Allocation.objects.filter(uuid__in=[response.json()["uuid"] for response in responses])
            assert Counter(found.values_list("state", flat=True)) == {state: CLIENTS}, wave

        assert Allocation.objects.filter(node__in=nodes).count() == CLIENTS
        assert OwnershipEvent.objects.filter(event="claimed").count() == CLIENTS
        ensure_whole()

    def test_with_the_same_candidates_in_the_same_order_use_all_of_them(self):
        nodes = free_nodes(CLIENTS)
        candidates = [node.uuid for node in nodes]

        race(*(partial(allocate, candidate_nodes=candidates) for _ in range(CLIENTS)))

        assert Allocation.objects.filter(state="active").count() == CLIENTS
        ensure_whole()

    def test_of_one_name_are_one(self):
        free_nodes(4)

        responses = race(*(partial(allocate, name="web-1") for _ in range(CLIENTS)))

        assert Counter(response.status_code for response in responses) == {201: 1, 409: CLIENTS - 1}
        assert Node.objects.exclude(instance_uuid=None).count() == 1
        ensure_whole()

    def test_by_name_get_the_node_of_their_name(self):
        names = [f"node-{number}" for number in range(CLIENTS)]
        for name in names:
            free_nodes(1, name=name)

        race(*(partial(allocate, name=name) for name in names))

        assert dict(Allocation.objects.values_list("name", "node__name")) == {name: name for name in names}

    def test_and_claims_by_hand_never_share_a_node(self):
        for _ in range(ROUNDS):
            Node.objects.update(allocation=None, instance_uuid=None, maintenance=True)
            Allocation.objects.all().delete()
            nodes = free_nodes(4)

            def claim(node):
                patch = [add("/instance_uuid", new_uuid())]
                return BaremetalClient().patch(f"/v1/nodes/{node.uuid}", patch).status_code

            race(*(allocate for _ in range(8)), *(partial(claim, node) for node in nodes))

            held = Node.objects.filter(pk__in=[node.pk for node in nodes])
            assert not held.filter(instance_uuid=None).exists()
            by_allocation = held.exclude(allocation=None).count()
            assert Allocation.objects.filter(state="active").count() == by_allocation
            assert Allocation.objects.filter(state="error").count() == 8 - by_allocation

    def test_are_matched_once_however_many_look_after_them(self):
        free_nodes(CLIENTS)
        waiting = [make_allocation(door="baremetal").uuid for _ in range(4)]

        done = race(*(partial(matching.match, uuid=uuid) for uuid in waiting * 4))

        assert sum(done) == len(waiting)
        assert Node.objects.exclude(allocation=None).count() == len(waiting)
        ensure_whole()


class TestReleases:
    def test_against_new_allocations_leave_everything_whole(self):
        free_nodes(4)
        for _ in range(ROUNDS):
            held = [allocate().json()["uuid"] for _ in range(4)]

            def release(uuid):
                return BaremetalClient().delete(f"/v1/allocations/{uuid}").status_code

            answers = race(*(partial(release, uuid) for uuid in held * 2), *(allocate for _ in range(6)))

            released = Counter(answers[: len(held) * 2])
            assert released == {204: len(held), 404: len(held)}
            ensure_whole()
            for uuid in Allocation.objects.values_list("uuid", flat=True):
                release(uuid)
            assert not Node.objects.exclude(instance_uuid=None).exists()

    def test_from_both_ends_take_the_claim_away_once(self):
        for _ in range(ROUNDS):
            (node,) = free_nodes(1)
            uuid = allocate(candidate_nodes=[node.uuid]).json()["uuid"]

            race(*releases_from_both_ends(node.uuid, uuid))

            assert not Allocation.objects.filter(uuid=uuid).exists()
            assert OwnershipEvent.objects.filter(node_uuid=node.uuid, event="released").count() == 1
            ensure_whole()
