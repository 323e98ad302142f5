"""PUT /allocations/{consumer_uuid}."""

from __future__ import annotations

import logging
from unittest import mock

import pytest
from django.db import connection

from claimsite.foundation.uuids import new_uuid
from placement_app import errors
from placement_app.models import Allocation, ClaimEvent, ConflictRecord, Consumer, Inventory, ResourceProvider
from placement_app.services import ledger
from tests.builders import claim, inventory, provider

CONSUMER = "11111111-aaaa-4aaa-8aaa-111111111111"
URL = f"/allocations/{CONSUMER}"
HOST = "22222222-aaaa-4aaa-8aaa-222222222222"


def used(row: ResourceProvider, resource_class: str = "VCPU") -> int:
    return Inventory.objects.get(provider=row, resource_class__name=resource_class).used


def code(response) -> str:
    return response.json()["errors"][0]["code"]


def no_trace_of(consumer: str) -> bool:
    return (
        not Consumer.objects.filter(uuid=consumer).exists()
        and not Allocation.objects.filter(consumer_id=consumer).exists()
        and not ClaimEvent.objects.filter(consumer_uuid=consumer).exists()
    )


class TestAClaim:
    def test_makes_the_consumer_at_generation_one_and_moves_each_provider_once(self, api):
        host, store = provider(vcpu=4, memory_mb=1024), provider(disk_gb=100)

        response = api.put(URL, claim({host: {"VCPU": 1, "MEMORY_MB": 64}, store: {"DISK_GB": 10}}))

        assert (response.status_code, response.content) == (204, b"")
        document = api.get(URL).json()
        assert document["consumer_generation"] == 1
        assert document["allocations"] == {
            host.uuid: {"generation": 1, "resources": {"VCPU": 1, "MEMORY_MB": 64}},
            store.uuid: {"generation": 1, "resources": {"DISK_GB": 10}},
        }
        assert (used(host), used(store, "DISK_GB")) == (1, 10)

    def test_replaces_what_was_held_and_does_not_add_to_it(self, api):
        """LP #1707669."""
        old, new = provider(vcpu=4, memory_mb=1024), provider(vcpu=4)
        api.put(URL, claim({old: {"VCPU": 2, "MEMORY_MB": 100}}))

        response = api.put(URL, claim({new: {"VCPU": 2}}, generation=1))

        assert response.status_code == 204
        assert (used(old), used(old, "MEMORY_MB"), used(new)) == (0, 0, 2)
        assert api.get(URL).json()["consumer_generation"] == 2

    def test_of_another_project_takes_the_consumer_over(self, api):
        """LP #1779717: usage must not stay with the former owner."""
        host = provider(vcpu=4)
        api.put(URL, claim({host: {"VCPU": 1}}, project="p1", user="u1"))

        api.put(URL, claim({host: {"VCPU": 1}}, generation=1, project="p2", user="u2"))

        document = api.get(URL).json()
        assert (document["project_id"], document["user_id"]) == ("p2", "u2")

    def test_of_the_whole_of_a_provider_in_two_spellings_of_its_uuid_is_one_claim(self, api):
        host = provider(vcpu=4)

        response = api.put(f"/allocations/{CONSUMER.upper()}", claim({host.uuid.upper(): {"VCPU": 4}}))

        assert response.status_code == 204
        assert list(Consumer.objects.values_list("uuid", flat=True)) == [CONSUMER]

    def test_of_nothing_gives_everything_up_and_the_consumer_goes(self, api):
        """LP #1780799."""
        host = provider(vcpu=4)
        api.put(URL, claim({host: {"VCPU": 1}}))

        response = api.put(URL, claim({}, generation=1))

        assert response.status_code == 204
        assert api.get(URL).json() == {"allocations": {}}
        assert (used(host), Consumer.objects.count()) == (0, 0)
        host.refresh_from_db()
        assert host.generation == 2

    def test_after_the_last_allocation_went_starts_anew(self, api):
        host = provider(vcpu=4)
        api.put(URL, claim({host: {"VCPU": 1}}))
        api.put(URL, claim({}, generation=1))

        stale = api.put(URL, claim({host: {"VCPU": 1}}, generation=1))
        fresh = api.put(URL, claim({host: {"VCPU": 1}}, generation=None))

        assert (stale.status_code, code(stale)) == (409, "placement.concurrent_update")
        assert fresh.status_code == 204
        assert api.get(URL).json()["consumer_generation"] == 1

    def test_costs_a_fixed_number_of_statements(self, api, django_assert_num_queries):
        hosts = [provider(vcpu=4, memory_mb=1024) for _ in range(3)]

        # Two of them are the savepoint that stands for the transaction in this test. PostgreSQL takes what is written
        # after the check in one go.
        with django_assert_num_queries(2 + (4 if connection.vendor == "postgresql" else 7)):
            api.put(URL, claim({host: {"VCPU": 1, "MEMORY_MB": 64} for host in hosts}))

    def test_writes_a_line_of_history_for_each_provider(self, api):
        host, store = provider(vcpu=4), provider(disk_gb=100)
        api.put(URL, claim({host: {"VCPU": 1}, store: {"DISK_GB": 10}}))
        api.put(URL, claim({host: {"VCPU": 2}}, generation=1))

        lines = list(ClaimEvent.objects.order_by("pk").values_list("event", "provider_uuid", "before", "after"))

        assert lines == [
            ("claimed", host.uuid, {}, {"VCPU": 1}),
            ("claimed", store.uuid, {}, {"DISK_GB": 10}),
            ("changed", host.uuid, {"VCPU": 1}, {"VCPU": 2}),
            ("released", store.uuid, {"DISK_GB": 10}, {}),
        ]


