"""Many clients, one node: through the whole API, with real threads (LP #1244541)."""

from collections import Counter
from functools import partial

import pytest

from claimsite.foundation.uuids import new_uuid
from ironic_app.models import Chassis, Node, OwnershipEvent
from tests.clients import BaremetalClient
from tests.ironic.builders import add, fault, make_node, remove, replace, test
from tests.ironic.racing import race

CLIENTS = 32
ROUNDS = 4

pytestmark = pytest.mark.django_db(transaction=True)


def patch(node, *operations, version="1.109", **options):
    return BaremetalClient().patch(f"/v1/nodes/{node.uuid}", list(operations), version=version, **options)


def claim(node, instance, **options):
    return patch(node, add("/instance_uuid", instance), **options)


def outcomes(responses):
    return Counter(
        (response.status_code, fault(response)["code"] if response.status_code >= 400 else "") for response in responses
    )


class TestClaims:
    @pytest.mark.parametrize("version", ["1.1", "1.109"])
    def test_of_one_node_by_many_instances_have_one_winner(self, version):
        for _ in range(ROUNDS):
            node = make_node()
            instances = [new_uuid() for _ in range(CLIENTS)]

            responses = race(*(partial(claim, node, instance, version=version) for instance in instances))

            assert outcomes(responses) == {(200, ""): 1, (409, "NodeAssociated"): CLIENTS - 1}
            winner = instances[[response.status_code for response in responses].index(200)]
            node.refresh_from_db()
            assert (node.instance_uuid, node.generation) == (winner, 1)
            for response in responses:
                assert response.status_code == 200 or winner in fault(response)["faultstring"]

    def test_of_two_nodes_by_one_instance_leave_it_with_one(self):
        for _ in range(ROUNDS):
            nodes, instance = [make_node(), make_node()], new_uuid()

            responses = race(*(partial(claim, nodes[lane % 2], instance) for lane in range(CLIENTS)))

            half = CLIENTS // 2
            assert outcomes(responses) == {(200, ""): half, (409, "InstanceAssociated"): half}
            assert Node.objects.filter(instance_uuid=instance).count() == 1

    def test_of_one_node_by_one_instance_all_succeed(self):
        node, instance = make_node(), new_uuid()
        spellings = [instance, instance.upper(), instance.replace("-", ""), f"{{{instance}}}"]

        responses = race(*(partial(claim, node, spellings[lane % 4]) for lane in range(CLIENTS)))

        assert outcomes(responses) == {(200, ""): CLIENTS}
        node.refresh_from_db()
        assert (node.instance_uuid, node.generation) == (instance, 1)

    def test_never_change_an_owner(self):
        owner = new_uuid()
        node = make_node(instance_uuid=owner)
        attempts = [add, replace]

        responses = race(
            *(partial(patch, node, attempts[lane % 2]("/instance_uuid", new_uuid())) for lane in range(CLIENTS))
        )

        assert outcomes(responses) == {(409, "NodeAssociated"): CLIENTS}
        assert Node.objects.get().instance_uuid == owner

    def test_are_all_told_whoever_won(self):
        node = make_node()

        race(*(partial(claim, node, new_uuid()) for _ in range(CLIENTS)))

        story = Counter(OwnershipEvent.objects.filter(node_uuid=node.uuid).values_list("event", "reason"))
        assert story == {("claimed", ""): 1, ("refused", "NodeAssociated"): CLIENTS - 1}


class TestReleases:
    def test_at_once_free_the_node(self):
        node = make_node(instance_uuid=new_uuid())

        responses = race(*(partial(patch, node, remove("/instance_uuid")) for _ in range(CLIENTS)))

        assert outcomes(responses) == {(200, ""): CLIENTS}
        assert OwnershipEvent.objects.filter(event="released").count() == 1

    def test_sent_twice_never_rob_the_next_owner(self):
        """Claim, look, release, and release once more, as after a time-out; each owner must find itself on the node."""
        node = make_node()

        def live(rounds):
            robbed = 0
            for _ in range(rounds):
                mine = new_uuid()
                if claim(node, mine).status_code != 200:
                    continue
                seen = BaremetalClient().get(f"/v1/nodes/{node.uuid}", version="1.109").json()["instance_uuid"]
                robbed += seen != mine
                for _ in range(2):
                    answer = patch(node, test("/instance_uuid", mine), remove("/instance_uuid"))
                    assert answer.status_code in {200, 412}
            return robbed

        robbed = race(*(partial(live, 8) for _ in range(8)))

        assert sum(robbed) == 0


