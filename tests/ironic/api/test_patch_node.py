"""PATCH /v1/nodes/<node>: what may be changed, when, and what follows from it."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from ironic_app.models import Chassis, ConflictRecord, Node, OwnershipEvent
from tests.ironic.builders import add, fault, make_allocation, make_node, remove, replace, test

UUID = "8a6f0c6e-6f5d-4f7b-9c1e-0d6a1f1c2b3a"


@pytest.fixture
def node(db):
    return make_node(uuid=UUID, name="node-1", extra={"rack": {"row": 4}})


def patch(client, *operations, query="", **options):
    return client.patch(f"/v1/nodes/{UUID}{query}", list(operations), **options)


class TestPatch:
    def test_answers_with_the_whole_node(self, baremetal, node):
        response = patch(baremetal, add("/extra/a", 1))

        assert response.status_code == 200
        assert response.json() == baremetal.get(f"/v1/nodes/{UUID}").json()
        assert response.json()["updated_at"] is not None

    def test_finds_the_node_by_name(self, baremetal, node):
        assert baremetal.patch("/v1/nodes/node-1", [add("/extra/a", 1)]).status_code == 200

    def test_applies_all_operations_in_order(self, baremetal, node):
        response = patch(baremetal, add("/extra/a", {}), add("/extra/a/b", 1), remove("/extra/rack"))

        assert response.json()["extra"] == {"a": {"b": 1}}

    def test_applies_nothing_when_one_of_them_fails(self, baremetal, node):
        response = patch(baremetal, add("/name", "node-2"), remove("/extra/none"))

        assert response.status_code == 400
        assert "Couldn't apply patch" in fault(response)["faultstring"]
        assert Node.objects.get().name == "node-1"

    def test_of_nothing_changes_nothing(self, baremetal, node):
        response = patch(baremetal)

        assert (response.status_code, Node.objects.get().generation) == (200, 0)

    @pytest.mark.parametrize(
        ("operation", "expected"),
        [
            (add("/extra/a", 1), ["SELECT", "UPDATE"]),
            (add("/instance_uuid", UUID), ["SELECT", "UPDATE", "INSERT"]),
            (add("/extra/rack/row", 4), ["SELECT"]),
        ],
    )
    def test_costs_few_statements(self, baremetal, node, operation, expected, settings):
        # So that the statements can be read.
        settings.PREPARED_STATEMENTS = False
        with CaptureQueriesContext(connection) as run:
            patch(baremetal, operation)

        verbs = [each["sql"].split()[0] for each in run.captured_queries]
        assert [verb for verb in verbs if verb not in {"BEGIN", "SAVEPOINT", "RELEASE"}] == expected

    @pytest.mark.parametrize(
        ("operation", "shown"),
        [
            (remove("/name"), {"name": None}),
            (remove("/extra"), {"extra": {}}),
            (replace("/extra", None), {"extra": {}}),
            (replace("/extra", {"b": [1, {"c": None}]}), {"extra": {"b": [1, {"c": None}]}}),
            (add("/maintenance", "true"), {"maintenance": True}),
            (add("/automated_clean", "no"), {"automated_clean": False}),
            (add("/conductor_group", "Cellar"), {"conductor_group": "cellar"}),
            (add("/power_interface", "ipmitool"), {"power_interface": "ipmitool"}),
            (remove("/power_interface"), {}),
            (add("/description", "ünïcode \U0001f600"), {"description": "ünïcode \U0001f600"}),
            (add("/extra/größe", "ø"), {"extra": {"rack": {"row": 4}, "größe": "ø"}}),
            (add("/extra/a~1b~0c", 1), {"extra": {"rack": {"row": 4}, "a/b~c": 1}}),
            (add("/extra/a.b c", 1), {"extra": {"rack": {"row": 4}, "a.b c": 1}}),
        ],
    )
    def test_sets_and_unsets(self, baremetal, node, operation, shown):
        response = patch(baremetal, operation)

        assert response.status_code == 200
        assert {name: response.json()[name] for name in shown} == shown

    @pytest.mark.parametrize(
        "body",
        [
            None,
            {},
            "x",
            {"op": "add", "path": "/extra/a", "value": 1},
            [1],
            [None],
            [{"op": "add", "path": "/extra/a"}],
            [{"op": "add", "value": 1}],
            [{"path": "/extra/a", "value": 1}],
            [{"op": "move", "from": "/extra/a", "path": "/extra/b"}],
            [{"op": "copy", "path": "/extra/b", "value": 1}],
            [{"op": ["add"], "path": "/extra/b", "value": 1}],
            [{"op": "add", "path": ["extra"], "value": 1}],
            [{"op": "add", "path": "/extra/b", "value": 1, "more": 1}],
            [add("", 1)],
            [add("/", 1)],
            [add("extra", 1)],
            [add("/extra/", 1)],
            [add("//extra", 1)],
            [add("/extra/~", 1)],
            [add("/extra/~2", 1)],
            [add("/uuid", UUID)],
            [add("/provision_state", "active")],
            [add("/reservation", None)],
            [add("/traits", [])],
            [add("/allocation_uuid", None)],
            [add("/nonsense", 1)],
            [remove("/driver")],
            [replace("/driver", "nonsense")],
            [replace("/power_interface", "nonsense")],
            [add("/extra", [])],
            [add("/extra", 7)],
            [add("/name", "a b")],
            [add("/name", UUID)],
            [add("/owner", "o" * 256)],
            [add("/owner", 7)],
            [add("/lessee", "o" * 256)],
            [add("/resource_class", "r" * 81)],
            [add("/maintenance", "perhaps")],
            [add("/chassis_uuid", UUID)],
            [add("/parent_node", UUID)],
            [add("/parent_node", "1f0e8f0a-0000-4000-8000-00000000000a")],
            [add("/name/first", "n")],
            [test("/driver_info/ipmi_password", "x")],
            [test("/nonsense", "x")],
            [add("/protected_reason", "because")],
            [add("/retired_reason", "because")],
        ],
    )
    def test_refuses_what_cannot_be(self, baremetal, node, body):
        response = baremetal.patch(f"/v1/nodes/{UUID}", body)

        assert response.status_code == 400
        assert fault(response)["faultstring"]
        assert Node.objects.get().generation == 0

    def test_tells_what_can_be_changed(self, baremetal, node):
        text = fault(patch(baremetal, add("/uuid", "x")))["faultstring"]

        assert text.startswith(
            "Cannot patch /uuid. Only the following can be updated: automated_clean, bios_interface,"
        )

    @pytest.mark.parametrize("path", ["/extra/a~1b", "/extra/a.b", "/extra/a b"])
    def test_knows_no_escapes_before_their_version(self, baremetal, node, path):
        assert patch(baremetal, add(path, 1), version="1.97").status_code == 400

    @pytest.mark.parametrize(
        ("operation", "since"),
        [
            (add("/name", "n"), 5),
            (add("/resource_class", "bm"), 21),
            (remove("/chassis_uuid"), 25),
            (add("/owner", "p1"), 50),
            (add("/lessee", "p1"), 65),
            (add("/shard", "s"), 82),
            (test("/owner", None), 50),
        ],
    )
    def test_accepts_no_field_before_its_version(self, baremetal, node, operation, since):
        assert patch(baremetal, operation, version=f"1.{since - 1}").status_code == 406
        assert patch(baremetal, operation, version=f"1.{since}").status_code == 200

    def test_of_a_name_that_is_taken_is_refused(self, baremetal, node):
        make_node(name="node-2")

        response = patch(baremetal, replace("/name", "node-2"))

        assert (response.status_code, fault(response)["code"]) == (409, "DuplicateName")
        record = ConflictRecord.objects.get()
        assert (record.operation, record.reason, record.door) == ("nodes.edit", "DuplicateName", "baremetal")


class TestTestOperation:
    """An addition to Ironic's patches: nothing happens unless the node is what the client believes it to be."""

    @pytest.mark.parametrize(
        "believed",
        [("/provision_state", "available"), ("/owner", None), ("/extra/rack/row", 4), ("/extra/none", None)],
    )
    def test_lets_the_rest_happen(self, baremetal, node, believed):
        response = patch(baremetal, test(*believed), add("/extra/a", 1))

        assert (response.status_code, response.json()["extra"]["a"]) == (200, 1)

    def test_stops_the_rest(self, baremetal, node):
        response = patch(baremetal, add("/extra/a", 1), test("/provision_state", "active"))

        assert (response.status_code, fault(response)["code"]) == (412, "TestFailed")
        assert Node.objects.get().generation == 0
        assert ConflictRecord.objects.get().reason == "TestFailed"