class TestOlderWriters:
    def test_name_no_owner_before_1_8_and_get_the_incomplete_one(self, api):
        """LP #1780107: the placeholder must itself be a uuid."""
        host = provider(vcpu=4)
        body = {"allocations": [{"resource_provider": {"uuid": host.uuid}, "resources": {"VCPU": 1}}]}

        response = api.put(URL, body, version="1.0")

        assert response.status_code == 204
        document = api.get(URL).json()
        assert document["project_id"] == document["user_id"] == "00000000-0000-0000-0000-000000000000"
        assert document["consumer_type"] == "unknown"

    def test_check_no_generation_but_move_it(self, api):
        host = provider(vcpu=4)
        body = claim({host: {"VCPU": 1}})
        del body["consumer_generation"], body["consumer_type"]

        answers = [api.put(URL, body, version="1.12").status_code for _ in range(3)]

        assert answers == [204, 204, 204]
        assert api.get(URL).json()["consumer_generation"] == 3


class TestARefusedClaim:
    @pytest.mark.parametrize(
        ("resources", "status", "text"),
        [
            ({"VCPU": 100}, 409, "The requested amount would exceed the capacity"),
            ({"MEMORY_MB": 1}, 409, "would violate inventory constraints"),
            ({"DISK_GB": 1}, 409, "Inventory for 'DISK_GB' on resource provider"),
            ({"VCPU": 1, "DISK_GB": 1}, 409, "Inventory for 'DISK_GB' on resource provider"),
            ({"CUSTOM_COWS": 1}, 400, "No such resource class CUSTOM_COWS"),
            ({"VCPU": 0}, 400, "0 is less than the minimum of 1"),
            ({}, 400, "JSON does not validate"),
        ],
    )
    def test_of_a_new_consumer_leaves_no_trace_and_the_retry_succeeds(self, api, resources, status, text):
        """LP #1779725, LP #1778591: the consumer record of a failed first write must not stay behind."""
        host = provider(vcpu=4, MEMORY_MB={"total": 1024, "step_size": 64})

        refused = api.put(URL, claim({host: resources}))

        assert (refused.status_code, code(refused)) == (status, "placement.undefined_code")
        assert text in refused.json()["errors"][0]["detail"]
        assert no_trace_of(CONSUMER)
        assert api.get(URL).json() == {"allocations": {}}
        host.refresh_from_db()
        assert host.generation == 0
        assert api.put(URL, claim({host: {"VCPU": 1}})).status_code == 204

    def test_for_an_unknown_provider_is_a_400_and_leaves_no_trace(self, api):
        host, unknown = provider(vcpu=4), new_uuid()

        refused = api.put(URL, claim({host: {"VCPU": 1}, unknown: {"VCPU": 1}}))

        assert refused.status_code == 400
        assert f"Allocation for resource provider '{unknown}' that does not exist" in refused.content.decode()
        assert no_trace_of(CONSUMER)
        assert api.put(URL, claim({host: {"VCPU": 1}})).status_code == 204

    def test_of_nothing_for_a_consumer_never_seen_leaves_no_trace(self, api):
        response = api.put(URL, claim({}))

        assert response.status_code == 204
        assert no_trace_of(CONSUMER)

    @pytest.mark.parametrize("step", ["insert_allocations", "set_used", "raise_generations", "insert_events"])
    def test_by_a_crash_in_mid_write_leaves_no_trace(self, api, step):
        host = provider(vcpu=4)

        with mock.patch.object(ledger, step, side_effect=RuntimeError("crash")):
            crashed = api.put(URL, claim({host: {"VCPU": 1}}))

        assert crashed.status_code == 500
        assert "crash" not in crashed.content.decode()
        assert no_trace_of(CONSUMER)
        assert used(host) == 0
        assert api.put(URL, claim({host: {"VCPU": 1}})).status_code == 204

    def test_of_a_known_consumer_leaves_its_claim_as_it_was(self, api):
        host = provider(vcpu=4)
        api.put(URL, claim({host: {"VCPU": 3}}))

        refused = api.put(URL, claim({host: {"VCPU": 5}}, generation=1, project="other"))

        assert (refused.status_code, code(refused)) == (409, "placement.undefined_code")
        document = api.get(URL).json()
        assert document["allocations"][host.uuid] == {"generation": 1, "resources": {"VCPU": 3}}
        assert (document["consumer_generation"], document["project_id"]) == (1, "project-1")

    @pytest.mark.parametrize(
        ("version", "body"),
        [
            ("1.8", {"allocations": [], "project_id": "p", "user_id": "u"}),
            ("1.39", claim({}, generation=None) | {"allocations": {HOST: {}}}),
            ("1.39", claim({}, generation=None) | {"allocations": {HOST: {"resources": {"VCPU": 1}}}, "mappings": {}}),
        ],
    )
    def test_with_an_empty_part_is_a_400_and_leaves_no_trace(self, api, version, body):
        """LP #1714072, LP #1708260: empty parts of a claim once were a 500."""
        provider(uuid=HOST, vcpu=4)

        refused = api.put(URL, body, version=version)

        assert refused.status_code == 400
        assert "JSON does not validate" in refused.json()["errors"][0]["detail"]
        assert no_trace_of(CONSUMER)

    @pytest.mark.parametrize("text", ["not-a-uuid", "11111111-aaaa-4aaa-8aaa-11111111111", "%00", "-" * 36])
    def test_for_something_that_is_no_uuid_is_a_400(self, api, text):
        """LP #1780238."""
        host = provider(vcpu=4)

        response = api.put(f"/allocations/{text}", claim({host: {"VCPU": 1}}))

        assert response.status_code == 400
        assert Consumer.objects.count() == 0


