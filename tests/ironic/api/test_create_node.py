"""POST /v1/nodes."""

import pytest

from ironic_app.models import Chassis, Node, OwnershipEvent
from ironic_app.services import conductors
from tests.ironic.builders import fault, make_node

UUID = "8a6f0c6e-6f5d-4f7b-9c1e-0d6a1f1c2b3a"
INSTANCE = "1f0e8f0a-0000-4000-8000-00000000000a"


def create(client, version="1.109", **values):
    return client.post("/v1/nodes", {"driver": "fake-hardware"} | values, version=version)


class TestCreate:
    def test_needs_a_driver_only(self, baremetal):
        response = create(baremetal)

        node = Node.objects.get()
        assert response.status_code == 201
        assert response["Location"] == f"http://testserver/baremetal/v1/nodes/{node.uuid}"
        assert response.json() == baremetal.get(f"/v1/nodes/{node.uuid}").json()
        assert response.json()["provision_state"] == "enroll"
        assert response.json()["updated_at"] is None

    def test_names_the_conductor_that_is_in_charge(self, baremetal):
        conductors.sign_on(hostname="host-1", conductor_group="", drivers=["ipmi"])
        conductors.sign_on(hostname="host-2", conductor_group="", drivers=["fake-hardware"])
        conductors.sign_on(hostname="host-3", conductor_group="cellar", drivers=["fake-hardware"])

        assert create(baremetal).json()["conductor"] == "host-2"
        assert create(baremetal, conductor_group="Cellar").json()["conductor"] == "host-3"
        assert create(baremetal, conductor_group="attic").json()["conductor"] is None

    @pytest.mark.parametrize(("version", "state"), [("1.1", "available"), ("1.10", "available"), ("1.11", "enroll")])
    def test_begins_in_the_state_of_the_version(self, baremetal, version, state):
        create(baremetal, version)

        assert Node.objects.get().provision_state == state

    @pytest.mark.parametrize(("version", "power_state"), [("1.10", "power off"), ("1.11", None)])
    def test_knows_the_power_of_a_node_that_can_be_had_at_once(self, baremetal, version, power_state):
        """Else nobody would ever get it: with an unknown power it is not given to an allocation, nor used by Nova."""
        create(baremetal, version, maintenance=True)

        assert Node.objects.get().power_state == power_state

    def test_takes_everything_that_can_be_said_of_a_node(self, baremetal):
        Chassis.objects.create(uuid=INSTANCE)
        parent = make_node(name="parent")
        values = {
            "uuid": UUID,
            "name": "node-1",
            "instance_uuid": INSTANCE,
            "instance_name": "vm-1",
            "owner": "p1",
            "lessee": "p2",
            "maintenance": True,
            "maintenance_reason": "new",
            "resource_class": "bm",
            "properties": {"cpus": 4},
            "driver_info": {"address": "192.0.2.1"},
            "extra": {"rack": 7},
            "instance_info": {"a": 1},
            "network_data": {"links": [], "networks": [], "services": []},
            "chassis_uuid": INSTANCE,
            "parent_node": parent.uuid,
            "conductor_group": "cellar",
            "description": "d" * 4096,
            "shard": "s1",
            "automated_clean": False,
            "retired": True,
            "retired_reason": "old",
            "disable_power_off": True,
            "power_interface": "ipmitool",
        }

        response = create(baremetal, **values)

        assert response.status_code == 201
        assert {name: response.json()[name] for name in values} == values

    def test_chooses_the_interfaces_that_nobody_named(self, baremetal):
        node = create(baremetal, network_interface="flat").json()

        assert (node["power_interface"], node["network_interface"], node["storage_interface"]) == (
            "fake",
            "flat",
            "noop",
        )

    @pytest.mark.parametrize(
        "values",
        [
            {"driver": None},
            {"driver": ""},
            {"driver": 7},
            {"driver": "nonsense"},
            {"power_interface": "nonsense"},
            {"nonsense": 1},
            {"protected": True},
            {"reservation": "me"},
            {"provision_state": "active"},
            {"traits": ["CUSTOM_A"]},
            {"uuid": "node-1"},
            {"uuid": 7},
            {"name": "not a name"},
            {"name": ""},
            {"name": "n" * 256},
            {"name": UUID},
            {"name": "detail"},
            {"name": "n\u00f6de"},
            {"name": ["node-1"]},
            {"instance_uuid": "instance-1"},
            {"owner": "o" * 256},
            {"owner": {}},
            {"resource_class": "r" * 81},
            {"description": "d" * 4097},
            {"conductor_group": "in the cellar"},
            {"maintenance": "perhaps"},
            {"extra": []},
            {"properties": "none"},
            {"chassis_uuid": UUID},
            {"parent_node": UUID},
            {"uuid": UUID, "parent_node": UUID},
            {"extra": {"text": "\0"}},
        ],
    )
    def test_refuses_what_cannot_be(self, baremetal, values):
        response = create(baremetal, **values)

        assert response.status_code == 400
        assert fault(response)["faultstring"]
        assert not Node.objects.exists()

    @pytest.mark.parametrize("body", [None, b"", b"[]", b"null", b'"x"', b"{", b"\xff", b"{}", b'{"driver": NaN}'])
    def test_refuses_what_is_no_node(self, baremetal, body):
        assert baremetal.post("/v1/nodes", body).status_code == 400

    @pytest.mark.parametrize(
        ("values", "version", "status"),
        [
            ({"name": "node-1"}, "1.4", 406),
            ({"resource_class": "bm"}, "1.20", 406),
            ({"resource_class": "bm"}, "1.21", 201),
            ({"owner": "p1"}, "1.49", 406),
            ({"owner": "p1"}, "1.50", 201),
            ({"shard": "s1"}, "1.81", 406),
        ],
    )
    def test_accepts_no_field_before_its_version(self, baremetal, values, version, status):
        assert create(baremetal, version, **values).status_code == status