class TestLostUpdate:
    """Two clients read a node and each changes it (LP #1605728)."""

    def test_the_last_one_wins_without_a_version_and_both_are_told(self, baremetal, node):
        patch(baremetal, replace("/owner", "p2"), token="x", headers={"X-Roles": "admin"})
        patch(baremetal, replace("/owner", "p3"), token="y", headers={"X-Roles": "admin"})

        assert Node.objects.get().owner == "p3"
        told = OwnershipEvent.objects.order_by("pk").values_list("actor", "event", "subject", "before", "after")
        assert list(told) == [("x", "claimed", "owner", None, "p2"), ("y", "changed", "owner", "p2", "p3")]

    def test_the_second_is_refused_with_the_version_that_both_have_read(self, baremetal, node):
        read = {"If-Match": baremetal.get(f"/v1/nodes/{UUID}")["ETag"]}

        first = patch(baremetal, replace("/owner", "p2"), headers=read)
        second = patch(baremetal, replace("/owner", "p3"), headers=read)

        assert (first.status_code, second.status_code) == (200, 412)
        assert Node.objects.get().owner == "p2"


class TestStates:
    @pytest.mark.parametrize(
        "state",
        ["deploying", "wait call-back", "cleaning", "clean wait", "deleting", "rescuing", "adopting", "servicing"],
    )
    def test_of_transition_allow_nothing(self, baremetal, state):
        make_node(uuid=UUID, provision_state=state, target_provision_state="active")

        response = patch(baremetal, add("/extra/a", 1))

        assert (response.status_code, fault(response)["code"]) == (409, "NodeInTransition")

    @pytest.mark.parametrize(
        "state",
        [
            "deploy failed",
            "inspect failed",
            "inspect wait",
            "clean failed",
            "verifying",
            "adopt failed",
            "rescue failed",
        ],
    )
    def test_of_failure_and_waiting_allow_changes(self, baremetal, state):
        make_node(uuid=UUID, provision_state=state, target_provision_state="active")

        assert patch(baremetal, add("/extra/a", 1)).status_code == 200

    def test_of_inspection_allow_changes_only_to_old_clients(self, baremetal):
        make_node(uuid=UUID, provision_state="inspecting", target_provision_state="manageable")

        assert patch(baremetal, add("/extra/a", 1), version="1.38").status_code == 200
        assert patch(baremetal, add("/extra/b", 1), version="1.39").status_code == 409

    @pytest.mark.parametrize(
        ("values", "operation", "status"),
        [
            ({"provision_state": "active"}, add("/driver", "ipmi"), 409),
            ({"provision_state": "active"}, add("/power_interface", "ipmitool"), 409),
            ({"provision_state": "active", "maintenance": True}, add("/power_interface", "ipmitool"), 200),
            ({"provision_state": "manageable"}, add("/power_interface", "ipmitool"), 200),
            ({"console_enabled": True}, add("/driver", "ipmi"), 409),
            ({"provision_state": "active"}, add("/resource_class", "bm"), 200),
            ({"provision_state": "active", "resource_class": "old"}, add("/resource_class", "bm"), 409),
            ({"provision_state": "active", "resource_class": "bm"}, add("/resource_class", "bm"), 200),
            ({"provision_state": "available"}, add("/protected", True), 409),
            ({"provision_state": "active"}, add("/protected", True), 200),
            ({"provision_state": "available"}, add("/retired", True), 409),
            ({"provision_state": "manageable"}, add("/retired", True), 200),
            ({"provision_state": "active"}, add("/owner", "p1"), 200),
        ],
    )
    def test_decide_what_may_change(self, baremetal, values, operation, status):
        make_node(uuid=UUID, **values)

        assert patch(baremetal, operation).status_code == status

    def test_of_an_allocation_with_an_owner_keep_the_nodes_owner(self, baremetal):
        allocation = make_allocation(owner="p1", state="active")
        make_node(uuid=UUID, owner="p1", allocation=allocation, instance_uuid=allocation.uuid)

        assert patch(baremetal, replace("/owner", "p2")).status_code == 409


