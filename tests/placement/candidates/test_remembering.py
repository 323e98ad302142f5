"""Whatever was written meanwhile: a search that remembers gives the answer of one that reads everything anew."""

from __future__ import annotations

import random
from typing import Any

import orjson
import pytest
from django.db import connection
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from claimsite.foundation.errors import DomainError
from claimsite.foundation.openstack.microversion import Microversion
from claimsite.foundation.origin import Door, Origin
from claimsite.machines.record import Machine
from placement_app.api import features
from placement_app.api.render import candidates as render
from placement_app.candidates import search
from placement_app.candidates.limits import Bounds
from placement_app.candidates.remembered import Memory
from placement_app.candidates.snapshot import SHARING
from placement_app.claims import Claim, Owner
from placement_app.models import (
    Allocation,
    Consumer,
    Inventory,
    ProviderAggregate,
    ProviderTrait,
    ResourceClass,
    ResourceProvider,
    Trait,
    stamps,
)
from placement_app.models.vocabulary import Name
from placement_app.services import (
    aggregates,
    allocations,
    cleanup,
    inventories,
    machines,
    provider_traits,
    providers,
    reshaper,
    resource_classes,
    traits,
)
from placement_app.services.inventories import Record
from placement_app.services.reshaper import Shape
from tests.placement.candidates.clouds import Cloud, uuid_of

ORIGIN = Origin(door=Door.COMMAND)
UUIDS = [uuid_of(f"p{number}") for number in range(6)]
CONSUMERS = [uuid_of(f"c{number}") for number in range(3)]
AGGREGATES = [uuid_of(name) for name in "XY"]
CLASSES = ["VCPU", "DISK_GB", "CUSTOM_VF", "CUSTOM_OTHER"]
TRAITS = [SHARING, "HW_CPU_X86_AVX2", "CUSTOM_B", "CUSTOM_A"]
QUERIES = [
    "resources=VCPU:1",
    "resources=VCPU:1,DISK_GB:1",
    "resources=VCPU:1&required=!CUSTOM_A&member_of=X",
    "resources_A=VCPU:1&resources_B=CUSTOM_VF:1&group_policy=none",
    "resources_A=VCPU:1&resources_B=VCPU:1&group_policy=isolate",
    "resources_A=VCPU:1&resources_B=DISK_GB:1&group_policy=none&same_subtree=_A,_B&root_required=!CUSTOM_B",
    "resources=VCPU:1&in_tree=p1",
]


