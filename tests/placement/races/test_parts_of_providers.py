"""What providers have, written from several sides at once."""

from __future__ import annotations

from collections import Counter

import pytest

from claimsite.foundation.uuids import new_uuid
from placement_app.models import (
    Allocation,
    Inventory,
    ProviderAggregate,
    ProviderTrait,
    ResourceClass,
    ResourceProvider,
    Trait,
)
from tests.builders import claim, provider
from tests.clients import PlacementClient
from tests.racing import together

pytestmark = pytest.mark.django_db(transaction=True)


def writes(host: ResourceProvider, number: int) -> list[tuple[str, dict]]:
    """One guarded write of each kind, at generation 0."""
    return [
        ("inventories", {"inventories": {"VCPU": {"total": number + 1}}}),
        ("inventories/DISK_GB", {"total": number + 1}),
        ("traits", {"traits": ["HW_CPU_X86_AVX2"]}),
        ("aggregates", {"aggregates": [new_uuid()]}),
    ]


@pytest.mark.parametrize("kind", range(4))
def test_of_writers_that_read_the_same_generation_one_wins(kind):
    """The losers get the 409 that says "read again", not an error: also for traits, where the peer's answer is 500."""
    host = provider(disk_gb=1)

    def writer(number):
        part, body = writes(host, number)[kind]
        return lambda: PlacementClient().put(
            f"/resource_providers/{host.uuid}/{part}", {**body, "resource_provider_generation": 0}
        )

    answers = together(writer(number) for number in range(8))

    assert Counter(answer.status_code for answer in answers) == {200: 1, 409: 7}
    codes = {answer.json()["errors"][0]["code"] for answer in answers if answer.status_code == 409}
    assert codes == {"placement.concurrent_update"}
    host.refresh_from_db()
    assert host.generation == 1


def test_writers_without_a_generation_queue_up():
    host = provider(vcpu=1)
    classes = ["DISK_GB", "MEMORY_MB", "PCI_DEVICE", "VGPU"]

    def adder(resource_class):
        body = {"resource_class": resource_class, "total": 1}
        return lambda: PlacementClient().post(f"/resource_providers/{host.uuid}/inventories", body).status_code

    answers = together(adder(resource_class) for resource_class in [*classes, *classes])

    assert Counter(answers) == {201: 4, 409: 4}
    host.refresh_from_db()
    assert (host.generation, Inventory.objects.filter(provider=host).count()) == (4, 5)


def test_inventories_written_during_claims_keep_count_of_them():
    host = provider(vcpu=1000)
    url = f"/resource_providers/{host.uuid}/inventories"

    def claimer():
        api = PlacementClient()
        for _ in range(20):
            consumer = new_uuid()
            assert api.put(f"/allocations/{consumer}", claim({host: {"VCPU": 1}})).status_code == 204
            assert api.put(f"/allocations/{consumer}", claim({host: {"VCPU": 2}}, generation=1)).status_code == 204

    def writer():
        """As clients do it: read again and retry, until it has worked ten times."""
        api, statuses = PlacementClient(), Counter[int]()
        while statuses[200] < 10:
            document = api.get(url).json()
            document["inventories"]["VCPU"]["total"] += 1
            statuses[api.put(url, document).status_code] += 1
        return statuses

    *_, statuses = together([claimer, claimer, writer])

    assert statuses.keys() <= {200, 409}
    assert Inventory.objects.get().total == 1010
    assert Inventory.objects.get().used == 80
    assert sum(Allocation.objects.values_list("used", flat=True)) == 80


@pytest.mark.parametrize("attempt", range(5))
def test_a_claim_and_the_end_of_its_inventory_exclude_each_other(attempt):
    host = provider(vcpu=4)

    claimed, deleted = together(
        [
            lambda: PlacementClient().put(f"/allocations/{new_uuid()}", claim({host: {"VCPU": 1}})).status_code,
            lambda: PlacementClient().delete(f"/resource_providers/{host.uuid}/inventories").status_code,
        ]
    )

    assert (claimed, deleted) in {(204, 409), (409, 204)}
    assert Allocation.objects.count() == Inventory.objects.count() == (claimed == 204)


