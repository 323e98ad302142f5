"""Bare-metal machines from files: a provider and a node of one uuid, and what may be claimed of the two."""

from __future__ import annotations

import dataclasses

import orjson
import pytest
from django.test import Client

from claimsite.foundation.errors import DomainError
from claimsite.foundation.origin import Door, Origin
from claimsite.machines.record import Disk, Machine, NetworkCard
from claimsite.operations import enrolment
from ironic_app.errors import NodeLocked
from ironic_app.models import Node, OwnershipEvent
from placement_app.models import Inventory, ProviderTrait, ResourceProvider
from tests.builders import A_UUID
from tests.ironic.builders import make_node

pytestmark = pytest.mark.django_db

ORIGIN = Origin(door=Door.COMMAND, actor="tests")
INSTANCE = "11111111-aaaa-4aaa-8aaa-111111111111"
MACHINE = Machine(
    source="grid5000",
    name="dahu-1",
    cpus=64,
    cores=32,
    memory_mb=196608,
    gpus={"Tesla T4": 2},
    is_bare_metal=True,
    architecture="x86_64",
    virtualization="ivt",
    chassis="PowerEdge C6420",
    site="grenoble",
    cluster="dahu",
    disks=(Disk(240, "SSD", "SATA"), Disk(4000, "HDD", "SATA")),
    cards=(
        NetworkCard("02:00:00:00:00:01", 10, "Ethernet", True),
        NetworkCard("02:00:00:00:00:02", 100, "Omni-Path", True),
    ),
)
SHARED = Machine(source="openb", name="openb-1", cpus=32, memory_mb=65536, gpus={}, gpus_are_shared=True)


def load(*machines) -> enrolment.Report:
    return enrolment.load(machines=machines or [MACHINE], origin=ORIGIN)


def the_node() -> Node:
    return Node.objects.get(name="dahu-1")


def claim(**wish):
    body = {"instance_uuid": INSTANCE, "project_id": "p1", "user_id": "u1", "resource_class": "dahu"} | wish
    return Client(raise_request_exception=False).post(
        "/operations/claims", orjson.dumps(body), content_type="application/json", headers={"X-Auth-Token": "admin"}
    )


class TestTheNode:
    def test_has_the_uuid_of_its_provider(self):
        load()

        assert the_node().uuid == ResourceProvider.objects.get(name="dahu-1").uuid

    def test_says_what_the_machine_is(self, baremetal):
        load()

        document = baremetal.get("/v1/nodes/dahu-1").json()

        assert document["properties"] == {
            "cpus": 64,
            "cpu_arch": "x86_64",
            "memory_mb": 196608,
            "local_gb": 4240,
            "capabilities": "cpu_vt:true",
        }
        assert (document["resource_class"], document["driver"]) == ("dahu", "fake-hardware")
        assert (document["provision_state"], document["power_state"]) == ("available", "power off")
        assert document["deploy_interface"] == "fake"
        assert document["network_interface"] == "noop"

    def test_has_the_traits_of_its_provider(self):
        load()

        traits = ProviderTrait.objects.filter(provider__name="dahu-1").values_list("trait__name", flat=True)
        assert the_node().traits == sorted(traits)
        assert "CUSTOM_NETWORK_OMNI_PATH" in the_node().traits

    def test_has_a_port_for_each_card_and_boots_from_the_ethernet(self):
        load()

        ports = {port.address: port.pxe_enabled for port in the_node().ports.all()}
        assert ports == {"02:00:00:00:00:01": True, "02:00:00:00:00:02": False}

    def test_is_nobodys(self):
        load()

        assert the_node().instance_uuid is None
        assert not OwnershipEvent.objects.exists()

    def test_a_machine_that_is_shared_is_none(self):
        report = load(SHARED)

        assert report.nodes.created == []
        assert not Node.objects.exists()

    def test_belongs_to_a_provider_that_has_the_machines_name(self):
        provider = ResourceProvider.objects.create(uuid=A_UUID, root_id=A_UUID, name="dahu-1")

        load()

        assert the_node().uuid == provider.uuid

    def test_where_fake_hardware_is_not_served_nothing_is_enrolled(self, settings):
        settings.BAREMETAL_DRIVERS = ["redfish"]

        with pytest.raises(DomainError, match="fake-hardware"):
            load()

        assert not Node.objects.exists()


