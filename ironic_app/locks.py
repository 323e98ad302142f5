"""Locks of nodes, in one place. Order: nodes by pk, then what hangs on them (allocations, ports, transitions).

A node has two. Its row's lock guards every write and lasts as long as a transaction. Its reservation says that a
conductor works on it and may last for minutes; whoever finds one waits a moment and is then told who holds it.
"""

from __future__ import annotations

import dataclasses
import functools
import time
from collections.abc import Callable, Collection
from typing import ParamSpec, TypeVar

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS
from django.db.models import Q
from django.utils import timezone

from claimsite.foundation.transactions import needs_transaction
from claimsite.foundation.uuids import canonical_uuid
from ironic_app import errors
from ironic_app.models import Node
from ironic_app.models.prepared import Prepared

P = ParamSpec("P")
R = TypeVar("R")

_POLL_SECONDS = 0.025


EVERYTHING = Q()
"""No restriction: what an administrator may see."""


def _anybody(owner: str | None, lessee: str | None) -> None:
    """Everybody is permitted."""


@dataclasses.dataclass(frozen=True, slots=True)
class Access:
    """What a caller may see and do, as the services need to know it."""

    visible: Q = EVERYTHING
    """The nodes that exist for the caller."""
    permit: Callable[[str | None, str | None], None] = _anybody
    """Judges the node's (owner, lessee) as they are under the lock; raises Forbidden."""
    expected: Collection[str] | None = None
    """The tags of the states in which the caller wants to find the node; None if any will do."""


FULL = Access()
"""Nobody is asked: commands, the admin, conductors."""


def identified(ident: str) -> Q:
    """The condition for the node of this uuid (in any spelling) or name."""
    uuid = canonical_uuid(ident)
    return Q(name=ident) if uuid is None else Q(uuid=uuid)


@needs_transaction
def node(ident: str, *, access: Access = FULL) -> Node:
    """The node, its row locked until the transaction ends. Reservations don't matter here: see ``ensure_free``.

    Raises NodeNotFound, also for a node that the caller may not see; Forbidden; NodeChanged.
    """
    found = _locked(ident) if access.visible is EVERYTHING else _locked_of(ident, access.visible)
    if found is None:
        raise errors.NodeNotFound(node=ident)
    access.permit(found.owner, found.lessee)
    if access.expected is not None and found.tag not in access.expected:
        expected = ", ".join(sorted(access.expected))
        raise errors.NodeChanged(
            node=found.uuid, expected=expected, actual=found.tag, name=found.name, holder=found.instance_uuid
        )
    return found


def _by(key: str) -> Prepared:
    return Prepared(lambda ident: Node.objects.order_by().select_for_update().filter(**{key: ident}))


_BY_UUID, _BY_NAME = _by("uuid"), _by("name")
_ATTRIBUTES = [field.attname for field in Node._meta.concrete_fields]


def _locked(ident: str) -> Node | None:
    uuid = canonical_uuid(ident)
    rows = _BY_NAME.rows(ident) if uuid is None else _BY_UUID.rows(uuid)
    return Node.from_db(DEFAULT_DB_ALIAS, _ATTRIBUTES, rows[0]) if rows else None


def _locked_of(ident: str, visible: Q) -> Node | None:
    return Node.objects.order_by().select_for_update().filter(identified(ident), visible).first()


def ensure_free(node: Node) -> None:
    """Raises NodeLocked while somebody works on the node."""
    if node.reservation is None:
        return
    seconds = None
    if node.reserved_at is not None:
        seconds = int((timezone.now() - node.reserved_at).total_seconds())
    raise errors.NodeLocked(node=node.uuid, host=node.reservation, seconds=seconds)


def waits_for_node(verb: Callable[P, R]) -> Callable[P, R]:
    """Run the (whole) ``verb`` again once the node is free that it found locked; give up after NODE_LOCK_WAIT_SECONDS.

    Waiting happens outside the transaction, so that no row lock is held meanwhile.
    """

    @functools.wraps(verb)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        deadline = time.monotonic() + settings.NODE_LOCK_WAIT_SECONDS
        while True:
            try:
                return verb(*args, **kwargs)
            except errors.NodeLocked as error:
                if not _is_freed(error.facts["node"], deadline):
                    raise

    return run


def _is_freed(uuid: str, deadline: float) -> bool:
    while time.monotonic() < deadline:
        time.sleep(_POLL_SECONDS)
        if not Node.objects.filter(uuid=uuid).exclude(reservation=None).exists():
            return True
    return False
