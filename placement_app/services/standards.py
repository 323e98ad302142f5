"""The standard names of os-resource-classes and os-traits, as rows."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import os_resource_classes
import os_traits

from claimsite.foundation.transactions import write_transaction
from placement_app.models import ResourceClass, Trait
from placement_app.models.vocabulary import Name


@dataclasses.dataclass(frozen=True, slots=True)
class Report:
    """The names that a sync added."""

    resource_classes: list[str]
    traits: list[str]


def standard_resource_classes() -> Sequence[str]:
    return list(os_resource_classes.STANDARDS)


def standard_traits() -> Sequence[str]:
    return sorted(os_traits.get_traits())


@write_transaction
def sync() -> Report:
    """Add the standard names that are not rows yet. Idempotent; needed after an upgrade of the two libraries."""
    return Report(
        resource_classes=_add_missing(ResourceClass, standard_resource_classes()),
        traits=_add_missing(Trait, standard_traits()),
    )


def _add_missing(model: type[Name], names: Sequence[str]) -> list[str]:
    taken = dict(model._default_manager.values_list("name", "id"))
    used_ids = set(taken.values())
    missing = [name for name in names if name not in taken]
    # A new release of a library may squeeze a name in between; then its position is taken and it goes behind the rest.
    free = max((pk for pk in used_ids if pk < 10_000), default=-1) + 1
    rows: list[Name] = []
    for position, name in enumerate(names):
        if name in taken:
            continue
        pk = position if position not in used_ids else max(free, len(names))
        used_ids.add(pk)
        free = max(free, pk + 1)
        rows.append(model(id=pk, name=name))
    model._default_manager.bulk_create(rows, ignore_conflicts=True)
    return missing