class Actor:
    """Does one thing after the other, as the dice say."""

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)

    def act(self, name: str) -> None:
        try:
            getattr(self, name)()
        except DomainError:
            """Was refused: nothing is written then."""

    # What to act on.
    def uuid(self) -> str:
        return self.dice.choice(UUIDS)

    def provider(self) -> ResourceProvider:
        return self.dice.choice(list(ResourceProvider.objects.all()))

    def some(self, names: list[str]) -> list[str]:
        return self.dice.sample(names, self.dice.randint(0, len(names)))

    def record(self) -> Record:
        return Record(
            total=self.dice.randint(1, 4),
            max_unit=self.dice.randint(1, 4),
            allocation_ratio=self.dice.choice([1.0, 1.7]),
        )

    def records(self) -> dict[str, Record]:
        return {name: self.record() for name in self.some(CLASSES)}

    def claim(self, consumer: str) -> Claim:
        held = Inventory.objects.select_related("provider").order_by("pk")
        wanted: dict[str, dict[str, int]] = {}
        for inventory in self.dice.sample(list(held), min(len(held), self.dice.randint(0, 2))):
            wanted.setdefault(inventory.provider.uuid, {})[inventory.resource_class_id] = 1
        return Claim(consumer_uuid=consumer, resources=wanted, owner=Owner("project", "user"))

    # The verbs.
    def create(self) -> None:
        uuid = self.uuid()
        parent = self.uuid() if self.dice.random() < 0.6 else None
        providers.create(name=f"n{self.dice.randint(0, 9)}", uuid=uuid, parent=parent, origin=ORIGIN)

    def delete(self) -> None:
        providers.delete(uuid=self.uuid(), origin=ORIGIN)

    def rename(self) -> None:
        providers.rename(uuid=self.uuid(), name=f"n{self.dice.randint(0, 9)}", origin=ORIGIN)

    def move(self) -> None:
        row = self.provider()
        providers.update(uuid=row.uuid, name=row.name, parent=self.dice.choice([None, *UUIDS]), origin=ORIGIN)

    def replace_inventories(self) -> None:
        row = self.provider()
        inventories.replace_all(provider=row.uuid, generation=row.generation, records=self.records(), origin=ORIGIN)

    def replace_inventory(self) -> None:
        row = self.provider()
        inventories.replace(
            provider=row.uuid,
            generation=row.generation,
            resource_class=self.dice.choice(CLASSES),
            record=self.record(),
            origin=ORIGIN,
        )

    def create_inventory(self) -> None:
        name = self.dice.choice(CLASSES)
        inventories.create(provider=self.uuid(), resource_class=name, record=self.record(), origin=ORIGIN)

    def remove_inventory(self) -> None:
        inventories.remove(provider=self.uuid(), resource_class=self.dice.choice(CLASSES), origin=ORIGIN)

    def clear_inventories(self) -> None:
        inventories.clear(provider=self.uuid(), origin=ORIGIN)

    def replace_traits(self) -> None:
        row = self.provider()
        provider_traits.replace(provider=row.uuid, traits=self.some(TRAITS), generation=row.generation, origin=ORIGIN)

    def clear_traits(self) -> None:
        provider_traits.clear(provider=self.uuid(), origin=ORIGIN)

    def replace_aggregates(self) -> None:
        """As writers do that know no generation for aggregates, and as others do."""
        row = self.provider()
        generation = self.dice.choice([None, row.generation])
        aggregates.replace(provider=row.uuid, aggregates=self.some(AGGREGATES), generation=generation, origin=ORIGIN)

    def claim_one(self) -> None:
        allocations.replace(claims=[self.claim(self.dice.choice(CONSUMERS))], origin=ORIGIN)

    def claim_several(self) -> None:
        allocations.replace(claims=[self.claim(consumer) for consumer in CONSUMERS[:2]], origin=ORIGIN)

    def release(self) -> None:
        allocations.release(consumer_uuid=self.dice.choice(CONSUMERS), origin=ORIGIN)

    def reshape(self) -> None:
        rows = self.dice.sample(list(ResourceProvider.objects.all()), 1)
        shapes = {row.uuid: Shape(row.generation, self.records()) for row in rows}
        reshaper.reshape(shapes=shapes, claims=[self.claim(self.dice.choice(CONSUMERS))], origin=ORIGIN)

    def rename_class(self) -> None:
        old, new = self.dice.choice([("CUSTOM_VF", "CUSTOM_OTHER"), ("CUSTOM_OTHER", "CUSTOM_VF")])
        resource_classes.rename(name=old, new_name=new, origin=ORIGIN)

    def make_trait_anew(self) -> None:
        """It comes last then among the custom ones."""
        name = self.dice.choice(["CUSTOM_A", "CUSTOM_B"])
        traits.delete(name=name, origin=ORIGIN)
        traits.create(name=name, origin=ORIGIN)

    def load_machine(self) -> None:
        number = self.dice.randint(1, 3)
        machines.load(
            machines=[Machine("test", f"m{number % 2}", cpus=number, memory_mb=64, gpus={}, site="s")], origin=ORIGIN
        )

    def recount(self) -> None:
        """What a broken import left behind is put right."""
        row = self.provider()
        Inventory.objects.filter(provider=row).update(used=1)
        cleanup.recount(provider_uuid=row.uuid, origin=ORIGIN)

    def mend_root(self) -> None:
        row = self.provider()
        ResourceProvider.objects.filter(pk=row.pk).update(root=self.provider())
        cleanup.mend_root(provider_uuid=row.uuid, origin=ORIGIN)

    # Past the site.
    def write_rows_by_hand(self) -> None:
        row = self.provider()
        with connection.cursor() as cursor:
            match self.dice.randint(0, 3):
                case 0:
                    cursor.execute("UPDATE placement_app_inventory SET reserved = 1 WHERE provider_id = %s", [row.pk])
                case 1:
                    cursor.execute("DELETE FROM placement_app_providertrait WHERE provider_id = %s", [row.pk])
                case 2:
                    cursor.execute("DELETE FROM placement_app_provideraggregate WHERE provider_id = %s", [row.pk])
                case 3:
                    Inventory.objects.filter(provider=row, used=0).delete()


VERBS = [
    *("create", "delete", "rename", "move", "replace_inventories", "replace_inventory", "create_inventory"),
    *("remove_inventory", "clear_inventories", "replace_traits", "clear_traits", "replace_aggregates", "claim_one"),
    *("claim_several", "release", "reshape", "rename_class", "make_trait_anew", "load_machine", "recount", "mend_root"),
    "write_rows_by_hand",
]


def answer(query: str, limit: int | None, version: Microversion, memory: Memory) -> dict[str, Any]:
    request = Cloud().ask(query)
    result = search.find(request, Bounds(limit=limit), memory)
    document: dict[str, Any] = orjson.loads(render.answer(request, result, version))
    return document


def start() -> None:
    for parts in (Allocation, Consumer, Inventory, ProviderTrait, ProviderAggregate):
        parts._default_manager.all().delete()
    # Roots protect themselves from being deleted the usual way.
    ResourceProvider.objects.all()._raw_delete("default")
    words: list[tuple[type[Name], list[str]]] = [(ResourceClass, CLASSES), (Trait, TRAITS)]
    for model, names in words:
        for number, name in enumerate(names):
            model._default_manager.get_or_create(name=name, defaults={"id": 10_000 + number})
    for number, uuid in enumerate(UUIDS[:4]):
        above = UUIDS[0] if number == 1 else None
        row = ResourceProvider.objects.create(uuid=uuid, name=f"n{number}", parent_id=above, root_id=above or uuid)
        Inventory.objects.create(provider=row, resource_class_id="VCPU", total=4)


