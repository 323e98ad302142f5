"""Resource providers: creating, naming, placing in a tree, deleting."""

from __future__ import annotations

from collections.abc import Mapping

from django.db import IntegrityError, transaction

from claimsite.foundation.origin import Origin
from claimsite.foundation.transactions import needs_transaction, write_transaction
from claimsite.foundation.uuids import new_uuid
from placement_app import errors, locks
from placement_app.models import Allocation, ResourceProvider
from placement_app.services import generations, provider_history, reading, trees
from placement_app.services.conflict_log import records_conflicts
from placement_app.services.reading import ShownProvider


def get(*, uuid: str) -> ShownProvider:
    """Raises ProviderNotFound."""
    return reading.provider(uuid)


@records_conflicts("providers.create")
@write_transaction
def create(*, name: str, uuid: str | None = None, parent: str | None = None, origin: Origin) -> ResourceProvider:
    """A new provider, a root or a child of ``parent``.

    Raises ParentIsSelf, ParentUnknown, ProviderExists.
    """
    uuid = uuid or new_uuid()
    root = uuid
    if parent is not None:
        if parent == uuid:
            raise errors.ParentIsSelf(name=name, provider=uuid)
        members = locks.trees([parent])
        if parent not in members:
            raise errors.ParentUnknown(name=name, provider=uuid)
        root = members[parent].root_id
    try:
        with transaction.atomic():
            provider = ResourceProvider.objects.create(uuid=uuid, name=name, parent_id=parent, root_id=root)
    except IntegrityError:
        raise _what_exists(name=name, uuid=uuid) from None
    _tell(provider, {}, _facts(provider), origin)
    return provider


@records_conflicts("providers.rename")
@write_transaction
def rename(*, uuid: str, name: str, origin: Origin) -> ResourceProvider:
    """Raises ProviderNotFound, ProviderExists."""
    provider = locks.provider(uuid)
    before = _facts(provider)
    _rename(provider, name)
    _tell(provider, before, _facts(provider), origin)
    return provider


@records_conflicts("providers.update")
@write_transaction
def update(*, uuid: str, name: str, parent: str | None, may_reparent: bool = True, origin: Origin) -> ResourceProvider:
    """Rename the provider and hang it, with all below it, under ``parent``; None makes it a root.

    ``may_reparent``: whether a provider that has a parent may leave it.
    Raises ProviderNotFound, ParentUnknown, MoveNotAllowed, TreeLoop, ProviderExists.
    """
    members = locks.trees([uuid] if parent is None else [uuid, parent])
    provider = members.get(uuid)
    if provider is None:
        raise errors.ProviderNotFound(provider=uuid)
    before = _facts(provider)
    if parent != provider.parent_id:
        trees.check_move(members, provider, parent, may_reparent=may_reparent)
        trees.move(members, provider, parent)
    _rename(provider, name)
    _tell(provider, before, _facts(provider), origin)
    return provider


@records_conflicts("providers.delete")
@write_transaction
def delete(*, uuid: str, expected: int | None = None, origin: Origin) -> None:
    """Remove the provider with its inventories, traits and aggregates; with ``expected``, if it is at this generation.

    Raises ProviderNotFound, ProviderGenerationConflict, ProviderHasChildren, ProviderInUse.
    """
    members = locks.trees([uuid])
    provider = members.get(uuid)
    if provider is None:
        raise errors.ProviderNotFound(provider=uuid, purpose=" for delete")
    if expected is not None:
        generations.check(provider, expected)
    if any(member.parent_id == uuid for member in members.values()):
        raise errors.ProviderHasChildren(provider=uuid)
    if Allocation.objects.filter(provider=provider).exists():
        raise errors.ProviderInUse(provider=uuid)
    _tell(provider, _facts(provider), {}, origin)
    provider.delete()


def _facts(provider: ResourceProvider) -> dict[str, str | None]:
    return {"name": provider.name, "parent": provider.parent_id}


def _tell(
    provider: ResourceProvider, before: Mapping[str, str | None], after: Mapping[str, str | None], origin: Origin
) -> None:
    provider_history.record(provider, provider_history.Subject.PROVIDER, before=before, after=after, origin=origin)


@needs_transaction
def _rename(provider: ResourceProvider, name: str) -> None:
    if name == provider.name:
        return
    provider.name = name
    try:
        with transaction.atomic():
            provider.save(update_fields=["name", "updated_at"])
    except IntegrityError:
        raise errors.ProviderExists(taken=f"name: {name}") from None


def _what_exists(*, name: str, uuid: str) -> errors.ProviderExists | errors.ProviderVanished:
    """Why a provider could not be inserted. The database's own text would tell of tables (LP #1664117)."""
    taken = [
        f"{field}: {value}"
        for field, value in {"name": name, "uuid": uuid}.items()
        if ResourceProvider.objects.filter(**{field: value}).exists()
    ]
    if not taken:
        return errors.ProviderVanished(name=name)
    return errors.ProviderExists(taken=", ".join(taken))
