"""PATCH of /instance_uuid: who has a node (LP #1244541, #1308144, #1310843, #1341420)."""

import pytest

from ironic_app.models import Allocation, ConflictRecord, Node, OwnershipEvent
from tests.ironic.builders import add, fault, make_node, remove, replace, test

NODE = "8a6f0c6e-6f5d-4f7b-9c1e-0d6a1f1c2b3a"
ONE = "1f0e8f0a-0000-4000-8000-00000000000a"
ARABIC = "\N{ARABIC-INDIC DIGIT ONE}" * 32
OTHER = "2f0e8f0a-0000-4000-8000-00000000000b"


def owner_of(uuid):
    return Node.objects.get(uuid=uuid).instance_uuid


class TestClaim:
    @pytest.mark.parametrize("version", ["1.1", "1.50", "1.109"])
    @pytest.mark.parametrize("operation", [add, replace])
    def test_of_a_free_node_succeeds(self, baremetal, operation, version):
        node = make_node()

        response = baremetal.patch(f"/v1/nodes/{node.uuid}", [operation("/instance_uuid", ONE)], version=version)

        assert response.status_code == 200
        assert response.json()["instance_uuid"] == ONE
        assert owner_of(node.uuid) == ONE

    @pytest.mark.parametrize("state", ["enroll", "manageable", "available", "active", "deploy failed", "error"])
    def test_is_possible_in_every_state_of_rest(self, baremetal, state):
        node = make_node(provision_state=state)

        assert baremetal.patch(f"/v1/nodes/{node.uuid}", [add("/instance_uuid", ONE)]).status_code == 200

    @pytest.mark.parametrize(
        "patch",
        [
            [add("/instance_uuid", OTHER)],
            [replace("/instance_uuid", OTHER)],
            [remove("/instance_uuid"), add("/instance_uuid", OTHER)],
            [test("/instance_uuid", ONE), replace("/instance_uuid", OTHER)],
        ],
    )
    def test_of_somebody_elses_node_is_refused_with_the_holders_name(self, baremetal, patch):
        make_node(uuid=NODE, instance_uuid=ONE)

        response = baremetal.patch(f"/v1/nodes/{NODE}", patch)

        assert response.status_code == 409
        assert fault(response)["faultstring"] == f"Node {NODE} is associated with instance {ONE}."
        assert fault(response)["code"] == "NodeAssociated"
        assert "Retry-After" not in response
        assert owner_of(NODE) == ONE

    @pytest.mark.parametrize("operation", [add, replace])
    def test_again_by_the_holder_changes_nothing(self, baremetal, operation):
        make_node(uuid=NODE, instance_uuid=ONE)

        response = baremetal.patch(f"/v1/nodes/{NODE}", [operation("/instance_uuid", ONE)])

        assert response.status_code == 200
        assert Node.objects.get().generation == 0
        assert not OwnershipEvent.objects.exists()

    def test_of_a_second_node_is_refused(self, baremetal):
        make_node(instance_uuid=ONE)
        make_node(uuid=NODE)

        response = baremetal.patch(f"/v1/nodes/{NODE}", [add("/instance_uuid", ONE)])

        assert response.status_code == 409
        assert fault(response)["faultstring"] == (
            f"Instance {ONE} is already associated with a node, it cannot be associated with this other node {NODE}"
        )
        assert fault(response)["code"] == "InstanceAssociated"
        assert owner_of(NODE) is None

    def test_takes_nothing_else_of_a_refused_patch(self, baremetal):
        make_node(uuid=NODE, instance_uuid=ONE)

        baremetal.patch(f"/v1/nodes/{NODE}", [add("/extra/mine", True), add("/instance_uuid", OTHER)])

        node = Node.objects.get()
        assert (node.extra, node.generation) == ({}, 0)

    @pytest.mark.parametrize("state", ["deploying", "cleaning", "deleting", "wait call-back"])
    def test_is_refused_while_the_node_is_on_its_way(self, baremetal, state):
        node = make_node(provision_state=state, target_provision_state="available")

        response = baremetal.patch(f"/v1/nodes/{node.uuid}", [add("/instance_uuid", ONE)])

        assert response.status_code == 409
        assert fault(response)["faultstring"] == (
            f"Node {node.uuid} can not be updated while a state transition is in progress."
        )


