"""Claims that meet, over real connections: none is lost, doubled, leaked or spuriously refused (LP #1719933)."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable

import pytest
from django.db.models import F, Sum

from claimsite.foundation.uuids import new_uuid
from placement_app.models import Allocation, ConflictRecord, Consumer, Inventory
from tests.builders import claim, provider
from tests.clients import PlacementClient
from tests.racing import together

pytestmark = pytest.mark.django_db(transaction=True)


def claims_of(client: PlacementClient, resources: Iterable[dict]) -> list[int]:
    """One new consumer after the other claims; the status of each."""
    return [client.put(f"/allocations/{new_uuid()}", claim(wanted)).status_code for wanted in resources]


def used_as_stored_and_as_summed() -> tuple[int, int]:
    stored = Inventory.objects.aggregate(total=Sum("used"))["total"] or 0
    return stored, Allocation.objects.aggregate(total=Sum("used"))["total"] or 0


def test_a_storm_on_one_provider_is_absorbed_whole():
    """16 clients with 50 claims each: every answer is 204, and the generation rose by exactly that many."""
    host = provider(vcpu=1000)

    answers = together(lambda: claims_of(PlacementClient(), [{host: {"VCPU": 1}}] * 50) for _ in range(16))

    assert Counter(status for several in answers for status in several) == {204: 800}
    host.refresh_from_db()
    assert host.generation == 800
    assert used_as_stored_and_as_summed() == (800, 800)
    assert not ConflictRecord.objects.exists()


def test_a_race_for_exactly_a_hundred_units_has_exactly_a_hundred_winners_fifty_times():
    hosts = [provider(vcpu=100) for _ in range(50)]

    def racer():
        client = PlacementClient()
        return [Counter(claims_of(client, [{host: {"VCPU": 10}}] * 2)) for host in hosts]

    rounds = together(racer for _ in range(8))

    winners = [sum(counts[index][204] for counts in rounds) for index in range(len(hosts))]
    refused = [sum(counts[index][409] for counts in rounds) for index in range(len(hosts))]
    assert winners == [10] * 50
    assert refused == [6] * 50
    assert not Inventory.objects.exclude(used=100).exists()
    assert used_as_stored_and_as_summed() == (5000, 5000)
    assert Consumer.objects.count() == 500


def test_a_hundred_single_units_have_a_hundred_winners():
    host = provider(vcpu=100)

    answers = together(lambda: claims_of(PlacementClient(), [{host: {"VCPU": 1}}] * 15) for _ in range(8))

    assert Counter(status for several in answers for status in several) == {204: 100, 409: 20}
    assert Inventory.objects.get().used == Allocation.objects.count() == Consumer.objects.count() == 100
    assert ConflictRecord.objects.filter(reason="CapacityExceeded").count() == 20


def test_claims_over_several_providers_in_any_order_never_deadlock():
    hosts = [provider(vcpu=1000) for _ in range(50)]

    def client(seed):
        choice = random.Random(seed)
        return lambda: claims_of(
            PlacementClient(), [{host: {"VCPU": 1} for host in choice.sample(hosts, 3)} for _ in range(20)]
        )

    answers = together(client(seed) for seed in range(8))

    assert Counter(status for several in answers for status in several) == {204: 160}
    assert used_as_stored_and_as_summed() == (480, 480)
    assert not ConflictRecord.objects.exists()


def test_claims_and_releases_in_opposite_orders_never_deadlock():
    """DELETE and moves take the same locks in the same order as claims do."""
    hosts = [provider(vcpu=1000) for _ in range(5)]

    def client(seed):
        choice = random.Random(seed)

        def act():
            api = PlacementClient()
            statuses: Counter[int] = Counter()
            for _ in range(12):
                consumer = new_uuid()
                wanted = {host: {"VCPU": 1} for host in choice.sample(hosts, 3)}
                statuses[api.put(f"/allocations/{consumer}", claim(wanted)).status_code] += 1
                moved = {host: {"VCPU": 2} for host in choice.sample(hosts, 3)}
                statuses[api.post("/allocations", {consumer: claim(moved, generation=1)}).status_code] += 1
                statuses[api.delete(f"/allocations/{consumer}").status_code] += 1
            return statuses

        return act

    answers = together(client(seed) for seed in range(8))

    assert sum(answers, Counter()) == {204: 8 * 12 * 3}
    assert used_as_stored_and_as_summed() == (0, 0)
    assert not Consumer.objects.exists()


def test_one_new_consumer_claimed_by_many_at_once_belongs_to_one_of_them():
    host, consumer = provider(vcpu=1000), new_uuid()

    def racer(number):
        body = claim({host: {"VCPU": 1}}, project=f"project-{number}")
        return lambda: PlacementClient().put(f"/allocations/{consumer}", body)

    answers = together(racer(number) for number in range(8))

    assert sorted(answer.status_code for answer in answers) == [204] + [409] * 7
    losers = {answer.json()["errors"][0]["code"] for answer in answers if answer.status_code == 409}
    assert losers == {"placement.concurrent_update"}
    assert used_as_stored_and_as_summed() == (1, 1)


def test_writers_that_check_nothing_share_a_new_consumer():
    """Before consumer generations existed everybody succeeded, and the last one's claim stood."""
    host, consumer = provider(vcpu=1000), new_uuid()
    body = claim({host: {"VCPU": 1}})
    del body["consumer_generation"], body["consumer_type"]

    answers = together(
        lambda: PlacementClient().put(f"/allocations/{consumer}", body, version="1.12").status_code for _ in range(8)
    )

    assert answers == [204] * 8
    assert Consumer.objects.get().generation == 8
    assert used_as_stored_and_as_summed() == (1, 1)