class TestTheProvider:
    def test_offers_the_machine_and_no_part_of_it(self, api):
        load()

        free = {row.resource_class_id: row.total - row.reserved for row in Inventory.objects.all()}
        whole = api.get("/allocation_candidates?resources=CUSTOM_DAHU:1").json()
        part = api.get("/allocation_candidates?resources=VCPU:1").json()
        assert free == {"CUSTOM_DAHU": 1, "VCPU": 0, "MEMORY_MB": 0, "DISK_GB": 0, "PGPU": 0}
        assert len(whole["allocation_requests"]) == 1
        assert part["allocation_requests"] == []

    def test_a_reservation_of_the_machine_stays_and_its_parts_are_reserved_again(self):
        load()
        Inventory.objects.filter(resource_class__name="CUSTOM_DAHU").update(reserved=1)
        Inventory.objects.filter(resource_class__name="VCPU").update(reserved=0)

        load()

        reserved = dict(Inventory.objects.values_list("resource_class__name", "reserved"))
        assert (reserved["CUSTOM_DAHU"], reserved["VCPU"]) == (1, 64)

    def test_in_a_mirror_stays_as_it_was_loaded(self, settings, baremetal):
        settings.MIRROR_NODES = True
        load()
        before = list(Inventory.objects.order_by("pk").values_list("resource_class", "total", "reserved"))

        load()
        baremetal.put("/v1/nodes/dahu-1/maintenance", {"reason": "fan"})
        baremetal.delete("/v1/nodes/dahu-1/maintenance")

        after = list(Inventory.objects.order_by("pk").values_list("resource_class", "total", "reserved"))
        assert sorted(after) == sorted(before)


class TestClaiming:
    def test_works_out_of_the_box(self):
        load()

        response = claim()

        assert response.status_code == 201, response.content
        assert response.json()["resources"] == {"CUSTOM_DAHU": 1}
        assert the_node().instance_uuid == INSTANCE

    def test_the_second_is_told_that_nothing_is_free(self):
        load()
        claim()

        response = claim(instance_uuid=A_UUID)

        assert response.status_code == 409


class TestLoadingAgain:
    def test_who_has_the_node_and_its_state_stay(self):
        load()
        claim()
        Node.objects.update(provision_state="active", power_state="power on")
        before = Node.objects.values().get()

        report = load()

        assert report.nodes.unchanged == ["dahu-1"]
        assert Node.objects.values().get() == before

    def test_what_was_decided_here_stays(self):
        load()
        node = the_node()
        properties = node.properties | {"memory_mb": 1, "rack": "7", "capabilities": "boot_mode:uefi"}
        Node.objects.update(resource_class="gold", name="mine", properties=properties, traits=["CUSTOM_MINE"])

        report = load()

        node.refresh_from_db()
        assert report.nodes.changed == ["dahu-1"]
        assert (node.resource_class, node.name) == ("gold", "mine")
        assert node.properties == properties | {"memory_mb": 196608}
        assert {"CUSTOM_MINE", "CUSTOM_CLUSTER_DAHU"} <= set(node.traits)

    def test_a_new_card_is_a_new_port_and_an_old_one_stays(self):
        load()
        more = dataclasses.replace(MACHINE, cards=(NetworkCard("02:00:00:00:00:03", 25, "Ethernet", True),))

        report = load(more)

        assert (report.nodes.changed, report.nodes.new_ports) == (["dahu-1"], 1)
        assert the_node().ports.count() == 3

    def test_a_node_that_is_worked_on_is_not_corrected(self, settings):
        settings.NODE_LOCK_WAIT_SECONDS = 0
        load()
        Node.objects.update(reservation="conductor-1", resource_class=None)

        with pytest.raises(NodeLocked):
            load()

        assert the_node().resource_class is None

    def test_a_node_of_that_name_is_the_machine(self):
        node = make_node(name="dahu-1")

        load()

        assert Node.objects.get() == node
        assert node.ports.count() == 2
