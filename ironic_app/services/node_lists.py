"""Searching nodes: conditions in, a page of rows out. It takes the same few statements however many nodes there are."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence
from typing import Any

from django.db.models import Count, Q

from claimsite.foundation.uuids import canonical_uuid
from ironic_app import errors, locks, ownership
from ironic_app.locks import FULL, Access
from ironic_app.models import Chassis, Node
from ironic_app.models.prepared import Prepared
from ironic_app.services import pages
from ironic_app.services.pages import Page, Paging


@dataclasses.dataclass(frozen=True, slots=True)
class Search:
    """What the nodes must have in common; None asks nothing. All conditions hold together."""

    exactly: dict[str, Any] = dataclasses.field(default_factory=dict)
    """The model's attribute → its value."""
    associated: bool | None = None
    chassis: str | None = None
    project: str | None = None
    """Owns them or has them on lease."""
    shards: Sequence[str] | None = None
    sharded: bool | None = None
    description_contains: str | None = None
    parent: str | None = None
    """Uuid or name."""
    include_children: bool = False


def find(search: Search, paging: Paging, *, columns: Sequence[str], access: Access = FULL) -> Page:
    """A page of the visible nodes that fit, with only these columns. Raises ChassisNotFound, MarkerNotFound."""
    rows = Node.objects.filter(access.visible, _condition(search), **search.exactly)
    return pages.page(rows, paging, columns=columns)


def get(*, ident: str, columns: Sequence[str], access: Access = FULL) -> dict[str, Any]:
    """One node's columns, and its owner and lessee. Raises NodeNotFound, Forbidden."""
    wanted = tuple(sorted({*columns, "owner", "lessee"}))
    if access.visible is locks.EVERYTHING:
        uuid = canonical_uuid(ident)
        rows = _select(wanted, "name" if uuid is None else "uuid").rows(uuid or ident)
    else:
        rows = list(Node.objects.filter(locks.identified(ident), access.visible).values_list(*wanted))
    if not rows:
        raise errors.NodeNotFound(node=ident)
    row = dict(zip(wanted, rows[0], strict=True))
    access.permit(row["owner"], row["lessee"])
    return row


@functools.lru_cache(maxsize=256)
def _select(columns: tuple[str, ...], key: str) -> Prepared:
    return Prepared(lambda ident: Node.objects.order_by().filter(**{key: ident}).values_list(*columns))


def shards() -> dict[str | None, int]:
    """How many nodes each shard has; None stands for no shard."""
    return dict(Node.objects.order_by("shard").values_list("shard").annotate(Count("pk")))


def children(*, ident: str, access: Access = FULL) -> tuple[str, list[str]]:
    """The node's uuid, and those of the nodes that have it as their parent. Raises NodeNotFound, Forbidden."""
    parent: Any = get(ident=ident, columns=["uuid"], access=access)["uuid"]
    nodes = Node.objects.filter(access.visible, parent_id=parent).order_by("pk")
    return parent, list(nodes.values_list("uuid", flat=True))


def is_name(text: str) -> bool:
    return Node.objects.filter(name=text).exists()


def _condition(search: Search) -> Q:
    condition = Q()
    if search.associated is not None:
        condition &= Q(instance_uuid__isnull=not search.associated)
    if search.chassis is not None:
        if not Chassis.objects.filter(uuid=search.chassis).exists():
            raise errors.ChassisNotFound(chassis=search.chassis)
        condition &= Q(chassis_id=search.chassis)
    if search.project is not None:
        condition &= ownership.of_project(search.project)
    if search.shards is not None:
        condition &= Q(shard__in=search.shards)
    if search.sharded is not None:
        condition &= Q(shard__isnull=not search.sharded)
    if search.description_contains is not None:
        condition &= Q(description__icontains=search.description_contains)
    return condition & _family(search)


def _family(search: Search) -> Q:
    """Children show up only when they are asked for: as such, or by the one instance that has them."""
    if search.parent is not None:
        return Q(parent__name=search.parent) | Q(parent_id=search.parent)
    if search.include_children or "instance_uuid" in search.exactly:
        return Q()
    return Q(parent__isnull=True)
