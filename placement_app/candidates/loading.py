"""Rows → snapshots, with a fixed number of queries for each chunk of roots, however many providers there are.

Plain SQL, the same for both databases: reading ten thousand rows, building model instances would be most of the work.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import connection

from placement_app import errors
from placement_app.candidates import roots
from placement_app.candidates.groups import Plan
from placement_app.candidates.limits import Bounds
from placement_app.candidates.request import SearchRequest
from placement_app.candidates.snapshot import SHARING, Provider, Snapshot, Stock, Tree

FIRST_CHUNK = 24
LARGEST_CHUNK = 5_000
"""Bounds the parameters of a query and the memory of a search; a larger cloud is read in several chunks."""

PROVIDER_COLUMNS = "q.id, q.uuid, q.name, q.root_uuid, q.parent_uuid"
STOCK_COLUMNS = "resource_class, total, reserved, min_unit, max_unit, step_size, allocation_ratio, used"


@dataclass(slots=True)
class Survey:
    """What has to be known of the cloud as a whole before any of its trees is read."""

    resource_classes: set[str] = field(default_factory=set)
    traits: set[str] = field(default_factory=set)
    roots: dict[str, str] = field(default_factory=dict)
    """The root of each provider that the request names."""
    has_trees: bool = False
    sharing_roots: set[str] = field(default_factory=set)

    @property
    def is_flat(self) -> bool:
        return not self.has_trees and not self.sharing_roots


def survey(request: SearchRequest) -> Survey:
    """One query. Raises UnknownClassInQuery and UnknownTraits: a name that is not there is an error in the request."""
    found = Survey()
    for kind, name, value in _rows(*_survey_query(request)):
        match kind:
            case "class":
                found.resource_classes.add(name)
            case "trait":
                found.traits.add(name)
            case "root":
                found.roots[name] = value
            case "trees":
                found.has_trees = True
            case "sharing":
                found.sharing_roots.add(value)
    if unknown := sorted(request.resource_classes() - found.resource_classes):
        raise errors.UnknownClassInQuery(resource_class=", ".join(unknown))
    if unknown := sorted(request.traits() - found.traits):
        raise errors.UnknownTraits(traits=", ".join(unknown))
    return found


def _survey_query(request: SearchRequest) -> tuple[str, list[Any]]:
    named = [group.in_tree for group in request.groups if group.in_tree is not None]
    parts = [
        # No condition but this one is a plain range of the index, whatever the planner knows of the table.
        "SELECT 'trees', '', '' WHERE EXISTS (SELECT 1 FROM placement_app_resourceprovider WHERE parent_uuid > '')",
        "SELECT 'sharing', q.uuid, q.root_uuid FROM placement_app_providertrait t "
        "JOIN placement_app_resourceprovider q ON q.id = t.provider_id WHERE t.trait = %s",
    ]
    parameters: list[Any] = [SHARING]
    for select, names in (
        ("SELECT 'class', name, '' FROM placement_app_resourceclass WHERE name", request.resource_classes()),
        ("SELECT 'trait', name, '' FROM placement_app_trait WHERE name", request.traits()),
        ("SELECT 'root', uuid, root_uuid FROM placement_app_resourceprovider WHERE uuid", named),
    ):
        if names:
            parts.append(f"{select} IN ({places(names)})")
            parameters.extend(names)
    return " UNION ALL ".join(parts), parameters


class Loader:
    """Reads the trees that may have candidates, chunk by chunk, as long as somebody asks for more."""

    def __init__(self, request: SearchRequest, plan: Plan, found: Survey, bounds: Bounds) -> None:
        self.request = request
        self.plan = plan
        self.found = found
        self.bounds = bounds
        self.sharing_trees: dict[str, Tree] = {}
        self.interned: dict[str, frozenset[str]] = {}

    def snapshots(self) -> Iterator[Snapshot]:
        if self.found.is_flat and self.plan.isolate:
            # One provider can't be two.
            return
        self._load_sharing_trees()
        sharing_trees = list(self.sharing_trees.values())
        for rows in self._root_chunks(sharing_trees):
            yield Snapshot(self._trees(rows), sharing_trees, is_judged=self.found.is_flat)

    def everything(self) -> Iterator[Snapshot]:
        """All trees of the cloud, whether they may have candidates or not."""
        self._load_sharing_trees()
        sharing_trees = list(self.sharing_trees.values())
        last_pk = -1
        while True:
            rows = _rows(
                f"SELECT {roots.COLUMNS} FROM placement_app_resourceprovider p "
                "WHERE p.parent_uuid IS NULL AND p.id > %s ORDER BY p.id LIMIT %s",
                [last_pk, LARGEST_CHUNK],
            )
            if not rows:
                return
            yield Snapshot(self._trees(rows), sharing_trees)
            last_pk = rows[-1][0]

    def _load_sharing_trees(self) -> None:
        every = sorted(self.found.sharing_roots)
        for start in range(0, len(every), LARGEST_CHUNK):
            members = _members(every[start : start + LARGEST_CHUNK])
            # Whom they serve is told by their aggregates, so all of these are read.
            for tree in self._fill(members, aggregates=None):
                self.sharing_trees[tree.root.uuid] = tree

    def _root_chunks(self, sharing_trees: Sequence[Tree]) -> Iterator[list[tuple[Any, ...]]]:
        sharing = [member for tree in sharing_trees for member in tree.members if member.is_sharing]
        trees = self._trees_meant(sharing)
        if trees is not None and not trees:
            return
        size = self._first_size()
        last_pk = -1
        while True:
            query = roots.query(
                self.request,
                self.plan,
                is_flat=self.found.is_flat,
                sharing=sharing,
                trees=trees,
                after=last_pk,
                limit=size,
            )
            rows = _rows(query.sql, query.parameters)
            if rows:
                yield rows
            if len(rows) < size:
                return
            last_pk = rows[-1][0]
            size = min(2 * size, LARGEST_CHUNK)

    def _first_size(self) -> int:
        if self.bounds.limit is None or self.bounds.sample is not None:
            return LARGEST_CHUNK
        if self.found.has_trees:
            # A tree often has many candidates, and takes long to read.
            return FIRST_CHUNK
        # A lone root is one candidate, or with what is shared a few.
        return min(self.bounds.limit, LARGEST_CHUNK)

    def _trees_meant(self, sharing: Sequence[Provider]) -> set[str] | None:
        """The only roots that ``in_tree`` leaves; None if it leaves all."""
        trees: set[str] | None = None
        shared_from = {provider.root_uuid for provider in sharing}
        for group in self.request.groups:
            if group.in_tree is not None and group.in_tree not in shared_from:
                trees = {group.in_tree} if trees is None else trees & {group.in_tree}
        return trees

    def _trees(self, rows: Sequence[tuple[Any, ...]]) -> list[Tree]:
        """Trees of these roots, in their order; those that share are the same objects for every chunk."""
        wanted = [row[1] for row in rows]
        new = [uuid for uuid in wanted if uuid not in self.sharing_trees]
        members = _members(new) if self.found.has_trees else [row for row in rows if row[1] not in self.sharing_trees]
        loaded = {tree.root.uuid: tree for tree in self._fill(members, self._aggregates_that_matter())}
        loaded.update((uuid, self.sharing_trees[uuid]) for uuid in wanted if uuid in self.sharing_trees)
        # A tree that went away between two queries has no place in the answer.
        return [loaded[uuid] for uuid in wanted if uuid in loaded]

    def _aggregates_that_matter(self) -> set[str]:
        sharing = (member for tree in self.sharing_trees.values() for member in tree.members if member.is_sharing)
        return set(self.request.aggregates()).union(*(provider.aggregates for provider in sharing))

    def _fill(self, rows: Sequence[tuple[Any, ...]], aggregates: Collection[str] | None) -> list[Tree]:
        providers = {row[0]: Provider(*row) for row in rows}
        for row in _of_providers(STOCK_COLUMNS, "inventory", providers):
            # Rows of providers that came in between are none of ours.
            if (provider := providers.get(row[0])) is not None:
                # Stock._make(row[2:]), in half the time: there are as many rows as providers times classes.
                provider.stocks[row[1]] = tuple.__new__(Stock, row[2:])
        for pk, traits in self._sets("trait", "providertrait", providers):
            providers[pk].traits = traits
        if aggregates is None or aggregates:
            for pk, names in self._sets("aggregate_uuid", "provideraggregate", providers, aggregates):
                providers[pk].aggregates = names
        if self.plan.subtrees:
            _trace_lineage(providers.values())
        if not self.found.has_trees:
            return [Tree(provider, (provider,)) for provider in providers.values()]
        return _as_trees(providers.values())

    def _sets(
        self, column: str, table: str, providers: Mapping[int, Provider], only: Collection[str] | None = None
    ) -> Iterator[tuple[int, frozenset[str]]]:
        """The values of a column for each provider. Hosts of a kind share one set, not each its own."""
        for pk, joined in _of_providers(_joined(column), table, providers, column, only, "GROUP BY provider_id"):
            if pk in providers:
                values = self.interned.get(joined)
                if values is None:
                    values = self.interned[joined] = frozenset(joined.split(","))
                yield pk, values


def order_of_traits(names: Collection[str]) -> dict[str, int]:
    """Where each of these traits stands in the vocabulary: standard ones first, then custom ones by creation."""
    if not names:
        return {}
    return dict(_rows(f"SELECT name, id FROM placement_app_trait WHERE name IN ({places(names)})", list(names)))


def _members(root_uuids: Sequence[str]) -> list[tuple[Any, ...]]:
    if not root_uuids:
        return []
    return _rows(
        f"SELECT {PROVIDER_COLUMNS} FROM placement_app_resourceprovider q "
        f"WHERE q.root_uuid IN ({places(root_uuids)}) ORDER BY q.id",
        list(root_uuids),
    )


def _of_providers(
    columns: str,
    table: str,
    pks: Collection[int],
    column: str = "",
    only: Collection[str] | None = None,
    ending: str = "",
) -> list[tuple[Any, ...]]:
    """Rows of a table that belong to these providers, the provider's key first; perhaps rows of others too."""
    if not pks:
        return []
    first, last = min(pks), max(pks)
    if last - first < 2 * len(pks):
        among, parameters = "provider_id BETWEEN %s AND %s", [first, last]
    else:
        among, parameters = f"provider_id IN ({places(pks)})", list(pks)
    narrower = f" AND {column} IN ({places(only)})" if only is not None else ""
    return _rows(
        f"SELECT provider_id, {columns} FROM placement_app_{table} WHERE {among}{narrower} {ending}",
        [*parameters, *(only or ())],
    )


def _joined(column: str) -> str:
    """All values of a group in one text. The one word in which the two databases differ."""
    function = "string_agg" if connection.vendor == "postgresql" else "group_concat"
    return f"{function}({column}, ',')"


def _trace_lineage(providers: Iterable[Provider]) -> None:
    """Uuids from each provider up to its root."""
    parents = {provider.uuid: provider.parent_uuid for provider in providers}
    for provider in providers:
        line: list[str] = []
        uuid: str | None = provider.uuid
        while uuid is not None and uuid not in line:
            line.append(uuid)
            uuid = parents.get(uuid)
        provider.lineage = frozenset(line)


def _as_trees(providers: Iterable[Provider]) -> list[Tree]:
    members: dict[str, list[Provider]] = {}
    heads: dict[str, Provider] = {}
    for provider in providers:
        members.setdefault(provider.root_uuid, []).append(provider)
        if provider.uuid == provider.root_uuid:
            heads[provider.uuid] = provider
    return [Tree(heads[uuid], several) for uuid, several in members.items() if uuid in heads]


def _rows(sql: str, parameters: Sequence[Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
        return rows


def places(values: Collection[Any]) -> str:
    return ",".join(["%s"] * len(values))