class TestSpelling:
    """The same uuid in another spelling is the same instance (LP #1758057)."""

    SPELLINGS = (ONE.upper(), ONE.replace("-", ""), f"{{{ONE}}}", f"urn:uuid:{ONE}")

    @pytest.mark.parametrize("spelling", SPELLINGS)
    def test_is_stored_as_the_canonical_one(self, baremetal, spelling):
        make_node(uuid=NODE)

        response = baremetal.patch(f"/v1/nodes/{NODE}", [add("/instance_uuid", spelling)])

        assert response.status_code == 200
        assert response.json()["instance_uuid"] == ONE

    @pytest.mark.parametrize("spelling", SPELLINGS)
    def test_does_not_make_a_second_instance(self, baremetal, spelling):
        make_node(instance_uuid=ONE)
        make_node(uuid=NODE)

        response = baremetal.patch(f"/v1/nodes/{NODE}", [add("/instance_uuid", spelling)])

        assert response.status_code == 409

    @pytest.mark.parametrize("spelling", SPELLINGS)
    def test_finds_the_node(self, baremetal, spelling):
        node = make_node(instance_uuid=ONE)

        found = baremetal.get(f"/v1/nodes?instance_uuid={spelling}").json()["nodes"]

        assert [each["uuid"] for each in found] == [node.uuid]

    @pytest.mark.parametrize("spelling", SPELLINGS)
    def test_is_what_a_test_compares(self, baremetal, spelling):
        make_node(uuid=NODE, instance_uuid=ONE)

        response = baremetal.patch(f"/v1/nodes/{NODE}", [test("/instance_uuid", spelling), remove("/instance_uuid")])

        assert response.status_code == 200

    @pytest.mark.parametrize("value", ["", "instance-1", ONE + "0", ONE[:-1], "g" * 32, 7, {}, [], True, ARABIC])
    def test_refuses_what_is_no_uuid(self, baremetal, value):
        make_node(uuid=NODE)

        response = baremetal.patch(f"/v1/nodes/{NODE}", [add("/instance_uuid", value)])

        assert response.status_code == 400
        assert owner_of(NODE) is None

    def test_names_what_is_no_uuid(self, baremetal):
        make_node(uuid=NODE)

        response = baremetal.patch(f"/v1/nodes/{NODE}", [add("/instance_uuid", "instance-1")])

        assert fault(response)["faultstring"] == "Expected UUID for instance_uuid: instance-1"


class TestRelease:
    RELEASES = ([remove("/instance_uuid")], [replace("/instance_uuid", None)], [add("/instance_uuid", None)])

    @pytest.mark.parametrize("patch", RELEASES)
    def test_frees_the_node(self, baremetal, patch):
        make_node(uuid=NODE, instance_uuid=ONE)

        response = baremetal.patch(f"/v1/nodes/{NODE}", patch)

        assert (response.status_code, response.json()["instance_uuid"]) == (200, None)
        assert owner_of(NODE) is None

    @pytest.mark.parametrize("patch", RELEASES)
    def test_of_a_free_node_changes_nothing(self, baremetal, patch):
        make_node(uuid=NODE)

        assert baremetal.patch(f"/v1/nodes/{NODE}", patch).status_code == 200
        assert Node.objects.get().generation == 0

    def test_lets_the_next_one_claim(self, baremetal):
        make_node(uuid=NODE, instance_uuid=ONE)

        baremetal.patch(f"/v1/nodes/{NODE}", [remove("/instance_uuid")])

        assert baremetal.patch(f"/v1/nodes/{NODE}", [add("/instance_uuid", OTHER)]).status_code == 200

    def test_that_comes_twice_does_not_rob_the_next_owner_when_it_says_whom_it_releases(self, baremetal):
        make_node(uuid=NODE, instance_uuid=OTHER)

        response = baremetal.patch(f"/v1/nodes/{NODE}", [test("/instance_uuid", ONE), remove("/instance_uuid")])

        assert response.status_code == 412
        assert fault(response)["code"] == "TestFailed"
        assert owner_of(NODE) == OTHER

    def test_that_comes_twice_does_not_rob_the_next_owner_when_it_says_what_it_read(self, baremetal):
        make_node(uuid=NODE, instance_uuid=ONE)
        read = baremetal.get(f"/v1/nodes/{NODE}")["ETag"]
        release = {"headers": {"If-Match": read}}
        baremetal.patch(f"/v1/nodes/{NODE}", [remove("/instance_uuid")], **release)
        baremetal.patch(f"/v1/nodes/{NODE}", [add("/instance_uuid", OTHER)])

        again = baremetal.patch(f"/v1/nodes/{NODE}", [remove("/instance_uuid")], **release)

        assert again.status_code == 412
        assert owner_of(NODE) == OTHER
        event = OwnershipEvent.objects.order_by("pk").last()
        assert (event.event, event.reason, event.node_uuid) == ("refused", "NodeChanged", NODE)
        assert (event.before, event.after) == (OTHER, None)

    def test_is_possible_in_maintenance_even_on_the_way(self, baremetal):
        make_node(
            uuid=NODE,
            instance_uuid=ONE,
            maintenance=True,
            provision_state="deploying",
            target_provision_state="active",
        )

        assert baremetal.patch(f"/v1/nodes/{NODE}", [remove("/instance_uuid")]).status_code == 200
        assert owner_of(NODE) is None

    def test_of_anything_more_waits_for_the_end_of_the_way(self, baremetal):
        make_node(
            uuid=NODE,
            instance_uuid=ONE,
            maintenance=True,
            provision_state="deploying",
            target_provision_state="active",
        )

        response = baremetal.patch(f"/v1/nodes/{NODE}", [remove("/instance_uuid"), add("/extra/a", 1)])

        assert response.status_code == 409


