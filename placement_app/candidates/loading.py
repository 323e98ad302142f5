"""Which trees a search looks at: those of roots that may have candidates, chunk by chunk, as long as it takes."""

from __future__ import annotations

import enum
import functools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from claimsite.foundation.statements import marks
from placement_app import errors
from placement_app.candidates import roots, statements
from placement_app.candidates.groups import Plan
from placement_app.candidates.limits import Bounds
from placement_app.candidates.remembered import Memory, Roots
from placement_app.candidates.request import SearchRequest
from placement_app.candidates.roots import Clause, Shape
from placement_app.candidates.snapshot import SHARING, Snapshot, Tree

FIRST_CHUNK = 24
LARGEST_CHUNK = 5_000
"""Bounds the memory of a search; a larger cloud is read in several chunks."""

ENOUGH_KNOWN = 0.9
"""Of the roots, to judge their room in memory."""


class Kind(enum.IntEnum):
    """What a row of the survey tells. It stands where the row of a root has its key."""

    CLASS = -1
    TRAIT = -2
    NAMED = -3
    TREES = -4
    SHARING = -5


@dataclass(slots=True)
class Survey:
    """What has to be known of the cloud as a whole before any of its trees is read."""

    resource_classes: set[str] = field(default_factory=set)
    traits: set[str] = field(default_factory=set)
    roots: dict[str, str] = field(default_factory=dict)
    """The root of each provider that the request names."""
    has_trees: bool = False
    sharing: Roots = ()
    """The roots of all trees in which somebody shares."""


def survey(plan: Plan, first: Clause | None = None) -> tuple[Survey, Roots]:
    """What is to be known of the cloud, and in the same statement what ``first``, a query for roots, finds.

    Raises UnknownClassInQuery and UnknownTraits: a name that is not there is an error in the request.
    """
    request = plan.request
    found = Survey()
    query = _survey_query(plan, first)
    rows = statements.rows_again(query.sql, query.parameters)
    shared = []
    for kind, number, word in (row for row in rows if row[0] < 0):
        match kind:
            case Kind.CLASS:
                found.resource_classes.add(word)
            case Kind.TRAIT:
                found.traits.add(word)
            case Kind.NAMED:
                uuid, root_uuid = word.split()
                found.roots[uuid] = root_uuid
            case Kind.TREES:
                found.has_trees = True
            case Kind.SHARING:
                shared.append((int(word), number))
    found.sharing = tuple(sorted(shared))
    if unknown := sorted(request.resource_classes() - found.resource_classes):
        raise errors.UnknownClassInQuery(resource_class=", ".join(unknown))
    if unknown := sorted(request.traits() - found.traits):
        raise errors.UnknownTraits(traits=", ".join(unknown))
    return found, tuple((pk, fingerprint) for pk, fingerprint, _ in rows if pk >= 0)


@functools.lru_cache(maxsize=1000)
def _survey_query(plan: Plan, first: Clause | None) -> Clause:
    request = plan.request
    parts = [
        # In the order of an index: so it is looked up there, whatever the planner believes of the table. The first part
        # says what types the columns have.
        f"SELECT CAST({Kind.TREES:d} AS bigint), CAST(0 AS bigint), '' FROM ("
        "SELECT 1 FROM placement_app_resourceprovider WHERE parent_uuid > '' ORDER BY parent_uuid LIMIT 1) child",
        f"SELECT {Kind.SHARING:d}, {roots.FINGERPRINT}, CAST(p.id AS varchar) FROM placement_app_resourceprovider p "
        "WHERE p.parent_uuid IS NULL AND p.uuid IN ("
        "SELECT CASE WHEN q.parent_uuid IS NULL THEN q.uuid ELSE q.root_uuid END FROM placement_app_providertrait t "
        "JOIN placement_app_resourceprovider q ON q.id = t.provider_id WHERE t.trait = %s)",
    ]
    parameters: list[Any] = [SHARING]
    for kind, word, table, key, names in (
        (Kind.CLASS, "name", "resourceclass", "name", request.resource_classes()),
        (Kind.TRAIT, "name", "trait", "name", request.traits()),
        (Kind.NAMED, "uuid || ' ' || root_uuid", "resourceprovider", "uuid", request.named_providers()),
    ):
        if names:
            # In one order, so that the same request is the same statement.
            parts.append(f"SELECT {kind:d}, 0, {word} FROM placement_app_{table} WHERE {key} IN ({marks(names)})")
            parameters.extend(sorted(names))
    if first is not None:
        parts.append(f"SELECT id, fingerprint, '' FROM ({first.sql}) r")
        parameters.extend(first.parameters)
    return Clause(" UNION ALL ".join(parts), tuple(parameters))