def test_one_consumer_that_many_take_and_release_keeps_the_books_right():
    """A release meets consumers that come and go while it looks for them."""
    hosts = [provider(vcpu=1000) for _ in range(3)]
    consumer = new_uuid()

    def client(seed):
        choice = random.Random(seed)

        def act():
            api = PlacementClient()
            statuses: Counter[int] = Counter()
            for _ in range(15):
                taken = api.put(
                    f"/allocations/{consumer}", claim({choice.choice(hosts): {"VCPU": choice.randint(1, 9)}})
                )
                statuses[taken.status_code] += 1
                statuses[api.delete(f"/allocations/{consumer}").status_code] += 1
            return statuses

        return act

    answers = together(client(seed) for seed in range(8))

    assert sum(answers, Counter()).keys() <= {204, 404, 409}
    stored, summed = used_as_stored_and_as_summed()
    assert stored == summed
    assert Consumer.objects.exists() == Allocation.objects.exists()


def test_first_claims_of_a_project_never_seen_all_succeed():
    """Story 2009159: get-or-create of the project by two first claims at once ended in a 500 for one of them."""
    host = provider(vcpu=1000)

    answers = together(
        lambda: [
            PlacementClient()
            .put(f"/allocations/{new_uuid()}", claim({host: {"VCPU": 1}}, project=f"new-{turn}", user=f"new-{turn}"))
            .status_code
            for turn in range(25)
        ]
        for _ in range(4)
    )

    assert Counter(status for several in answers for status in several) == {204: 100}


def test_a_swap_between_consumers_is_all_or_nothing_for_every_observer():
    """Two POSTs that name the same two consumers in opposite orders: they queue, and no unit is counted twice."""
    host, left, right = provider(vcpu=10), new_uuid(), new_uuid()
    api = PlacementClient()
    api.post("/allocations", {left: claim({host: {"VCPU": 4}}), right: claim({host: {"VCPU": 6}})})

    def swap(first, second):
        def act():
            client, done = PlacementClient(), 0
            for _ in range(15):
                generations = {
                    uuid: client.get(f"/allocations/{uuid}").json()["consumer_generation"] for uuid in (first, second)
                }
                body = {
                    first: claim({host: {"VCPU": 6}}, generation=generations[first]),
                    second: claim({host: {"VCPU": 4}}, generation=generations[second]),
                }
                answer = client.post("/allocations", body)
                assert answer.status_code in {204, 409}, answer.content
                done += answer.status_code == 204
            return done

        return act

    done = together([swap(left, right), swap(right, left), swap(left, right), swap(right, left)])

    assert sum(done) >= 15
    assert Inventory.objects.filter(provider=host, used=F("total")).exists()
    assert used_as_stored_and_as_summed() == (10, 10)
