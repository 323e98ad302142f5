"""What hangs on a node (ports, groups of ports, volume records): made, changed and deleted under the node's row lock.

What the kinds have in common is here; what each allows is in its own module.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

from django.db import IntegrityError
from django.db.models import Model, Q, QuerySet
from django.utils import timezone

from claimsite.foundation.origin import Origin
from claimsite.foundation.transactions import needs_transaction, write_transaction
from claimsite.foundation.uuids import canonical_uuid, new_uuid
from ironic_app import editing, errors, locks
from ironic_app.attributes import Attribute
from ironic_app.locks import FULL, Access
from ironic_app.models import Node
from ironic_app.models.constraints import violated
from ironic_app.patching import Patch
from ironic_app.services.conflict_log import records_refusals

M = TypeVar("M", bound=Model)
Changes = Mapping[str, Any]
"""Column → new value."""


@dataclasses.dataclass(frozen=True, slots=True)
class Kind(Generic[M]):
    """One sort of part: its row, its attributes, and what each change has to pass."""

    model: type[M]
    noun: str
    """As refusals call it."""
    attributes: Mapping[str, Attribute]
    required: tuple[str, ...]
    check: Callable[[Node, Any, Changes], None]
    """(the locked node, the row as it was or a new one, what changes) → raises what forbids it."""
    ensure_removable: Callable[[Any], None]
    duplicate: Callable[[tuple[str, ...], Any], str]
    """(the fields of the constraint that was violated, the row) → what is there already."""
    has_names: bool = False

    @property
    def word(self) -> str:
        """As documents call it."""
        return self.noun.lower().rpartition(" ")[2]


def find(kind: Kind[M], *, access: Access = FULL) -> QuerySet[M]:
    """The parts of the nodes that the caller may see."""
    rows = kind.model._default_manager.all()
    return rows.filter(node__in=Node.objects.filter(access.visible).values("uuid")) if access.visible else rows


def get(kind: Kind[M], *, ident: str, access: Access = FULL) -> M:
    """The part of this uuid (or name, if the kind has names). Raises PartNotFound, Forbidden."""
    row = find(kind, access=access).filter(_identified(kind, ident)).select_related("node").first()
    if row is None:
        raise errors.PartNotFound(noun=kind.noun, ident=ident)
    _permit(row, access)
    return row


def create(kind: Kind[M], *, values: Mapping[str, Any], node: str, origin: Origin, access: Access = FULL) -> M:
    """A new part of ``node`` (uuid or name). ``values``: attribute → value, judged here.

    Raises UnknownNodeInBody, NodeLocked, Invalid, PartExists, and what the kind forbids.
    """
    return _create(kind, values=values, node=node, origin=origin, access=access)


def edit(kind: Kind[M], *, ident: str, patch: Patch, origin: Origin, access: Access = FULL) -> M:
    """The part after ``patch``, all of it or nothing.

    Raises PartNotFound, Forbidden, NodeLocked, Invalid, PartExists, and what the kind forbids.
    """
    return _edit(kind, ident=ident, patch=patch, origin=origin, access=access)


def delete(kind: Kind[M], *, ident: str, origin: Origin, access: Access = FULL) -> None:
    """Raises PartNotFound, Forbidden, NodeLocked, and what the kind forbids."""
    _delete(kind, ident=ident, origin=origin, access=access)


# --- beneath ----------------------------------------------------------------------------------------------------------
@records_refusals("parts.create")
@locks.waits_for_node
@write_transaction
def _create(kind: Kind[M], *, values: Mapping[str, Any], node: str, origin: Origin, access: Access) -> M:
    try:
        owner = locks.node(node, access=access)
    except errors.NodeNotFound:
        raise errors.UnknownNodeInBody(node=node) from None
    locks.ensure_free(owner)
    given = editing.values(
        {name: value for name, value in values.items() if value is not None}, kind.attributes, noun=kind.word
    )
    row = kind.model(**{"uuid": new_uuid()} | given | {"node": owner})
    return insert(kind, row, owner, given)


@records_refusals("parts.edit")
@locks.waits_for_node
@write_transaction
def _edit(kind: Kind[M], *, ident: str, patch: Patch, origin: Origin, access: Access) -> M:
    node, row = _locked(kind, ident, access)
    changes = editing.changes(row, patch, kind.attributes, noun=kind.word)
    if "node_id" in changes:
        raise errors.Invalid(
            text=f"{kind.noun} {ident} can not be moved to another node: delete it and make a new one."
        )
    for name in kind.required:
        if name in changes and changes[name] is None:
            raise errors.Invalid(text=f"Schema error for patch: '{name}' is a required property")
    if not changes:
        return row
    locks.ensure_free(node)
    kind.check(node, row, changes)
    return _store(kind, row, changes, is_new=False)


@records_refusals("parts.delete")
@locks.waits_for_node
@write_transaction
def _delete(kind: Kind[M], *, ident: str, origin: Origin, access: Access) -> None:
    node, row = _locked(kind, ident, access)
    locks.ensure_free(node)
    kind.ensure_removable(row)
    row.delete()


@needs_transaction
def insert(kind: Kind[M], row: M, node: Node, given: Changes) -> M:
    """Store a new part of the (locked) node. Raises PartExists, and what the kind forbids."""
    kind.check(node, row, given)
    return _store(kind, row, {}, is_new=True)


@needs_transaction
def _locked(kind: Kind[M], ident: str, access: Access) -> tuple[Node, M]:
    """The node's row, then the part's, as everywhere."""
    seen: Any = get(kind, ident=ident, access=access)
    node = locks.node(seen.node_id, access=access)
    row = kind.model._default_manager.select_for_update().filter(pk=seen.pk).first()
    if row is None:
        raise errors.PartNotFound(noun=kind.noun, ident=ident)
    return node, row


@needs_transaction
def _store(kind: Kind[M], row: M, changes: Changes, *, is_new: bool) -> M:
    for column, value in changes.items():
        setattr(row, column, value)
    if not is_new:
        row.updated_at = timezone.now()  # type: ignore[attr-defined]
    try:
        row.save(force_insert=is_new)
    except IntegrityError as error:
        fields = violated(error, kind.model)
        if not fields:
            raise
        raise errors.PartExists(what=kind.duplicate(fields, row)) from error
    return row


def _identified(kind: Kind[M], ident: str) -> Q:
    uuid = canonical_uuid(ident)
    if uuid is not None:
        return Q(uuid=uuid)
    return Q(name=ident) if kind.has_names else Q(pk__in=[])


def _permit(row: Any, access: Access) -> None:
    access.permit(row.node.owner, row.node.lessee)
