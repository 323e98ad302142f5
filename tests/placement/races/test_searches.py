"""Searches that share a memory while others write, over real connections."""

from __future__ import annotations

import itertools

import pytest
from django.db import connection

from claimsite.foundation.uuids import new_uuid
from placement_app.candidates import remembered, search, statements
from placement_app.candidates.limits import Bounds
from placement_app.candidates.remembered import Memory
from placement_app.candidates.result import Result
from tests.builders import claim, provider
from tests.clients import PlacementClient
from tests.placement.candidates.clouds import Cloud
from tests.racing import together

pytestmark = pytest.mark.django_db(transaction=True)

QUERIES = ["resources=VCPU:1", "resources=VCPU:1,DISK_GB:1"]


def seen(result: Result) -> list[object]:
    return [
        [(candidate.anchor.uuid, list(candidate.mappings)) for candidate in result.candidates],
        [(member.uuid, member.stocks, member.traits) for member in result.members()],
    ]


def test_remember_nothing_that_was_not_so(monkeypatch):
    """Four claim, release and add children while four search; then memory is compared with the tables."""
    memory = Memory(1000)
    monkeypatch.setattr(remembered, "OF_THIS_PROCESS", memory)
    hosts = [provider(vcpu=50, disk_gb=50) for _ in range(8)]

    def write(number: int) -> None:
        client = PlacementClient()
        for turn in range(12):
            host = hosts[(number + turn) % len(hosts)]
            consumer = new_uuid()
            client.put(f"/allocations/{consumer}", claim({host: {"VCPU": 1, "DISK_GB": 1}}))
            if turn % 3 == 0:
                client.delete(f"/allocations/{consumer}")
            if turn % 4 == 0:
                body = {"name": new_uuid(), "parent_provider_uuid": host.uuid}
                client.post("/resource_providers", body)

    def look() -> None:
        client = PlacementClient()
        for query in QUERIES * 12:
            assert client.get(f"/allocation_candidates?{query}").status_code == 200

    writers = [lambda number=number: write(number) for number in range(4)]
    together([*writers, *itertools.repeat(look, 4)])

    for query in QUERIES:
        request = Cloud().ask(query)
        assert seen(search.find(request, Bounds(), memory)) == seen(search.find(request, Bounds(), Memory(0)))


class TestStatements:
    """What is asked again and again."""

    def ask(self, word: str) -> list[statements.Row]:
        return statements.rows_again("SELECT name FROM placement_app_resourceclass WHERE name = %s", (word,))

    def test_are_answered_alike_each_time(self):
        assert [self.ask(word) for word in ["VCPU", "DISK_GB"] * 3] == [[("VCPU",)], [("DISK_GB",)]] * 3

    def test_are_kept_up_to_a_number(self, monkeypatch):
        monkeypatch.setattr(statements, "MOST", 2)

        words = ["VCPU", "VCPU", "PCPU", "PCPU", "DISK_GB", "DISK_GB", "VCPU", "VCPU"]

        assert [self.ask(word) for word in words] == [[(word,)] for word in words]
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SELECT count(*) FROM pg_prepared_statements WHERE name LIKE 'search_%'")
                assert 0 < cursor.fetchone()[0] <= 2