class TestGenerationOfTheConsumer:
    def test_that_is_stale_is_refused_at_once_and_nothing_changes(self, api):
        """Two services that both write the whole claim: the later one must not wipe what the earlier one added."""
        host, other = provider(vcpu=4, memory_mb=1024), provider(custom_bw=10)
        api.put(URL, claim({host: {"VCPU": 1}}))
        first = api.put(URL, claim({host: {"VCPU": 1, "MEMORY_MB": 64}}, generation=1))

        second = api.put(URL, claim({host: {"VCPU": 1}, other: {"CUSTOM_BW": 10}}, generation=1))

        assert first.status_code == 204
        assert (second.status_code, code(second)) == (409, "placement.concurrent_update")
        assert "consumer generation conflict - expected 2 but got 1" in second.content.decode()
        assert list(api.get(URL).json()["allocations"]) == [host.uuid]

    @pytest.mark.parametrize(("exists", "given", "text"), [(True, None, "expected 1 but got None"), (False, 5, "null")])
    def test_null_means_that_there_is_no_such_consumer(self, api, exists, given, text):
        host = provider(vcpu=4)
        if exists:
            api.put(URL, claim({host: {"VCPU": 1}}))

        response = api.put(URL, claim({host: {"VCPU": 1}}, generation=given))

        assert (response.status_code, code(response)) == (409, "placement.concurrent_update")
        assert text in response.content.decode()

    def test_comes_before_everything_else_that_is_wrong(self, api):
        response = api.put(URL, claim({new_uuid(): {"CUSTOM_NONE": 1}}, generation=7))

        assert (response.status_code, code(response)) == (409, "placement.concurrent_update")