class TestConsequences:
    @pytest.mark.parametrize(
        ("values", "operations", "shown"),
        [
            (
                {"maintenance": True, "maintenance_reason": "r", "fault": "power failure"},
                [replace("/maintenance", False)],
                {"maintenance": False, "maintenance_reason": None, "fault": None},
            ),
            (
                {"provision_state": "active"},
                [add("/protected", True), add("/protected_reason", "r")],
                {"protected": True, "protected_reason": "r"},
            ),
            (
                {"provision_state": "active", "protected": True, "protected_reason": "r"},
                [replace("/protected", False)],
                {"protected": False, "protected_reason": None},
            ),
            (
                {"retired": True, "retired_reason": "r"},
                [remove("/retired")],
                {"retired": False, "retired_reason": None},
            ),
            ({}, [add("/instance_info/display_name", "vm-1")], {"instance_name": "vm-1"}),
            ({"instance_name": "old"}, [add("/instance_info/display_name", "vm-1")], {"instance_name": "old"}),
            (
                {},
                [add("/instance_info/display_name", "vm-1"), add("/instance_name", "vm-2")],
                {"instance_name": "vm-2"},
            ),
        ],
    )
    def test_come_with_the_change(self, baremetal, values, operations, shown):
        make_node(uuid=UUID, **values)

        response = patch(baremetal, *operations)

        assert {name: response.json()[name] for name in shown} == shown

    def test_of_a_new_driver_can_be_new_interfaces(self, baremetal):
        make_node(uuid=UUID, power_interface="ipmitool", boot_interface="ipxe", inspect_interface="agent")

        response = patch(
            baremetal, replace("/driver", "ipmi"), add("/boot_interface", "pxe"), query="?reset_interfaces=True"
        )

        shown = response.json()
        assert (shown["power_interface"], shown["boot_interface"], shown["inspect_interface"]) == (
            "fake",
            "pxe",
            "fake",
        )

    def test_of_the_driver_that_it_names_again_can_be_too(self, baremetal):
        make_node(uuid=UUID, name="node-1", boot_interface="ipxe")

        response = patch(baremetal, replace("/driver", "fake-hardware"), query="?reset_interfaces=True")

        assert response.json()["boot_interface"] == "fake"

    def test_of_the_old_driver_cannot(self, baremetal, node):
        assert patch(baremetal, add("/extra/a", 1), query="?reset_interfaces=True").status_code == 400
        assert (
            patch(baremetal, replace("/driver", "ipmi"), query="?reset_interfaces=1", version="1.44").status_code == 406
        )


