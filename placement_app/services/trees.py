"""The shape of trees. Whoever changes it holds the locks of all members of the trees involved (``locks.trees``)."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils import timezone

from claimsite.foundation.transactions import needs_transaction
from placement_app import errors
from placement_app.models import ResourceProvider

Members = Mapping[str, ResourceProvider]
"""Providers by uuid; all of one or more trees."""


def subtree(members: Members, top: str) -> set[str]:
    """The uuids of the provider ``top`` and of all below it."""
    children: dict[str | None, list[str]] = {}
    for member in members.values():
        children.setdefault(member.parent_id, []).append(member.uuid)
    found: set[str] = set()
    waiting = [top]
    while waiting:
        uuid = waiting.pop()
        if uuid not in found:
            found.add(uuid)
            waiting += children.get(uuid, [])
    return found


def check_move(members: Members, provider: ResourceProvider, parent: str | None, *, may_reparent: bool) -> None:
    """Whether ``provider`` may become a child of ``parent``, or a root (None).

    ``may_reparent``: whether a provider that has a parent may leave it.
    Raises ParentUnknown, MoveNotAllowed, TreeLoop.
    """
    if parent is not None and parent not in members:
        raise errors.ParentUnknown(name=provider.name, provider=provider.uuid)
    if provider.parent_id is not None and not may_reparent:
        what = "un-parenting" if parent is None else "re-parenting"
        raise errors.MoveNotAllowed(provider=provider.uuid, what=what)
    if parent is not None and parent in subtree(members, provider.uuid):
        raise errors.TreeLoop(provider=provider.uuid)


@needs_transaction
def move(members: Members, provider: ResourceProvider, parent: str | None) -> None:
    """Hang ``provider`` with all below it under ``parent``, or make it a root (None). The move has been checked."""
    root = provider.uuid if parent is None else members[parent].root_id
    if root != provider.root_id:
        below = subtree(members, provider.uuid) - {provider.uuid}
        ResourceProvider.objects.filter(uuid__in=below).update(root=root, updated_at=timezone.now())
    provider.parent_id = parent
    provider.root_id = root
    provider.save(update_fields=["parent", "root", "updated_at"])
