"""Traits: the vocabulary. Which provider has which: ``provider_traits``."""

from __future__ import annotations

from collections.abc import Collection

from claimsite.foundation.origin import Origin
from claimsite.foundation.transactions import write_transaction
from placement_app import errors
from placement_app.models import ProviderTrait, Trait
from placement_app.services import vocabulary
from placement_app.services.conflict_log import records_conflicts


def find(*, names: Collection[str] | None = None, prefix: str = "", associated: bool | None = None) -> list[Trait]:
    """The traits that are among ``names``, begin with ``prefix``, are (not) on any provider; in vocabulary order."""
    traits = Trait.objects.order_by("pk")
    if names is not None:
        traits = traits.filter(name__in=names)
    if associated is not None:
        in_use = ProviderTrait.objects.values("trait")
        traits = traits.filter(name__in=in_use) if associated else traits.exclude(name__in=in_use)
    # LIKE would take _ and % of the prefix for wildcards on one database and fold case on the other.
    return [trait for trait in traits if trait.name.startswith(prefix)]


def get(*, name: str) -> Trait:
    """Raises TraitNotFound."""
    trait = Trait.objects.filter(name=name).first()
    if trait is None:
        raise errors.TraitNotFound(trait=name)
    return trait


@write_transaction
def create(*, name: str, origin: Origin) -> tuple[Trait, bool]:
    """The trait of this name, and whether this call made it. Only custom names come this way."""
    trait = Trait.objects.filter(name=name).first()
    if trait is not None:
        return trait, False
    return vocabulary.insert(Trait, name), True


@records_conflicts("traits.delete")
@write_transaction
def delete(*, name: str, origin: Origin) -> None:
    """Raises TraitNotFound, TraitIsStandard, TraitInUse."""
    trait = Trait.objects.select_for_update().filter(name=name).first()
    if trait is None:
        raise errors.TraitNotFound(trait=name)
    if trait.is_standard:
        raise errors.TraitIsStandard(trait=name)
    if ProviderTrait.objects.filter(trait_id=name).exists():
        raise errors.TraitInUse(trait=name)
    trait.delete()
