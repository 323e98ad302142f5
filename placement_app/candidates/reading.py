"""Rows → trees. One statement reads all there is to know of a tree, so that all of it is of one moment.

Plain SQL, the same for both databases: reading ten thousand rows, building model instances would be most of the work.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from django.db import connection

from claimsite.foundation.statements import marks
from placement_app.candidates import statements
from placement_app.candidates.roots import BELOW
from placement_app.candidates.snapshot import Provider, Stock, Tree

AT_ONCE = 5_000
"""Bounds the parameters of a statement."""

Row = tuple[Any, ...]

# What is the same for all kinds of rows comes first: the kind, the provider's key, a word.
STATEMENT = """
WITH root AS (
    SELECT id, uuid, name, parent_uuid, stamp FROM placement_app_resourceprovider
    WHERE parent_uuid IS NULL AND id IN ({places})
), member AS (
    SELECT id AS root_id, uuid AS root_uuid, id, uuid, name, parent_uuid, stamp FROM root
    UNION ALL SELECT p.id, p.uuid, q.id, q.uuid, q.name, q.parent_uuid, q.stamp
    FROM root p JOIN placement_app_resourceprovider q ON {below}
)
SELECT 'stock', i.provider_id, i.resource_class, i.total, i.reserved, i.min_unit, i.max_unit, i.step_size,
    i.allocation_ratio, i.used, NULL, NULL, NULL
FROM member m JOIN placement_app_inventory i ON i.provider_id = m.id
UNION ALL SELECT 'member', id, uuid, root_id, stamp, NULL, NULL, NULL, NULL, NULL, name, root_uuid, parent_uuid
FROM member
UNION ALL SELECT 'traits', provider_id, {joined}(trait, ','), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM (
    SELECT t.provider_id, t.trait FROM member m JOIN placement_app_providertrait t ON t.provider_id = m.id
    LEFT JOIN placement_app_trait v ON v.name = t.trait ORDER BY t.provider_id, v.id
) ordered GROUP BY provider_id
UNION ALL SELECT 'aggregates', a.provider_id, {joined}(a.aggregate_uuid, ','),
    NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM member m JOIN placement_app_provideraggregate a ON a.provider_id = m.id GROUP BY a.provider_id
"""


def trees(roots: Sequence[int]) -> Iterator[Tree]:
    """The trees of the roots with these keys, in that order; those that are no roots any more are left out."""
    for start in range(0, len(roots), AT_ONCE):
        yield from _trees(roots[start : start + AT_ONCE])


def _trees(roots: Sequence[int]) -> Iterator[Tree]:
    rows: dict[str, list[Row]] = {"member": [], "stock": [], "traits": [], "aggregates": []}
    for row in statements.rows(_statement(len(roots)), roots):
        rows[row[0]].append(row)
    providers = {row[1]: Provider(row[1], row[2], *row[10:]) for row in rows["member"]}
    for row in rows["stock"]:
        # Stock._make(row[3:10]), in half the time: there are as many rows as providers times classes.
        providers[row[1]].stocks[row[2]] = tuple.__new__(Stock, row[3:10])
    for pk, names, listed in _sets(rows["traits"]):
        providers[pk].traits, providers[pk].listed_traits = names, listed
    for pk, names, _ in _sets(rows["aggregates"]):
        providers[pk].aggregates = names
    _trace_lineage(providers.values())
    members: dict[int, list[Provider]] = {}
    fingerprints: dict[int, int] = {}
    for row in sorted(rows["member"], key=lambda row: row[1]):
        root, stamp = row[3:5]
        members.setdefault(root, []).append(providers[row[1]])
        fingerprints[root] = fingerprints.get(root, 0) + stamp
    for root in roots:
        if root in members:
            head = providers[root]
            yield Tree(head, tuple(members[root]), fingerprints[root])


def _statement(count: int) -> str:
    # The one word in which the two databases differ.
    joined = "string_agg" if connection.vendor == "postgresql" else "group_concat"
    return STATEMENT.format(places=marks(range(count)), below=BELOW, joined=joined)


def _sets(rows: Iterable[Row]) -> Iterator[tuple[int, frozenset[str], tuple[str, ...]]]:
    """Each provider's values, as a set and in order. Hosts of a kind share one set, not each its own."""
    known: dict[str, tuple[frozenset[str], tuple[str, ...]]] = {}
    for row in rows:
        text = row[2]
        if text not in known:
            names = tuple(text.split(","))
            known[text] = frozenset(names), names
        yield row[1], *known[text]


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
