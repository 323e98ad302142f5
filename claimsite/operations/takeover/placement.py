"""Taking over what a running Placement knows."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from claimsite.foundation.uuids import canonical_or_same
from claimsite.operations.takeover.service import Report, Takeover
from placement_app.claims import Claim, Owner
from placement_app.models import Consumer, Inventory, ResourceProvider
from placement_app.services import (
    aggregates,
    allocations,
    inventories,
    provider_traits,
    providers,
    resource_classes,
    traits,
)

_FIELDS = [field.name for field in dataclasses.fields(inventories.Record)]
UNKNOWN_TYPE = "unknown"


class PlacementTakeover(Takeover):
    expected = "Placement of version 1.39"

    def run(self) -> Report:
        self._vocabulary()
        rows = _parents_first(self.ask("/resource_providers", "resource_providers"))
        consumers: dict[str, None] = {}
        for number, row in enumerate(rows, start=1):
            if self._provider(row):
                self._parts(row["uuid"])
            consumers |= dict.fromkeys(self.ask(f"/resource_providers/{row['uuid']}/allocations", "allocations"))
            self.stepped("providers", number, len(rows))
        for number, uuid in enumerate(consumers, start=1):
            self._consumer(uuid)
            self.stepped("consumers", number, len(consumers))
        if not self.is_rehearsal:
            for row in rows:
                self._verify(row["uuid"])
        return self.report

    def _vocabulary(self) -> None:
        known = {row.name for row in resource_classes.find()}
        for row in self.ask("/resource_classes", "resource_classes"):
            if row["name"] not in known:
                self.write(
                    "resource class", row["name"], lambda name: resource_classes.ensure(name=name, origin=self.origin)
                )
        present = {row.name for row in traits.find()}
        for name in self.ask("/traits", "traits"):
            if name not in present:
                self.write("trait", name, lambda name: traits.create(name=name, origin=self.origin))

    def _provider(self, row: dict[str, Any]) -> bool:
        """Whether the provider is here now, as it is there."""
        here = ResourceProvider.objects.filter(uuid=row["uuid"]).first()
        if here is not None:
            if (here.name, here.parent_id) == (row["name"], row["parent_provider_uuid"]):
                self.report.present["provider"] += 1
                return True
            self.report.faults.append(f"provider {row['uuid']}: here it is {here.name} below {here.parent_id}")
            return False
        parent = row["parent_provider_uuid"]
        return self.write(
            "provider",
            row["uuid"],
            lambda uuid: providers.create(uuid=uuid, name=row["name"], parent=parent, origin=self.origin),
        )

    def _parts(self, uuid: str) -> None:
        stock = self.ask(f"/resource_providers/{uuid}/inventories", "inventories")
        records = {
            name: inventories.Record(**{field: each[field] for field in _FIELDS}) for name, each in stock.items()
        }
        here = {
            row.resource_class_id: inventories.record_of(row) for row in Inventory.objects.filter(provider__uuid=uuid)
        }
        self._part("inventories", uuid, records, here, lambda: self._set_inventories(uuid, records))
        wanted = set(self.ask(f"/resource_providers/{uuid}/traits", "traits"))
        if self.is_rehearsal and not ResourceProvider.objects.filter(uuid=uuid).exists():
            return
        generation, shown = provider_traits.of_provider(provider=uuid)
        self._part(
            "traits",
            uuid,
            wanted,
            {each.name for each in shown},
            lambda: provider_traits.replace(provider=uuid, traits=wanted, generation=generation, origin=self.origin),
        )
        groups = [canonical_or_same(each) for each in self.ask(f"/resource_providers/{uuid}/aggregates", "aggregates")]
        _, present = aggregates.of_provider(provider=uuid)
        self._part(
            "aggregates",
            uuid,
            set(groups),
            set(present),
            lambda: aggregates.replace(provider=uuid, aggregates=groups, origin=self.origin),
        )

    def _set_inventories(self, uuid: str, records: dict[str, inventories.Record]) -> None:
        generation = providers.get(uuid=uuid).generation
        inventories.replace_all(provider=uuid, generation=generation, records=records, origin=self.origin)

    def _part(self, what: str, uuid: str, there: Any, here: Any, write: Callable[[], Any]) -> None:
        """Written where there is none yet. What somebody changed here since is theirs."""
        if there == here:
            self.report.present[what] += bool(there)
        elif here:
            self.report.faults.append(f"{what} of provider {uuid} are different here")
        else:
            self.write(what, uuid, lambda _: write())

    def _consumer(self, uuid: str) -> None:
        claim = self.document(f"/allocations/{uuid}", "allocations")
        there = {provider: dict(each["resources"]) for provider, each in claim["allocations"].items()}
        if not there:
            return
        _, held = allocations.of_consumer(consumer_uuid=uuid)
        here: dict[str, dict[str, int]] = {}
        for row in held:
            here.setdefault(row.provider_uuid, {})[row.resource_class_id] = row.used
        if here == there:
            self.report.present["consumer"] += 1
            return
        if here or Consumer.objects.filter(uuid=uuid).exists():
            self.report.faults.append(f"consumer {uuid} holds something else here")
            return
        kind = claim.get("consumer_type")
        wanted = Claim(
            consumer_uuid=uuid,
            resources=there,
            owner=Owner(claim["project_id"], claim["user_id"]),
            expected=None,
            consumer_type=None if kind == UNKNOWN_TYPE else kind,
        )
        self.write("consumer", uuid, lambda _: allocations.replace(claims=[wanted], origin=self.origin))

    def _verify(self, uuid: str) -> None:
        there = {name: used for name, used in self.ask(f"/resource_providers/{uuid}/usages", "usages").items() if used}
        rows = Inventory.objects.filter(provider__uuid=uuid, used__gt=0)
        here = dict(rows.values_list("resource_class__name", "used"))
        if here != there:
            self.report.faults.append(f"provider {uuid}: {there} is used there, {here} here")


def _parents_first(rows: Iterable[dict[str, Any]]) -> Sequence[dict[str, Any]]:
    """In an order in which each can be created. What hangs below nothing comes last, to be refused."""
    waiting = {row["uuid"]: row for row in rows}
    ordered: list[dict[str, Any]] = []
    done: set[str | None] = {None}
    while ready := [row for row in waiting.values() if row["parent_provider_uuid"] in done]:
        for row in ready:
            ordered.append(waiting.pop(row["uuid"]))
            done.add(row["uuid"])
    return [*ordered, *waiting.values()]
