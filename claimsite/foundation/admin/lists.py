"""Lists that stay quick with millions of rows: bounded counts, filters in one bar, search by any spelling of a uuid."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import Any, ClassVar, cast

from django.contrib.admin import SimpleListFilter
from django.contrib.admin.views.main import PAGE_VAR, SEARCH_VAR, ChangeList
from django.core.paginator import Page, Paginator
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.functional import cached_property

from claimsite.foundation.admin.show import AtLeast
from claimsite.foundation.uuids import canonical_uuid

PAGES_AHEAD = 10


class BoundedPaginator(Paginator):
    """Counts up to a few pages beyond the one asked for, never the whole table (Django ticket 8408)."""

    def __init__(self, *args: Any, page: int = 1, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.page_asked_for = page

    @cached_property
    def count(self) -> int:
        # Not more than anybody would leaf through, nor than the database can be asked to skip.
        bound = (min(max(self.page_asked_for, 1), 100_000) + PAGES_AHEAD) * self.per_page
        rows = cast("QuerySet", self.object_list)
        counted = rows.order_by()[: bound + 1].count()
        return AtLeast(bound) if counted > bound else counted

    def _get_page(self, object_list: Any, number: int, paginator: Paginator) -> Page:
        """Rows far down are found by their keys first: what is skipped is then neither joined nor read in full."""
        if number > PAGES_AHEAD:
            keys = list(object_list.values_list("pk", flat=True))
            object_list = cast("QuerySet", self.object_list).filter(pk__in=keys)
        page: Page = super()._get_page(object_list, number, paginator)  # type: ignore[misc]
        return page


class OperatorChangeList(ChangeList):
    """Shows its filters as one bar above the list, in either look."""

    model_admin: Any

    def __init__(self, request: HttpRequest, *args: Any) -> None:
        super().__init__(request, *args)
        self.title = self.model_admin.menu_name
        # The looks' own sidebars and drawers of filters stay away.
        self.has_filters = False

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        # Nothing is counted twice: the looks would offer to show all where all is shown.
        self.full_result_count = self.result_count
        self.result_list = list(self.result_list)
        self.model_admin.enrich(self.result_list)

    @property
    def kept_params(self) -> Iterable[tuple[str, str]]:
        """What the bar's form must not lose: the order, and filters that came by a link and have no field."""
        own = {parameter for spec in self.filter_specs for parameter in spec.expected_parameters()}
        return [
            (name, value)
            for name, values in self.filter_params.items()
            for value in values
            if name not in own | {SEARCH_VAR}
        ]

    @property
    def is_narrowed(self) -> bool:
        return bool(self.has_active_filters or self.query)

    @property
    def export_query(self) -> str:
        """The list as it is narrowed and ordered now, with room for one more parameter."""
        query = self.get_query_string(remove=[PAGE_VAR])
        return f"{query}&" if query != "?" else query


class BarFilter(SimpleListFilter):
    """One field of the bar."""

    kind: ClassVar[str]

    def has_output(self) -> bool:
        return True

    def lookups(self, request: HttpRequest, model_admin: Any) -> Sequence[tuple[str, str]]:
        return ()

    def queryset(self, request: HttpRequest, queryset: QuerySet) -> QuerySet:
        # PostgreSQL's text has no NUL: nothing is called that.
        value = (self.value() or "").replace("\0", "").strip()
        return self.narrow(queryset, value) if value else queryset

    def narrow(self, queryset: QuerySet, value: str) -> QuerySet:
        raise NotImplementedError


class TextFilter(BarFilter):
    """A field to type into, for what has too many values to choose from."""

    kind = "text"
    field: ClassVar[str]
    is_uuid: ClassVar[bool] = False

    def narrow(self, queryset: QuerySet, value: str) -> QuerySet:
        if self.is_uuid:
            value = canonical_uuid(value) or value
        return queryset.filter(**{self.field: value})


def text_filter(name: str, field: str, *, title: str = "", is_uuid: bool = False) -> type[TextFilter]:
    """A field of the bar that compares one column: ``text_filter("project", "project_id")``."""
    attributes = {"parameter_name": name, "title": title or name, "field": field, "is_uuid": is_uuid}
    return type(f"{name.title()}Filter", (TextFilter,), attributes)