class TestUpdates:
    @pytest.mark.parametrize("attribute", ["extra", "instance_info"])
    def test_of_different_keys_are_never_lost(self, attribute):
        node = make_node()

        responses = race(*(partial(patch, node, add(f"/{attribute}/key{lane}", lane)) for lane in range(CLIENTS)))

        assert outcomes(responses) == {(200, ""): CLIENTS}
        node.refresh_from_db()
        assert getattr(node, attribute) == {f"key{lane}": lane for lane in range(CLIENTS)}
        assert node.generation == CLIENTS

    def test_beside_claims_are_never_lost(self):
        node = make_node()
        claims = [partial(claim, node, new_uuid()) for _ in range(8)]
        notes = [partial(patch, node, add(f"/extra/key{lane}", lane)) for lane in range(12)]
        info = [partial(patch, node, add(f"/instance_info/key{lane}", lane)) for lane in range(12)]

        responses = race(*claims, *notes, *info)

        assert outcomes(responses[:8]) == {(200, ""): 1, (409, "NodeAssociated"): 7}
        node.refresh_from_db()
        assert (len(node.extra), len(node.instance_info)) == (12, 12)

    def test_with_the_version_that_was_read_succeed_once(self):
        node = make_node()
        read = BaremetalClient().get(f"/v1/nodes/{node.uuid}", version="1.109")["ETag"]

        responses = race(
            *(
                partial(patch, node, replace("/owner", f"p{lane}"), headers={"If-Match": read})
                for lane in range(CLIENTS)
            )
        )

        assert outcomes(responses) == {(200, ""): 1, (412, "NodeChanged"): CLIENTS - 1}


class TestDeletion:
    def test_against_claims_never_lets_both_succeed(self):
        for _ in range(ROUNDS):
            node = make_node()
            claims = [partial(claim, node, new_uuid()) for _ in range(7)]

            deleted, *claimed = race(
                partial(BaremetalClient().delete, f"/v1/nodes/{node.uuid}", version="1.109"), *claims
            )

            won = [response for response in claimed if response.status_code == 200]
            assert (deleted.status_code, len(won)) in {(204, 0), (409, 1)}
            assert {response.status_code for response in claimed} <= {200, 404, 409}


class TestCreation:
    def test_of_one_uuid_or_one_name_has_one_winner(self):
        body = {"driver": "fake-hardware", "uuid": new_uuid(), "name": "node-1"}
        create = partial(BaremetalClient().post, "/v1/nodes", body, version="1.109")

        responses = race(*(create for _ in range(CLIENTS)))

        assert sorted(response.status_code for response in responses) == [201] + [409] * (CLIENTS - 1)
        assert Node.objects.count() == 1


class TestChassis:
    def test_never_go_while_a_node_comes(self):
        for _ in range(ROUNDS):
            node, chassis = make_node(), Chassis.objects.create(uuid=new_uuid())

            deleted, joined = race(
                partial(BaremetalClient().delete, f"/v1/chassis/{chassis.uuid}", version="1.109"),
                partial(patch, node, add("/chassis_uuid", chassis.uuid)),
            )

            assert (deleted.status_code, joined.status_code) in {(204, 400), (400, 200)}


class TestParents:
    def test_never_go_while_a_child_comes(self):
        for _ in range(ROUNDS):
            parent, child = make_node(), make_node()

            deleted, joined = race(
                partial(BaremetalClient().delete, f"/v1/nodes/{parent.uuid}", version="1.109"),
                partial(patch, child, add("/parent_node", parent.uuid)),
            )

            assert (deleted.status_code, joined.status_code) in {(204, 400), (409, 200)}

    def test_never_close_a_circle(self):
        first, second = make_node(), make_node()

        responses = race(
            partial(patch, first, add("/parent_node", second.uuid)),
            partial(patch, second, add("/parent_node", first.uuid)),
        )

        assert sorted(response.status_code for response in responses) == [200, 400]