class Loader:
    """Looks for the trees that may have candidates. ``memory`` spares it to read what it knows."""

    def __init__(self, request: SearchRequest, bounds: Bounds, memory: Memory) -> None:
        """Makes the survey. Raises UnknownClassInQuery and UnknownTraits."""
        self.bounds = bounds
        self.memory = memory
        # The first roots are asked for together with the survey, of a cloud shaped like that of the last search.
        self.shape, self.plan = memory.shape, memory.plan(request)
        is_asked = not request.named_providers() and not self._is_in_vain()
        self.is_cold = memory.is_empty
        self.asked = self._query(-1, self._first_size(), looks_for_room=self.is_cold) if is_asked else None
        found, self.first = survey(self.plan, self.asked)
        if found.roots:
            self.plan = memory.plan(request.in_trees_by_root(found.roots))
        self.sharing_trees = memory.trees(found.sharing, memory.known(found.sharing))
        members = (member for tree in self.sharing_trees for member in tree.members)
        self.shape = memory.shape = Shape(found.has_trees, tuple(member for member in members if member.is_sharing))

    def snapshots(self) -> Iterator[Snapshot]:
        if not self._is_in_vain():
            for chunk, known in self._chunks():
                yield self._snapshot(chunk, known)

    def everything(self) -> Iterator[Snapshot]:
        """All trees of the cloud, whether they may have candidates or not."""
        last = -1
        while chunk := statements.rows(
            f"SELECT p.id, {roots.FINGERPRINT} FROM placement_app_resourceprovider p "
            "WHERE p.parent_uuid IS NULL AND p.id > %s ORDER BY p.id LIMIT %s",
            [last, LARGEST_CHUNK],
        ):
            yield self._snapshot(tuple(chunk), {})
            last = chunk[-1][0]

    def _snapshot(self, chunk: Roots, known: Mapping[int, Tree]) -> Snapshot:
        """The trees of these roots; those that share are the same objects for every chunk."""
        if self.sharing_trees:
            both = {**known, **{tree.root.pk: tree for tree in self.sharing_trees}}
            known = {pk: both[pk] for pk, _ in chunk if pk in both}
        return Snapshot(self.memory.trees(chunk, known), self.sharing_trees, is_flat=self.shape.is_flat)

    def _is_in_vain(self) -> bool:
        """One provider can't be two."""
        return self.shape.is_flat and self.plan.isolate

    def _chunks(self) -> Iterator[tuple[Roots, Mapping[int, Tree]]]:
        """Roots that may have candidates, and those of their trees that are remembered."""
        size = self._first_size()
        last = -1
        while True:
            chunk, known = self._chunk(last, size)
            yield chunk, known
            if len(chunk) < size:
                return
            last = chunk[-1][0]
            size = min(2 * size, LARGEST_CHUNK)

    def _chunk(self, after: int, size: int) -> tuple[Roots, Mapping[int, Tree]]:
        """Room is looked for by the database only where it would have to be read for that: memory is faster."""
        if not self.is_cold:
            chunk = self._ask(after, size, looks_for_room=False)
            known = self.memory.known(chunk)
            if len(known) >= ENOUGH_KNOWN * len(chunk):
                return chunk, known
        chunk = self._ask(after, size, looks_for_room=True)
        return chunk, self.memory.known(chunk)

    def _ask(self, after: int, size: int, *, looks_for_room: bool) -> Roots:
        query = self._query(after, size, looks_for_room=looks_for_room)
        # What psycopg2 and sqlite3 give as rows are tuples already.
        return self.first if query == self.asked else tuple(statements.rows_again(query.sql, query.parameters))

    def _query(self, after: int, size: int, *, looks_for_room: bool) -> Clause:
        return roots.query(self.plan, self.shape, looks_for_room=looks_for_room, after=after, limit=size)

    def _first_size(self) -> int:
        if self.bounds.takes_all or self.bounds.limit is None:
            return LARGEST_CHUNK
        if self.shape.has_trees:
            # A tree often has many candidates, and takes long to read.
            return FIRST_CHUNK
        # A lone root is one candidate, or with what is shared a few.
        return min(self.bounds.limit, LARGEST_CHUNK)