class TestMemory:
    @settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(st.integers(0, 2**32), st.lists(st.sampled_from(VERBS), min_size=5, max_size=20))
    def test_changes_no_answer(self, db, seed, verbs):
        start()
        actor = Actor(seed)
        memory = Memory(1000)

        for verb in verbs:
            actor.act(verb)

            limit = actor.dice.choice([None, 2])
            version = actor.dice.choice([features.NEWEST, features.CANDIDATES])
            for query in QUERIES:
                assert answer(query, limit, version, memory) == answer(query, limit, version, Memory(0)), verb

    def test_knows_a_provider_apart_from_one_that_had_its_key(self, db):
        start()
        memory = Memory(1000)
        key = ResourceProvider.objects.get(uuid=UUIDS[2]).pk
        before = answer("resources=VCPU:1", None, features.NEWEST, memory)

        providers.delete(uuid=UUIDS[2], origin=ORIGIN)
        row = ResourceProvider.objects.create(pk=key, uuid=UUIDS[5], name="new", root_id=UUIDS[5])
        Inventory.objects.create(provider=row, resource_class_id="VCPU", total=4)
        after = answer("resources=VCPU:1", None, features.NEWEST, memory)

        assert UUIDS[2] in before["provider_summaries"]
        assert UUIDS[2] not in after["provider_summaries"]
        assert UUIDS[5] in after["provider_summaries"]

    def test_is_bounded(self, db):
        memory = Memory(10)
        for number in range(40):
            row = ResourceProvider.objects.create(
                uuid=uuid_of(f"q{number}"), name=f"q{number}", root_id=uuid_of(f"q{number}")
            )
            Inventory.objects.create(provider=row, resource_class_id="VCPU", total=4)

        result = search.find(Cloud().ask("resources=VCPU:1"), Bounds(), memory)

        assert len(result.candidates) == 40
        assert len(memory._trees.recent) + len(memory._trees.older) <= 10
        assert len(memory._found.recent) + len(memory._found.older) <= 10


class TestStamps:
    """Each column that a search sees."""

    @pytest.mark.parametrize(
        "change",
        [
            "UPDATE placement_app_resourceprovider SET name = 'other'",
            "UPDATE placement_app_resourceprovider SET generation = 7",
            "UPDATE placement_app_inventory SET resource_class = 'DISK_GB'",
            *(
                f"UPDATE placement_app_inventory SET {column} = 3"
                for column in ("total", "reserved", "min_unit", "max_unit", "step_size", "allocation_ratio")
            ),
            "DELETE FROM placement_app_inventory",
            "UPDATE placement_app_providertrait SET trait = 'CUSTOM_B'",
            "DELETE FROM placement_app_providertrait",
            "UPDATE placement_app_provideraggregate SET aggregate_uuid = 'another'",
            "DELETE FROM placement_app_provideraggregate",
        ],
    )
    def test_change_with_what_is_written_past_the_site(self, db, change):
        start()
        row = ResourceProvider.objects.get(uuid=UUIDS[2])
        ProviderTrait.objects.create(provider=row, trait_id="CUSTOM_A")
        ProviderAggregate.objects.create(provider=row, aggregate_uuid=AGGREGATES[0])
        before = ResourceProvider.objects.values_list("stamp", flat=True).get(pk=row.pk)

        where = "id" if "resourceprovider" in change else "provider_id"
        with connection.cursor() as cursor:
            cursor.execute(f"{change} WHERE {where} = %s", [row.pk])

        assert ResourceProvider.objects.values_list("stamp", flat=True).get(pk=row.pk) != before

    def test_change_of_both_when_a_row_goes_from_one_provider_to_another(self, db):
        start()
        rows = dict(ResourceProvider.objects.filter(uuid__in=UUIDS[2:4]).values_list("uuid", "pk"))
        Inventory.objects.filter(provider__uuid=UUIDS[3]).delete()
        before = set(ResourceProvider.objects.filter(pk__in=rows.values()).values_list("pk", "stamp"))

        Inventory.objects.filter(provider__uuid=UUIDS[2]).update(provider=rows[UUIDS[3]])

        after = set(ResourceProvider.objects.filter(pk__in=rows.values()).values_list("pk", "stamp"))
        assert not before & after

    def test_are_made_anew_where_the_triggers_had_gone(self, db):
        start()
        with connection.cursor() as cursor:
            on = " ON placement_app_inventory" if connection.vendor == "postgresql" else ""
            name = "stamp_inventory" if connection.vendor == "postgresql" else "stamp_inventory_update"
            cursor.execute(f"DROP TRIGGER {name}{on}")
        before = set(ResourceProvider.objects.values_list("pk", "stamp"))

        stamps.install()

        assert not before & set(ResourceProvider.objects.values_list("pk", "stamp"))
