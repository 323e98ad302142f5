"""PUT /resource_providers/{uuid}/inventories."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from claimsite.foundation.uuids import new_uuid
from placement_app.models import ConflictRecord, Inventory, ResourceProvider
from tests.builders import claim, provider

DEFAULTS = {"reserved": 0, "min_unit": 1, "max_unit": 2147483647, "step_size": 1, "allocation_ratio": 1.0}


def url(host: ResourceProvider) -> str:
    return f"/resource_providers/{host.uuid}/inventories"


def body(generation: int, **records: dict[str, Any]) -> dict[str, Any]:
    return {"resource_provider_generation": generation, "inventories": records}


def detail(response) -> str:
    return response.json()["errors"][0]["detail"]


def code(response) -> str:
    return response.json()["errors"][0]["code"]


class TestInventories:
    def test_become_exactly_what_was_sent(self, api):
        host = provider(vcpu=8, disk_gb=100)

        response = api.put(url(host), body(0, VCPU={"total": 4, "reserved": 1}, MEMORY_MB={"total": 1024}))

        assert response.status_code == 200
        assert response.json() == {
            "resource_provider_generation": 1,
            "inventories": {
                "VCPU": {**DEFAULTS, "total": 4, "reserved": 1},
                "MEMORY_MB": {**DEFAULTS, "total": 1024},
            },
        }
        assert response.json() == api.get(url(host)).json()

    def test_lose_what_a_record_leaves_out(self, api):
        host = provider(vcpu={"total": 8, "reserved": 2, "allocation_ratio": 4.0, "max_unit": 3})

        response = api.put(url(host), body(0, VCPU={"total": 8}))

        assert response.json()["inventories"] == {"VCPU": {**DEFAULTS, "total": 8}}

    def test_move_the_generation_also_when_nothing_changes(self, api):
        host = provider(vcpu=8)

        generations = [
            api.put(url(host), body(generation, VCPU={"total": 8})).json()["resource_provider_generation"]
            for generation in (0, 1)
        ]

        assert generations == [1, 2]

    def test_return_the_generation_for_the_next_write(self, api):
        """LP #1655761: one write path handed back the old number, and the caller conflicted with itself."""
        host = provider()
        parts = f"/resource_providers/{host.uuid}"

        first = api.put(f"{parts}/inventories", body(0, VCPU={"total": 8})).json()
        second = api.put(f"{parts}/inventories", body(first["resource_provider_generation"], VCPU={"total": 9}))

        assert second.status_code == 200
        assert second.json()["resource_provider_generation"] == api.get(parts).json()["generation"] == 2

    def test_may_all_go(self, api):
        """LP #1746373: an empty PUT is the guarded way to remove all."""
        host = provider(vcpu=8, disk_gb=100)

        response = api.put(url(host), body(0))

        assert response.json() == {"resource_provider_generation": 1, "inventories": {}}
        assert "last-modified" in response.headers
        assert not Inventory.objects.exists()

    def test_keep_their_rows_and_what_is_claimed_of_them(self, api):
        host = provider(vcpu=8)
        api.put(f"/allocations/{new_uuid()}", claim({host: {"VCPU": 3}}))
        before = Inventory.objects.get()

        api.put(url(host), body(1, VCPU={"total": 16}))

        after = Inventory.objects.get()
        assert (after.pk, after.used, after.total) == (before.pk, 3, 16)

    def test_may_write_integers_as_json_does(self, api):
        host = provider()

        response = api.put(url(host), '{"resource_provider_generation": 0.0, "inventories": {"VCPU": {"total": 8.0}}}')

        assert response.json()["inventories"]["VCPU"]["total"] == 8
        assert b'"total":8,' in response.content

    def test_cost_the_same_few_queries_however_many_classes(self, api, django_assert_num_queries):
        host = provider()
        few, many = ["VCPU"], ["VCPU", "MEMORY_MB", "DISK_GB", "PCI_DEVICE", "VGPU", "SRIOV_NET_VF"]

        # Savepoint twice, provider, inventories, names, insert, generation, history: then with rows to delete.
        with django_assert_num_queries(8):
            api.put(url(host), body(0, **{key: {"total": 1} for key in few}))
        with django_assert_num_queries(8):
            api.put(url(host), body(1, **{key: {"total": 1} for key in many}))


class TestShrinking:
    def test_below_what_is_claimed_is_allowed_and_logged(self, api, caplog):
        """LP #1619722: a host that was configured anew could not report its smaller inventory."""
        host = provider(vcpu=4)
        api.put(f"/allocations/{new_uuid()}", claim({host: {"VCPU": 4}}))

        with caplog.at_level(logging.WARNING):
            response = api.put(url(host), body(1, VCPU={"total": 2}))

        assert response.status_code == 200
        assert f"Provider {host.uuid} is over capacity for VCPU: 4 used of 2" in caplog.text
        assert api.put(f"/allocations/{new_uuid()}", claim({host: {"VCPU": 1}})).status_code == 409
        assert api.get("/allocation_candidates?resources=VCPU:1").json()["allocation_requests"] == []

    def test_to_nothing_is_refused_while_something_is_claimed(self, api):
        host = provider(vcpu=4, disk_gb=10, memory_mb=64)
        api.put(f"/allocations/{new_uuid()}", claim({host: {"DISK_GB": 1, "VCPU": 1}}))

        response = api.put(url(host), body(1, MEMORY_MB={"total": 128}))

        assert (response.status_code, code(response)) == (409, "placement.inventory.inuse")
        assert f"Inventory for 'VCPU, DISK_GB' on resource provider '{host.uuid}' in use" in detail(response)
        document = api.get(url(host)).json()
        assert document["resource_provider_generation"] == 1
        assert document["inventories"]["MEMORY_MB"]["total"] == 64
        assert ConflictRecord.objects.get().reason == "InventoryInUse"

    def test_to_nothing_is_allowed_once_the_claim_is_gone(self, api):
        host, consumer = provider(vcpu=4), new_uuid()
        api.put(f"/allocations/{consumer}", claim({host: {"VCPU": 1}}))
        api.delete(f"/allocations/{consumer}")

        assert api.put(url(host), body(1)).status_code == 200


