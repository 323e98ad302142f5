"""How full is it, tree by tree: one cell for each root provider, of one class, the fuller the darker."""

from __future__ import annotations

import dataclasses
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

from django.contrib import admin
from django.db.models import Case, Max, QuerySet, Sum, Value, When
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.html import format_html_join
from django.utils.http import urlencode
from django.utils.safestring import SafeString

from claimsite.foundation.admin import show
from claimsite.foundation.admin.show import Fullness
from claimsite.foundation.uuids import canonical_or_same
from placement_app.admin import links
from placement_app.admin.providers import EXTENT, OVERDRAWN
from placement_app.admin.vocabulary import ranked, usage_by_class
from placement_app.models import Inventory, ProviderAggregate, ProviderTrait

MOST_CELLS = 2_000
"""The fullest are shown; who has more trees looks at an aggregate, or at those of a trait."""

MOST_TRAITS = 3
"""Of those that head a group."""

BANDS = {
    "over": "over capacity",
    "full": "full",
    "high": "80 % and more",
    "used": "claimed at all",
    "empty": "empty",
    "none": "nothing to claim",
}
"""What a tree is, the fullest first."""


@dataclasses.dataclass(frozen=True)
class Cell:
    uuid: str
    url: str
    name: str
    fullness: Fullness
    is_over: bool
    """Whether any provider of the tree gives more than it has, however the tree stands as a whole."""

    @cached_property
    def band(self) -> str:
        if self.is_over:
            return "over"
        if self.fullness.word in {"full", "high", "none"}:
            return self.fullness.word
        return "used" if self.fullness.used else "empty"

    @property
    def shade(self) -> int:
        """From 0, nothing claimed, to 10, full: what is nearly full has a shade of its own."""
        return 10 if self.fullness.width == 100 else min(-(-self.fullness.width // 10), 9)

    @property
    def text(self) -> str:
        """Whole percents; nothing to claim is no number."""
        if self.band == "none":
            return "–"
        return f"{self.fullness.percent.removesuffix(' %')}{'!' if self.is_over else ''}"

    @property
    def title(self) -> str:
        told = f"{show.number(self.fullness.used)} of {show.number(self.fullness.capacity)}"
        return f"{self.name}: {told}, {BANDS[self.band]}"


@dataclasses.dataclass(frozen=True, slots=True)
class Group:
    """The trees that are in just these aggregates."""

    aggregates: Sequence[str]
    cells: Sequence[Cell]
    traits: Sequence[str] = ()
    """What all of its roots have, and not all the others: the model, say."""

    @property
    def drawn(self) -> SafeString:
        """In one go: of thousands, a template would take its time for each."""
        return format_html_join(
            "",
            '<li><a class="cs-cell cs-cell-{} cs-shade-{}" href="{}" title="{}">{}</a></li>',
            ((cell.band, cell.shade, cell.url, cell.title, cell.text) for cell in self.cells),
        )

    @property
    def used(self) -> float:
        return sum(cell.fullness.used for cell in self.cells)

    @property
    def extent(self) -> float:
        return sum(cell.fullness.capacity for cell in self.cells)


def view(request: HttpRequest) -> HttpResponse:
    asked = {name: request.GET.get(name, "").replace("\0", "").strip() for name in ("class", "aggregate", "trait")}
    classes = ranked(usage_by_class())
    name = asked["class"].upper() or next(iter(classes), "")
    cells = list(_cells(name, asked["aggregate"], asked["trait"].upper()))
    band, is_grouped = request.GET.get("show", ""), request.GET.get("group", "aggregate") == "aggregate"
    # What nobody can have is shown only to who asks for it: whole machines describe all that is in them.
    bands = {band} if band else BANDS.keys() - {"none"}
    wanted = sorted((cell for cell in cells if cell.band in bands), key=_fullest_first)
    query = {key: value for key, value in {**asked, "class": name}.items() if value}
    context = {
        **admin.site.each_context(request),
        "title": "How full is it?",
        "subtitle": None,
        "name": name,
        "classes": classes,
        "asked": asked,
        "band": band,
        "is_grouped": is_grouped,
        "bands": list(_counted(cells, query, "" if is_grouped else "none")),
        "groups": _grouped(wanted[:MOST_CELLS], is_grouped),
        "left_out": max(len(wanted) - MOST_CELLS, 0),
        "all_url": urlencode({**query, **({} if is_grouped else {"group": "none"})}),
        "list_of": links.list_url("resourceprovider") + "aggregate=",
        "list_with": links.list_url("resourceprovider") + "trait=",
        "list_url": links.list_url("resourceprovider", **query, **({"full": band} if band in _LISTED else {})),
        "command": f"openstack resource provider list --resource {name}=1" if name else "",
    }
    return TemplateResponse(request, "admin/placement_app/heat.html", context)


_LISTED = ("over", "full", "high", "used", "empty")
"""Bands that the list of providers can be narrowed to as well."""


def _cells(name: str, aggregate: str, trait: str) -> Iterable[Cell]:
    """A cell for each tree that has the class: one query, grouped."""
    stocks: QuerySet[Inventory] = Inventory.objects.filter(resource_class__name=name)
    if aggregate:
        members = ProviderAggregate.objects.filter(aggregate_uuid=canonical_or_same(aggregate))
        stocks = stocks.filter(provider__root__in=members.values("provider__root"))
    if trait:
        members_of = ProviderTrait.objects.filter(trait__name=trait)
        stocks = stocks.filter(provider__root__in=members_of.values("provider__root"))
    # Asking for each address anew would be half of the page's time.
    page_of = links.provider_url("UUID")
    is_over = Max(Case(When(OVERDRAWN, then=Value(1)), default=Value(0)))
    trees = (
        stocks.order_by()
        .values_list("provider__root__uuid", "provider__root__name")
        .annotate(claimed=Sum("used"), there_is=Sum(EXTENT), is_over=is_over)
    )
    for uuid, root, used, extent, over in trees:
        yield Cell(uuid, page_of.replace("UUID", uuid), root, Fullness(int(used), float(extent)), bool(over))


def _counted(cells: Sequence[Cell], query: Mapping[str, str], group: str) -> Iterable[dict[str, Any]]:
    """How many trees are in each band, and where they are shown alone."""
    grouping = {"group": group} if group else {}
    numbers = Counter(cell.band for cell in cells)
    for band, label in BANDS.items():
        if number := numbers[band]:
            yield {
                "band": band,
                "label": label,
                "number": number,
                "url": urlencode({**query, "show": band, **grouping}),
            }


def _grouped(cells: Sequence[Cell], is_grouped: bool) -> list[Group]:
    cells = sorted(cells, key=_by_name)
    if not is_grouped:
        return [Group([], cells)] if cells else []
    memberships = ProviderAggregate.objects.filter(provider__root__uuid__in=[cell.uuid for cell in cells])
    of_root: dict[str, set[str]] = defaultdict(set)
    for root, aggregate in memberships.values_list("provider__root__uuid", "aggregate_uuid"):
        of_root[root].add(aggregate)
    groups: dict[tuple[str, ...], list[Cell]] = defaultdict(list)
    for cell in cells:
        groups[tuple(sorted(of_root[cell.uuid]))].append(cell)
    traits = _custom_traits(cell.uuid for cell in cells)
    of_all = _common(traits, cells) if len(groups) > 1 else set()
    # What is in no aggregate comes last.
    return [
        Group(
            aggregates,
            groups[aggregates],
            sorted(_common(traits, groups[aggregates]) - of_all, key=_models_first)[:MOST_TRAITS],
        )
        for aggregates in sorted(groups, key=lambda it: (not it, it))
    ]


def _custom_traits(roots: Iterable[str]) -> Mapping[str, set[str]]:
    """Root → what its owners say of it."""
    found: dict[str, set[str]] = defaultdict(set)
    rows = ProviderTrait.objects.filter(provider__uuid__in=list(roots), trait__name__startswith="CUSTOM_")
    for root, trait in rows.values_list("provider__uuid", "trait__name"):
        found[root].add(trait)
    return found


def _common(traits: Mapping[str, set[str]], cells: Sequence[Cell]) -> set[str]:
    return set.intersection(*(traits.get(cell.uuid, set()) for cell in cells)) if cells else set()


def _models_first(trait: str) -> tuple[bool, str]:
    return "_MODEL_" not in trait, trait


def _fullest_first(cell: Cell) -> tuple[bool, float, str]:
    return not cell.is_over, -cell.fullness.share, cell.name


def _by_name(cell: Cell) -> list[tuple[int, str]]:
    """``rack2-n10`` after ``rack2-n9``."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d{1,18})", cell.name)]
