"""Which traits a provider has."""

from __future__ import annotations

from collections.abc import Collection

from claimsite.foundation.origin import Origin
from claimsite.foundation.transactions import needs_transaction, write_transaction
from placement_app import errors, locks
from placement_app.models import ProviderTrait, ResourceProvider, Trait
from placement_app.services import generations, provider_history, reading
from placement_app.services.conflict_log import records_conflicts
from placement_app.services.reading import ShownTrait


def of_provider(*, provider: str) -> tuple[int, list[ShownTrait]]:
    """The provider's generation and traits, in vocabulary order. Raises ProviderNotFound."""
    return reading.traits(provider)


@records_conflicts("provider_traits.replace")
@write_transaction
def replace(*, provider: str, traits: Collection[str], generation: int, origin: Origin) -> tuple[int, list[ShownTrait]]:
    """The provider has exactly these traits; with its generation, which moves if that is news.

    Raises ProviderNotFound, ProviderGenerationConflict, UnknownTraitsForProvider.
    """
    row = locks.provider(provider)
    generations.check(row, generation)
    write(row, set(traits), origin)
    return reading.traits(provider)


@records_conflicts("provider_traits.clear")
@write_transaction
def clear(*, provider: str, origin: Origin) -> None:
    """The provider has no traits. Its generation moves if it had some. Raises ProviderNotFound."""
    write(locks.provider(provider), set(), origin)


@needs_transaction
def write(provider: ResourceProvider, wanted: set[str], origin: Origin) -> None:
    """Give the locked ``provider`` exactly these traits. Raises UnknownTraitsForProvider."""
    present = set(provider.provider_traits.values_list("trait_id", flat=True))
    added, removed = wanted - present, present - wanted
    if unknown := added - locks.names(Trait, added):
        raise errors.UnknownTraitsForProvider(traits=", ".join(sorted(unknown)))
    if removed:
        ProviderTrait.objects.filter(provider=provider, trait_id__in=removed).delete()
    if added:
        ProviderTrait.objects.bulk_create(ProviderTrait(provider=provider, trait_id=trait) for trait in sorted(added))
    if added or removed:
        generations.advance(provider)
        provider_history.record(
            provider,
            provider_history.Subject.TRAITS,
            before=provider_history.names(present),
            after=provider_history.names(wanted),
            origin=origin,
        )