class TestNeighbours:
    def test_may_be_a_chassis(self, baremetal, node):
        Chassis.objects.create(uuid=UUID)

        assert patch(baremetal, add("/chassis_uuid", UUID.upper())).json()["chassis_uuid"] == UUID
        assert patch(baremetal, remove("/chassis_uuid")).json()["chassis_uuid"] is None

    def test_may_be_a_parent_that_lists_its_children(self, baremetal, node):
        parent = make_node(name="parent")

        patch(baremetal, add("/parent_node", parent.uuid))

        assert baremetal.get("/v1/nodes/parent/children").json()["children"] == [UUID]
        assert [each["name"] for each in baremetal.get("/v1/nodes").json()["nodes"]] == ["parent"]

    def test_are_never_ones_own_descendants(self, baremetal, node):
        child = make_node(parent_id=UUID)
        grandchild = make_node(parent_id=child.uuid)

        assert patch(baremetal, add("/parent_node", grandchild.uuid)).status_code == 400


class TestBigDocuments:
    def test_come_back_as_they_went(self, baremetal, node):
        document = {f"key-{number}": {"text": "x" * 100, "number": number * 1.5} for number in range(1000)}

        patch(baremetal, replace("/extra", document))

        assert baremetal.get(f"/v1/nodes/{UUID}").json()["extra"] == document