class TestCapacity:
    def test_counts_the_allocation_ratio_and_what_is_reserved(self, api):
        host = provider(VCPU={"total": 4, "reserved": 1, "allocation_ratio": 1.5})

        refused = api.put(URL, claim({host: {"VCPU": 5}}))
        taken = api.put(URL, claim({host: {"VCPU": 4}}))

        assert (refused.status_code, taken.status_code) == (409, 204)

    @pytest.mark.parametrize(("amount", "status"), [(3, 409), (4, 204), (6, 409), (20, 204), (24, 409)])
    def test_minds_the_unit_rules(self, api, amount, status):
        """LP #1623545."""
        store = provider(DISK_GB={"total": 100, "min_unit": 4, "max_unit": 20, "step_size": 4})

        assert api.put(URL, claim({store: {"DISK_GB": amount}})).status_code == status

    @pytest.mark.parametrize(("amount", "status"), [(7, 409), (6, 204), (5, 204)])
    def test_of_a_provider_that_was_lowered_beneath_its_use_accepts_what_does_not_make_it_worse(
        self, api, amount, status
    ):
        host = provider(vcpu=10)
        api.put(URL, claim({host: {"VCPU": 6}}))
        api.put(f"/allocations/{new_uuid()}", claim({host: {"VCPU": 4}}))
        Inventory.objects.filter(provider=host).update(total=5)

        assert api.put(URL, claim({host: {"VCPU": amount}}, generation=1)).status_code == status

    def test_lowered_beneath_its_use_refuses_newcomers(self, api):
        """LP #1619722."""
        host = provider(vcpu=4)
        api.put(URL, claim({host: {"VCPU": 4}}))
        Inventory.objects.filter(provider=host).update(total=2)

        assert api.put(f"/allocations/{new_uuid()}", claim({host: {"VCPU": 1}})).status_code == 409


class TestLostRaces:
    def test_on_a_provider_are_absorbed_and_logged(self, api, caplog):
        """LP #1719933: a provider-generation conflict is the server's business, not the client's."""
        host = provider(vcpu=4)
        caplog.set_level(logging.DEBUG, logger="claimsite.foundation.transactions")
        twice_lost = [errors.ProviderChangedUnderneath(provider=host.uuid)] * 2
        real = ledger.raise_generations

        def lose_twice(providers, *, after):
            if twice_lost:
                raise twice_lost.pop()
            real(providers, after=after)

        with mock.patch.object(ledger, "raise_generations", side_effect=lose_twice):
            response = api.put(URL, claim({host: {"VCPU": 1}}))

        assert response.status_code == 204
        assert [record.levelname for record in caplog.records] == ["DEBUG", "DEBUG"]
        assert ClaimEvent.objects.get().attempts == 3
        assert not ConflictRecord.objects.exists()

    def test_reach_the_client_when_all_tries_are_spent(self, api, caplog, settings):
        settings.ALLOCATION_CONFLICT_RETRY_COUNT = 2
        host = provider(vcpu=4)

        with mock.patch.object(
            ledger, "raise_generations", side_effect=errors.ProviderChangedUnderneath(provider=host.uuid)
        ):
            response = api.put(URL, claim({host: {"VCPU": 1}}))

        assert (response.status_code, code(response)) == (409, "placement.concurrent_update")
        assert [record.levelname for record in caplog.records] == ["WARNING"]
        assert ConflictRecord.objects.get().attempts == 3
        assert no_trace_of(CONSUMER)

    def test_on_the_consumer_are_never_retried(self, api):
        with mock.patch("claimsite.foundation.transactions.time.sleep") as pause:
            api.put(URL, claim({provider(vcpu=4): {"VCPU": 1}}, generation=9))

        assert not pause.called


def test_two_providers_of_one_new_consumer_are_one_write(api):
    """LP #1778576: the second provider must not be checked against the consumer that the first one made."""
    host, store = provider(vcpu=4), provider(disk_gb=100)

    response = api.put(URL, claim({host: {"VCPU": 1}, store: {"DISK_GB": 10}}))

    assert response.status_code == 204
    assert api.get(URL).json()["consumer_generation"] == 1


def test_an_inventory_of_a_class_added_later_can_be_claimed_in_the_same_breath(api):
    host = provider(vcpu=4)
    api.put(URL, claim({host: {"VCPU": 1}}))
    inventory(host, "CUSTOM_LICENCE", total=1)

    response = api.put(URL, claim({host: {"VCPU": 1, "CUSTOM_LICENCE": 1}}, generation=1))

    assert response.status_code == 204
