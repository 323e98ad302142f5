"""Pages of a list, from a marker on. The order always ends in a unique key, so that no row is lost or doubled."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, TypeVar

from django.db.models import F, Model, Q, QuerySet

from ironic_app import errors

M = TypeVar("M", bound=Model)


@dataclasses.dataclass(frozen=True, slots=True)
class Paging:
    """``marker``: uuid of the last row that the caller has. ``sort_key``: an attribute of the model."""

    limit: int
    marker: str | None = None
    sort_key: str = "pk"
    descending: bool = False


@dataclasses.dataclass(frozen=True, slots=True)
class Page:
    """Rows as column → value. ``has_more`` says whether rows follow these."""

    rows: Sequence[dict[str, Any]]
    has_more: bool


def page(
    rows: QuerySet[M], paging: Paging, *, columns: Sequence[str], noun: str = "Node", marker_column: str = "uuid"
) -> Page:
    """One page of ``rows``, with only these columns. Two statements at most. Raises MarkerNotFound."""
    rows = rows.order_by(*_order(paging))
    if paging.marker is not None:
        found = (
            rows.model._default_manager.filter(**{marker_column: paging.marker})
            .values_list(paging.sort_key, "pk")
            .first()
        )
        if found is None:
            raise errors.MarkerNotFound(noun=noun, marker=paging.marker)
        rows = rows.filter(_beyond(paging, *found))
    # One more than asked for: whether there is a next page must not be guessed from this one being full.
    found_rows = list(rows.values(*columns)[: paging.limit + 1])
    return Page(rows=found_rows[: paging.limit], has_more=len(found_rows) > paging.limit)


def _order(paging: Paging) -> list[Any]:
    """The databases don't agree on where NULL sorts: here it comes before everything else."""
    if paging.sort_key == "pk":
        return ["-pk" if paging.descending else "pk"]
    if paging.descending:
        return [F(paging.sort_key).desc(nulls_last=True), "-pk"]
    return [F(paging.sort_key).asc(nulls_first=True), "pk"]


def _beyond(paging: Paging, value: Any, pk: int) -> Q:
    """What comes after the row that has this value of the sort key, and this key."""
    key, direction = paging.sort_key, "lt" if paging.descending else "gt"
    later_key = Q(**{f"pk__{direction}": pk})
    if key == "pk":
        return later_key
    if value is None:
        same = Q(**{f"{key}__isnull": True}) & later_key
        return same if paging.descending else same | Q(**{f"{key}__isnull": False})
    beyond = Q(**{f"{key}__{direction}": value}) | Q(**{key: value}) & later_key
    return beyond | Q(**{f"{key}__isnull": True}) if paging.descending else beyond