def test_aggregates_that_old_clients_write_at_once_are_those_of_one_of_them():
    host = provider()
    wanted = [[new_uuid(), new_uuid()] for _ in range(6)]

    def writer(aggregates):
        url = f"/resource_providers/{host.uuid}/aggregates"
        return lambda: PlacementClient().put(url, aggregates, version="1.18").status_code

    answers = together(writer(aggregates) for aggregates in wanted)

    assert answers == [200] * 6
    assert list(ProviderAggregate.objects.order_by("pk").values_list("aggregate_uuid", flat=True)) in wanted


class TestTheVocabulary:
    @pytest.mark.parametrize("path", ["/traits", "/resource_classes"])
    def test_makes_each_of_many_names_once(self, path):
        """Names that are made at once want the same number; who comes second takes the next."""
        names = [f"CUSTOM_{number}" for number in range(6)] * 2

        def maker(name):
            return lambda: PlacementClient().put(f"{path}/{name}").status_code

        answers = together(maker(name) for name in names)

        assert Counter(answers) == {201: 6, 204: 6}

    def test_makes_a_posted_class_once(self):
        answers = together(
            lambda: PlacementClient().post("/resource_classes", {"name": "CUSTOM_GOLD"}).status_code for _ in range(6)
        )

        assert Counter(answers) == {201: 1, 409: 5}

    @pytest.mark.parametrize("attempt", range(5))
    def test_loses_no_class_that_is_being_taken_up(self, attempt):
        host = provider()
        ResourceClass.objects.create(id=10_000, name="CUSTOM_GOLD")
        body = {"resource_provider_generation": 0, "inventories": {"CUSTOM_GOLD": {"total": 1}}}

        taken, deleted = together(
            [
                lambda: PlacementClient().put(f"/resource_providers/{host.uuid}/inventories", body).status_code,
                lambda: PlacementClient().delete("/resource_classes/CUSTOM_GOLD").status_code,
            ]
        )

        assert (taken, deleted) in {(200, 409), (400, 204)}
        assert Inventory.objects.count() == ResourceClass.objects.filter(name="CUSTOM_GOLD").count()

    @pytest.mark.parametrize("attempt", range(5))
    def test_loses_no_trait_that_is_being_taken_up(self, attempt):
        host = provider()
        Trait.objects.create(id=10_000, name="CUSTOM_GOLD")
        body = {"resource_provider_generation": 0, "traits": ["CUSTOM_GOLD"]}

        taken, deleted = together(
            [
                lambda: PlacementClient().put(f"/resource_providers/{host.uuid}/traits", body).status_code,
                lambda: PlacementClient().delete("/traits/CUSTOM_GOLD").status_code,
            ]
        )

        assert (taken, deleted) in {(200, 409), (400, 204)}
        assert ProviderTrait.objects.count() == Trait.objects.filter(name="CUSTOM_GOLD").count()

    def test_renames_a_class_while_it_is_claimed(self):
        hosts = [provider(custom_gold=1000) for _ in range(3)]

        def claimer():
            statuses = Counter[int]()
            for _ in range(15):
                body = claim({host: {"CUSTOM_GOLD": 1} for host in hosts})
                statuses[PlacementClient().put(f"/allocations/{new_uuid()}", body).status_code] += 1
            return statuses

        def renamer():
            return PlacementClient().put("/resource_classes/CUSTOM_GOLD", {"name": "CUSTOM_SILVER"}, version="1.6")

        first, second, renamed = together([claimer, claimer, renamer])

        assert renamed.status_code == 200
        assert (first + second).keys() <= {204, 400}
        assert {inventory.resource_class_id for inventory in Inventory.objects.all()} == {"CUSTOM_SILVER"}
        assert {allocation.resource_class_id for allocation in Allocation.objects.all()} <= {"CUSTOM_SILVER"}
        assert set(Inventory.objects.values_list("used", flat=True)) == {(first + second)[204]}

    def test_shares_a_name_among_those_who_take_it_up(self):
        """No provider waits for another: the lock on a name is a shared one."""
        hosts = [provider() for _ in range(8)]
        ResourceClass.objects.create(id=10_000, name="CUSTOM_GOLD")
        body = {"resource_provider_generation": 0, "inventories": {"VCPU": {"total": 1}, "CUSTOM_GOLD": {"total": 1}}}

        def taker(host):
            return lambda: PlacementClient().put(f"/resource_providers/{host.uuid}/inventories", body).status_code

        assert together(taker(host) for host in hosts) == [200] * 8
