"""A provider's generation: named by writers that have read before, moved by every write of what the provider has."""

from __future__ import annotations

from claimsite.foundation.transactions import needs_transaction
from placement_app import errors
from placement_app.models import ResourceProvider
from placement_app.services import ledger


@needs_transaction
def check(provider: ResourceProvider, given: int) -> None:
    """``provider`` is locked. Raises ProviderGenerationConflict when the writer has read an older or another one."""
    if provider.generation != given:
        raise errors.ProviderGenerationConflict(provider=provider.uuid, actual=provider.generation, given=given)


@needs_transaction
def advance(provider: ResourceProvider) -> int:
    """Move the generation of the locked ``provider`` by one, and return it."""
    ledger.raise_generations([provider])
    return provider.generation
