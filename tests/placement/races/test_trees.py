"""Trees that are changed from several sides at once stay trees."""

from __future__ import annotations

import logging
import random
from collections import Counter

import pytest

from claimsite.foundation.errors import DatabaseRaceLost
from claimsite.foundation.uuids import new_uuid
from placement_app.models import Allocation, Consumer, Inventory, ResourceProvider
from tests.builders import claim, provider, tree
from tests.clients import PlacementClient
from tests.racing import together

pytestmark = pytest.mark.django_db(transaction=True)


def move(name: str, uuid: str, parent: str | None) -> int:
    body = {"name": name, "parent_provider_uuid": parent}
    return PlacementClient().put(f"/resource_providers/{uuid}", body).status_code


def check_shape() -> None:
    """Everybody's root is where following the parents ends; so there are no loops either."""
    rows = {row.uuid: row for row in ResourceProvider.objects.all()}
    for row in rows.values():
        top, steps = row, 0
        while top.parent_id is not None:
            top, steps = rows[top.parent_id], steps + 1
            assert steps <= len(rows), f"{row.name} is below itself"
        assert row.root_id == top.uuid, f"{row.name} has a wrong root"


@pytest.mark.parametrize("attempt", range(5))
def test_two_providers_that_go_below_each_other_do_not_make_a_loop(attempt):
    """LP #1779635: each is checked against what the other has done."""
    members = tree({"a": {"below a": {}}, "b": {"below b": {}}})

    answers = together(
        [
            lambda: move("a", members["a"].uuid, members["below b"].uuid),
            lambda: move("b", members["b"].uuid, members["below a"].uuid),
        ]
    )

    assert sorted(answers) == [200, 400]
    check_shape()


def test_moves_at_random_end_in_a_tree():
    members = list(tree({name: {f"{name}{name}": {}} for name in "abcd"}).values())
    uuids = [member.uuid for member in members]

    def mover(seed):
        choice = random.Random(seed)

        def act():
            done: Counter[int] = Counter()
            for _ in range(15):
                member = choice.choice(members)
                done[move(member.name, member.uuid, choice.choice([*uuids, None]))] += 1
            return done

        return act

    answers = sum(together(mover(seed) for seed in range(6)), Counter[int]())

    assert answers.keys() <= {200, 400, 409}
    assert answers[200] > 30
    check_shape()


def test_moves_do_not_deadlock_with_claims(caplog):
    """Claims lock providers by key, and so do moves: the members of the trees in one statement."""
    caplog.set_level(logging.DEBUG, logger="claimsite.foundation.transactions")
    hosts = [provider(name=f"host {number}", vcpu=1000) for number in range(4)]
    # The root is younger than what will hang below it: an order from the top would be the wrong one.
    roots = [provider(name=f"root {number}", vcpu=1000) for number in range(2)]

    def claimer():
        statuses = Counter[int]()
        for _ in range(15):
            body = claim({each: {"VCPU": 1} for each in [*hosts, *roots]})
            statuses[PlacementClient().put(f"/allocations/{new_uuid()}", body).status_code] += 1
        return statuses

    def mover(seed):
        choice = random.Random(seed)

        def act():
            return Counter(
                move(host.name, host.uuid, choice.choice([*roots, host]).uuid if choice.random() < 0.8 else None)
                for host in (choice.choice(hosts) for _ in range(15))
            )

        return act

    claimed, *moved = together([claimer, mover(1), mover(2), mover(3)])

    assert claimed == {204: 15}
    assert sum(moved, Counter()).keys() <= {200, 400}
    # The server would have absorbed a deadlock, but not in silence.
    assert str(DatabaseRaceLost()) not in caplog.text
    assert set(Inventory.objects.values_list("used", flat=True)) == {15}
    check_shape()


@pytest.mark.parametrize("attempt", range(5))
def test_a_child_and_the_end_of_its_parent_exclude_each_other(attempt):
    parent = provider()
    body = {"name": "child", "parent_provider_uuid": parent.uuid}

    made, deleted = together(
        [
            lambda: PlacementClient().post("/resource_providers", body).status_code,
            lambda: PlacementClient().delete(f"/resource_providers/{parent.uuid}").status_code,
        ]
    )

    assert (made, deleted) in {(200, 409), (400, 204)}
    check_shape()


@pytest.mark.parametrize("attempt", range(5))
def test_a_claim_and_the_end_of_its_provider_exclude_each_other(attempt):
    host = provider(vcpu=4)

    claimed, deleted = together(
        [
            lambda: PlacementClient().put(f"/allocations/{new_uuid()}", claim({host: {"VCPU": 1}})).status_code,
            lambda: PlacementClient().delete(f"/resource_providers/{host.uuid}").status_code,
        ]
    )

    assert (claimed, deleted) in {(204, 409), (400, 204)}
    assert Allocation.objects.count() == Consumer.objects.count() == (claimed == 204)


@pytest.mark.parametrize(
    "body", [{"name": "host-a"}, {"name": "host-a", "uuid": "6f2b1d0c-7a7e-4d53-9a3c-1e9a5f0b7c11"}]
)
def test_a_provider_that_many_make_at_once_is_made_by_one(body):
    """LP #1817833: the others are told that it is there, and never of an error of the database."""
    answers = together(lambda: PlacementClient().post("/resource_providers", body) for _ in range(8))

    assert Counter(answer.status_code for answer in answers) == {200: 1, 409: 7}
    codes = {answer.json()["errors"][0]["code"] for answer in answers if answer.status_code == 409}
    assert codes == {"placement.duplicate_name"}
    assert ResourceProvider.objects.count() == 1


def test_a_name_that_many_want_at_once_goes_to_one():
    hosts = [provider() for _ in range(6)]

    def renamer(host):
        return lambda: PlacementClient().put(f"/resource_providers/{host.uuid}", {"name": "wanted"}).status_code

    answers = together(renamer(host) for host in hosts)

    assert Counter(answers) == {200: 1, 409: 5}
    assert ResourceProvider.objects.filter(name="wanted").count() == 1