class TestReleaseOfAnAllocation:
    """An allocation and the claim it made are one thing (story 2004341)."""

    @pytest.fixture
    def allocation(self, db):
        return Allocation.objects.create(uuid=ONE, state="active", resource_class="bm")

    def test_deletes_the_allocation(self, baremetal, allocation):
        make_node(uuid=NODE, instance_uuid=ONE, allocation=allocation)

        response = baremetal.patch(f"/v1/nodes/{NODE}", [remove("/instance_uuid")])

        assert (response.status_code, response.json()["allocation_uuid"]) == (200, None)
        assert not Allocation.objects.exists()
        assert OwnershipEvent.objects.get().allocation_uuid == ONE

    def test_is_refused_while_the_node_is_in_use(self, baremetal, allocation):
        make_node(uuid=NODE, instance_uuid=ONE, allocation=allocation, provision_state="active")

        response = baremetal.patch(f"/v1/nodes/{NODE}", [remove("/instance_uuid")])

        assert (response.status_code, fault(response)["code"]) == (409, "InvalidState")
        assert owner_of(NODE) == ONE
        assert Allocation.objects.exists()

    def test_is_possible_in_maintenance(self, baremetal, allocation):
        make_node(uuid=NODE, instance_uuid=ONE, allocation=allocation, provision_state="active", maintenance=True)

        assert baremetal.patch(f"/v1/nodes/{NODE}", [remove("/instance_uuid")]).status_code == 200
        assert not Allocation.objects.exists()


class TestStory:
    """Every change of hands and every refused attempt is told, with who and when (LP #1605728 and the like)."""

    def test_tells_claim_refusal_and_release_in_order(self, baremetal):
        make_node(uuid=NODE, name="node-1")
        claimed = baremetal.patch(f"/v1/nodes/{NODE}", [add("/instance_uuid", ONE)], token="alice:p1", **ADMIN)
        refused = baremetal.patch(f"/v1/nodes/{NODE}", [add("/instance_uuid", OTHER)], token="bob:p2", **ADMIN)
        released = baremetal.patch(f"/v1/nodes/{NODE}", [remove("/instance_uuid")], token="alice:p1", **ADMIN)

        story = OwnershipEvent.objects.order_by("pk")

        assert [
            (event.event, event.actor, event.project, event.before, event.after, event.reason, event.request_id)
            for event in story
        ] == [
            ("claimed", "alice", "p1", None, ONE, "", claimed["x-openstack-request-id"]),
            ("refused", "bob", "p2", ONE, OTHER, "NodeAssociated", refused["x-openstack-request-id"]),
            ("released", "alice", "p1", ONE, None, "", released["x-openstack-request-id"]),
        ]
        assert {(event.node_uuid, event.node_name, event.door) for event in story} == {(NODE, "node-1", "baremetal")}

    @pytest.mark.parametrize(
        ("patch", "reason", "wanted"),
        [
            ([test("/instance_uuid", OTHER), remove("/instance_uuid")], "TestFailed", None),
            ([add("/instance_uuid", OTHER)], "NodeAssociated", OTHER),
        ],
    )
    def test_tells_why_and_for_whom_an_attempt_was_refused(self, baremetal, patch, reason, wanted):
        make_node(uuid=NODE, instance_uuid=ONE)

        baremetal.patch(f"/v1/nodes/{NODE}", patch)

        event = OwnershipEvent.objects.get()
        assert (event.event, event.reason, event.before, event.after) == ("refused", reason, ONE, wanted)
        assert not ConflictRecord.objects.exists()

    def test_names_the_holder_of_the_node_that_was_wanted_not_the_one_who_wanted_it(self, baremetal):
        make_node(instance_uuid=ONE)
        make_node(uuid=NODE)

        baremetal.patch(f"/v1/nodes/{NODE}", [add("/instance_uuid", ONE)])

        event = OwnershipEvent.objects.get()
        assert (event.reason, event.before, event.after) == ("InstanceAssociated", None, ONE)

    def test_does_not_tell_of_bad_requests(self, baremetal):
        make_node(uuid=NODE)

        baremetal.patch(f"/v1/nodes/{NODE}", [add("/instance_uuid", "instance-1")])

        assert not OwnershipEvent.objects.exists()


ADMIN = {"headers": {"X-Roles": "admin"}}
