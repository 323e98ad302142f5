"""Nodes as providers, in step in the same transaction (CLAIMSITE_MIRROR_NODES)."""

from __future__ import annotations

import pytest

from claimsite.foundation.uuids import new_uuid
from ironic_app.models import Node
from placement_app.models import Allocation, Inventory, ResourceProvider
from tests.builders import claim
from tests.ironic.builders import add, remove

INSTANCE = "11111111-aaaa-4aaa-8aaa-111111111111"


@pytest.fixture(autouse=True)
def mirrored(settings):
    settings.MIRROR_NODES = True


def enrol(baremetal, **fields) -> str:
    response = baremetal.post("/v1/nodes", {"driver": "fake-hardware", "resource_class": "bm", **fields})
    assert response.status_code == 201, response.content
    uuid = response.json()["uuid"]
    Node.objects.filter(uuid=uuid).update(provision_state="available", power_state="power off")
    # The next change of the node shows it as it is by now.
    baremetal.patch(f"/v1/nodes/{uuid}", [add("/maintenance", True)])
    baremetal.patch(f"/v1/nodes/{uuid}", [add("/maintenance", False)])
    return uuid


def stock(uuid) -> tuple[int, int, int]:
    row = Inventory.objects.get(provider__uuid=uuid, resource_class__name="CUSTOM_BM")
    return row.total, row.reserved, row.used


def test_a_node_with_a_resource_class_is_a_provider_of_one_unit(baremetal, api):
    uuid = enrol(baremetal, name="node-1")

    document = api.get(f"/resource_providers/{uuid}").json()

    assert document["name"] == "node-1"
    assert stock(uuid) == (1, 0, 0)


def test_a_node_without_a_resource_class_is_none(baremetal):
    baremetal.post("/v1/nodes", {"driver": "fake-hardware"})

    assert not ResourceProvider.objects.exists()


@pytest.mark.parametrize(
    ("operations", "reserved"),
    [([add("/maintenance", True)], 1), ([add("/instance_uuid", INSTANCE)], 1), ([add("/extra/a", 1)], 0)],
    ids=["maintenance", "instance", "something else"],
)
def test_a_node_that_cannot_be_claimed_is_reserved(baremetal, operations, reserved):
    uuid = enrol(baremetal)

    baremetal.patch(f"/v1/nodes/{uuid}", operations)

    assert stock(uuid) == (1, reserved, 0)


def test_a_node_that_is_given_back_can_be_claimed_again(baremetal):
    uuid = enrol(baremetal)
    baremetal.patch(f"/v1/nodes/{uuid}", [add("/instance_uuid", INSTANCE)])

    baremetal.patch(f"/v1/nodes/{uuid}", [remove("/instance_uuid")])

    assert stock(uuid) == (1, 0, 0)


def test_traits_follow(baremetal, api):
    uuid = enrol(baremetal)

    baremetal.put(f"/v1/nodes/{uuid}/traits", {"traits": ["CUSTOM_FAST", "HW_CPU_X86_VMX"]})

    assert set(api.get(f"/resource_providers/{uuid}/traits").json()["traits"]) == {"CUSTOM_FAST", "HW_CPU_X86_VMX"}


def test_a_deleted_node_takes_its_provider_along(baremetal):
    uuid = enrol(baremetal)

    response = baremetal.delete(f"/v1/nodes/{uuid}")

    assert response.status_code == 204
    assert not ResourceProvider.objects.exists()


def test_a_deleted_node_that_is_still_claimed_leaves_its_provider_with_nothing_to_give(baremetal, api):
    uuid = enrol(baremetal)
    api.put(f"/allocations/{INSTANCE}", claim({uuid: {"CUSTOM_BM": 1}}))

    baremetal.delete(f"/v1/nodes/{uuid}")

    assert stock(uuid) == (1, 1, 1)
    assert Allocation.objects.count() == 1


def test_two_nodes_of_one_name_are_two_providers(baremetal):
    ResourceProvider.objects.create(uuid=(other := new_uuid()), root_id=other, name="node-1")

    uuid = enrol(baremetal, name="node-1")

    assert ResourceProvider.objects.get(uuid=uuid).name == uuid


def test_nothing_is_mirrored_unless_asked_for(baremetal, settings):
    settings.MIRROR_NODES = False

    baremetal.post("/v1/nodes", {"driver": "fake-hardware", "resource_class": "bm"})

    assert not ResourceProvider.objects.exists()