class TestDuplicates:
    @pytest.mark.parametrize(
        ("values", "text"),
        [
            ({"uuid": UUID}, f"A node with UUID {UUID} already exists."),
            ({"uuid": UUID.upper()}, f"A node with UUID {UUID} already exists."),
            ({"uuid": UUID.replace("-", "")}, f"A node with UUID {UUID} already exists."),
            ({"name": "node-1"}, "A node with name node-1 already exists."),
        ],
    )
    def test_are_refused(self, baremetal, values, text):
        make_node(uuid=UUID, name="node-1")

        response = create(baremetal, **values)

        assert (response.status_code, fault(response)["faultstring"]) == (409, text)
        assert Node.objects.count() == 1

    def test_of_an_instance_are_refused_and_told(self, baremetal):
        make_node(instance_uuid=INSTANCE)

        response = create(baremetal, uuid=UUID, instance_uuid=INSTANCE)

        assert (response.status_code, fault(response)["code"]) == (409, "InstanceAssociated")
        event = OwnershipEvent.objects.get()
        assert (event.event, event.node_uuid, event.after) == ("refused", UUID, INSTANCE)


class TestStory:
    def test_begins_with_whoever_the_node_was_made_for(self, baremetal):
        create(baremetal, instance_uuid=INSTANCE, owner="p1")

        told = OwnershipEvent.objects.order_by("pk").values_list("event", "subject", "after", "reason")
        assert list(told) == [
            ("claimed", "instance_uuid", INSTANCE, "created"),
            ("claimed", "owner", "p1", "created"),
        ]


class TestRefusals:
    @pytest.mark.parametrize(
        ("values", "text"),
        [
            ({"driver": None}, "Schema error for node: 'driver' is a required property"),
            (
                {"nonsense": 1},
                "Schema error for node: Additional properties are not allowed ('nonsense' was unexpected)",
            ),
            ({"name": "not a name"}, "Cannot create node with invalid name 'not a name'"),
            ({"owner": 7}, "Schema error for node: 7 is not of type 'string', 'null'"),
            ({"uuid": "node-1"}, "Expected UUID for uuid: node-1"),
            ({"driver": "nonsense"}, "Could not find the following driver(s) or hardware type(s): nonsense."),
        ],
    )
    def test_speak_in_the_services_words(self, baremetal, values, text):
        assert fault(create(baremetal, **values))["faultstring"] == text