class TestReserving:
    @pytest.mark.parametrize(
        ("version", "reserved", "status", "text"),
        [
            ("1.25", 9, 200, ""),
            ("1.25", 10, 400, "greater than or equal to total"),
            ("1.26", 10, 200, ""),
            ("1.26", 11, 400, "greater than total"),
        ],
    )
    def test_all_of_it_is_for_nodes_being_cleaned(self, api, version, reserved, status, text):
        """LP #1771577: the older rule forbade to show a node as reserved in full."""
        host = provider()

        response = api.put(url(host), body(0, DISK_GB={"total": 10, "reserved": reserved}), version=version)

        assert response.status_code == status
        if status == 400:
            assert f"Unable to update inventory for resource provider {host.uuid}" in detail(response)
            assert text in detail(response)
            assert not Inventory.objects.exists()

    def test_leaves_nothing_either_when_the_ratio_is_tiny(self, api):
        host = provider()
        sent = body(0, DISK_GB={"total": 10, "allocation_ratio": 0.01})

        assert [api.put(url(host), sent, version=version).status_code for version in ("1.25", "1.26")] == [400, 200]

    def test_is_judged_after_the_generation(self, api):
        host = provider()

        response = api.put(url(host), body(7, DISK_GB={"total": 10, "reserved": 11}))

        assert response.status_code == 409


class TestARefusal:
    def test_of_an_old_generation_changes_nothing(self, api):
        """LP #1746373: what another writer added stays."""
        host = provider(vcpu=8)

        response = api.put(url(host), body(5, DISK_GB={"total": 10}))

        assert (response.status_code, code(response)) == (409, "placement.concurrent_update")
        assert "resource provider generation conflict" in detail(response)
        assert "actual: 0, given: 5" in detail(response)
        assert list(api.get(url(host)).json()["inventories"]) == ["VCPU"]

    def test_of_a_class_nobody_knows_changes_nothing(self, api):
        host = provider(vcpu=8)

        response = api.put(url(host), body(0, DISK_GB={"total": 10}, CUSTOM_NONE={"total": 1}))

        assert response.status_code == 400
        assert "Unknown resource class in inventory" in detail(response)
        assert "CUSTOM_NONE" in detail(response)
        assert list(api.get(url(host)).json()["inventories"]) == ["VCPU"]

    def test_names_the_record_it_is_about(self, api):
        """LP #1901120: a total of 0 was refused without saying of what."""
        host = provider()

        response = api.put(url(host), body(0, VCPU={"total": 4}, VGPU={"total": 0}))

        assert response.status_code == 400
        assert "JSON does not validate: 0 is less than the minimum of 1" in detail(response)
        assert "VGPU" in detail(response)
        assert not Inventory.objects.exists()

    @pytest.mark.parametrize(
        "record",
        [
            {},
            5,
            None,
            {"total": -1},
            {"total": True},
            {"total": "1"},
            {"total": 1.5},
            {"total": 2147483648},
            {"total": 1e300},
            {"total": 10**40},
            {"total": 4, "reserved": -1},
            {"total": 4, "min_unit": 0},
            {"total": 4, "max_unit": 0},
            {"total": 4, "step_size": 0},
            {"total": 4, "step_size": 2147483648},
            {"total": 4, "allocation_ratio": -1},
            {"total": 4, "allocation_ratio": 3.5e38},
            {"total": 4, "allocation_ratio": float("nan")},
            {"total": 4, "allocation_ratio": float("inf")},
            {"total": 4, "used": 0},
            {"total": 4, "resource_class": "VCPU"},
        ],
    )
    def test_of_a_record_that_is_none(self, api, record):
        host = provider()

        response = api.put(url(host), body(0, VCPU=record))

        assert response.status_code == 400
        assert not Inventory.objects.exists()

    @pytest.mark.parametrize("name", ["vcpu", "", "VCPU ", "VCPU\n", "CUSTOM-A", "CUSTOM_Ä"])
    @pytest.mark.parametrize("record", [{"total": 4}, {}, 5])
    def test_of_a_class_that_cannot_be_one(self, api, name, record):
        """Such keys must not pass by the rules for records."""
        host = provider()

        response = api.put(url(host), body(0, **{name: record}))

        assert response.status_code == 400

    @pytest.mark.parametrize("sent", [{}, {"inventories": {}}, {"resource_provider_generation": 0}, [], "x", 5])
    def test_of_half_a_body(self, api, sent):
        host = provider()

        response = api.put(url(host), sent)

        assert response.status_code == 400

    def test_of_an_unknown_provider_comes_before_the_body(self, api):
        response = api.put(f"/resource_providers/{new_uuid()}/inventories", "{")

        assert response.status_code == 404
        assert "No resource provider with uuid" in detail(response)