class NumberFilter(BarFilter):
    """A number, or ``>3``, or ``<3``."""

    kind = "text"
    field: ClassVar[str]

    def narrow(self, queryset: QuerySet, value: str) -> QuerySet:
        comparison = {">": "__gt", "<": "__lt"}.get(value[0], "")
        number = value.lstrip("<>= ")
        if not number.isdecimal() or len(number) > 18:
            return queryset.none()
        return queryset.filter(**{f"{self.field}{comparison}": int(number)})


class ChoiceFilter(BarFilter):
    kind = "choice"

    @property
    def unknown(self) -> str:
        """What was asked for and is no choice: an old link, or a slip of the keys."""
        chosen = (self.value() or "").strip()
        return "" if chosen in dict(self.lookup_choices) else chosen

    @property
    def options(self) -> list[dict[str, Any]]:
        chosen = self.value()
        choices = list(self.lookup_choices)
        if chosen and chosen not in dict(choices):
            # It came by a link: what narrows the list must be seen.
            choices.append((chosen, chosen))
        return [{"value": value, "label": label, "chosen": value == chosen} for value, label in choices]


def choice_filter(name: str, field: str, values: Iterable[str], *, title: str = "") -> type[ChoiceFilter]:
    """A field of the bar to choose one of a column's values from: ``choice_filter("door", "door", Door)``."""
    choices = [(str(value), str(value)) for value in values]

    def lookups(self: ChoiceFilter, request: HttpRequest, model_admin: Any) -> Sequence[tuple[str, str]]:
        return choices

    def narrow(self: ChoiceFilter, queryset: QuerySet, value: str) -> QuerySet:
        return queryset.filter(**{field: value})

    attributes = {"parameter_name": name, "title": title or name, "lookups": lookups, "narrow": narrow}
    return type(f"{name.title()}Filter", (ChoiceFilter,), attributes)


AGES = {
    "1h": ("last hour", timedelta(hours=1)),
    "1d": ("last day", timedelta(days=1)),
    "7d": ("last 7 days", timedelta(days=7)),
}


class TimeFilter(ChoiceFilter):
    """When it happened or was made: since, or before (``older than``)."""

    title = "when"
    parameter_name = "when"
    field: ClassVar[str] = "created_at"

    def lookups(self, request: HttpRequest, model_admin: Any) -> Sequence[tuple[str, str]]:
        since = [(key, label) for key, (label, _) in AGES.items()]
        older = [(f"-{key}", f"older than {label.removeprefix('last ')}") for key, (label, _) in AGES.items()]
        return since + older

    def narrow(self, queryset: QuerySet, value: str) -> QuerySet:
        if value.removeprefix("-") not in AGES:
            return queryset.none()
        moment = timezone.now() - AGES[value.removeprefix("-")][1]
        comparison = "lt" if value.startswith("-") else "gte"
        return queryset.filter(**{f"{self.field}__{comparison}": moment})


_HEX_START = re.compile(r"[0-9a-f-]{4,36}").fullmatch


def search(queryset: QuerySet, term: str, *, uuids: Sequence[str], texts: Sequence[str]) -> QuerySet:
    """Rows of which one of ``uuids`` is ``term`` in any spelling, or begins with it; or one of ``texts`` has it.

    A whole uuid is looked up exactly, by index.
    """
    term = term.strip()
    if not term:
        return queryset
    if canonical := canonical_uuid(term):
        exact = Q()
        for field in [*uuids, *texts]:
            exact |= Q(**{field: canonical})
        return queryset.filter(exact)
    condition = Q()
    if start := uuid_start(term):
        for field in uuids:
            condition |= Q(**{f"{field}__startswith": start})
    for field in texts:
        condition |= Q(**{f"{field}__icontains": term})
    return queryset.filter(condition) if condition else queryset.none()


def uuid_start(term: str) -> str:
    """The beginning of a uuid, in the canonical spelling; empty if it is none."""
    term = term.lower().strip("{}")
    if not _HEX_START(term):
        return ""
    digits = term.replace("-", "")
    parts = [digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]]
    return "-".join(part for part in parts if part)
