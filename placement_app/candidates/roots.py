"""Which roots may have candidates, asked of the database in the order of their keys.

The conditions are necessary ones: what they let through is judged again in memory. Where no provider is part of a tree
and none shares, they are exact, so that a search with a limit looks at no more providers than it returns.
"""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.db import connection

from claimsite.foundation.statements import marks
from placement_app.candidates.groups import Plan
from placement_app.candidates.request import Alternatives, RequestGroup, SearchRequest
from placement_app.candidates.snapshot import Provider

TOO_MUCH = 2_147_483_648
"""More than any provider may give at once. No column is wide enough for whatever a client may write."""
NO_LIMIT = 9_223_372_036_854_775_807
BELOW = "q.root_uuid = p.uuid AND q.parent_uuid IS NOT NULL"
"""Whether the provider ``q`` is below the root ``p``. A root is its own root, whatever an import wrote there."""


FINGERPRINT = (
    f"CAST(p.stamp + coalesce((SELECT sum(q.stamp) FROM placement_app_resourceprovider q WHERE {BELOW}), 0) AS bigint)"
)
"""Of the tree of the root ``p``: the stamps of all members, which are random numbers, added up."""


@dataclass(frozen=True, slots=True)
class Clause:
    """A condition in SQL that both databases read alike, and its parameters."""

    sql: str
    parameters: tuple[Any, ...] = ()

    def __or__(self, other: Clause) -> Clause:
        return Clause(f"({self.sql} OR {other.sql})", self.parameters + other.parameters)


def all_of(clauses: Iterable[Clause]) -> Clause:
    several = list(clauses)
    return Clause(
        " AND ".join(clause.sql for clause in several),
        tuple(parameter for clause in several for parameter in clause.parameters),
    )


class Shape(NamedTuple):
    """What of the cloud decides how its roots are asked for."""

    has_trees: bool = False
    sharing: tuple[Provider, ...] = ()
    """Every sharing provider there is."""

    @property
    def is_flat(self) -> bool:
        return not self.has_trees and not self.sharing


@functools.lru_cache(maxsize=1000)
def query(plan: Plan, shape: Shape, *, looks_for_room: bool, after: int, limit: int) -> Clause:
    """Selects the first ``limit`` roots with keys beyond ``after``, in order: their keys and fingerprints.

    ``looks_for_room``: whether to leave out roots for want of room, or only for want of rarer things.

    Traits and aggregates, of which the database keeps statistics, are looked at first: it may start from the rare ones.
    Room is looked at afterwards, one root after the other until the limit is met. Judged together, the planner takes
    room for rare and looks for it everywhere; the limit in the middle, which limits nothing, keeps the two apart.
    """
    request = plan.request
    selective, opaque = _alone(request, plan) if shape.is_flat else _in_its_tree(request, shape.sharing)
    selective = [*_of_the_root(request), *selective, *_of_the_trees_meant(request, shape.sharing)]
    inner = all_of([Clause("p.parent_uuid IS NULL"), Clause("p.id > %s", (after,)), *selective])
    outer = all_of((looks_for_room and opaque) or [Clause("1 = 1")])
    # PostgreSQL sees that the rows come in this order. SQLite keeps it too, but if told to would sort all rows anew.
    order = "ORDER BY p.id" if connection.vendor == "postgresql" else ""
    fingerprint = FINGERPRINT if shape.has_trees else "p.stamp"
    return Clause(
        f"SELECT p.id, {fingerprint} AS fingerprint FROM (SELECT p.id, p.uuid, p.stamp "
        f"FROM placement_app_resourceprovider p WHERE {inner.sql} ORDER BY p.id LIMIT {NO_LIMIT}) p "
        f"WHERE {outer.sql} {order} LIMIT %s",
        (*inner.parameters, *outer.parameters, limit),
    )


def _of_the_trees_meant(request: SearchRequest, sharing: Iterable[Provider]) -> Iterable[Clause]:
    """What ``in_tree`` says of the root, where it can't mean what is shared with the root."""
    shared_from = {provider.root_uuid for provider in sharing}
    for uuid in sorted(request.named_providers() - shared_from):
        yield Clause("p.uuid = %s", (uuid,))


def _of_the_root(request: SearchRequest) -> Iterable[Clause]:
    yield from (has_trait("p", [trait]) for trait in sorted(request.root_required))
    yield from _not_any(has_trait("p", request.root_forbidden), request.root_forbidden)


# --- no trees, nothing shared: the root serves everything itself ----------------------------------------------------
def _alone(request: SearchRequest, plan: Plan) -> tuple[list[Clause], list[Clause]]:
    selective: list[Clause] = []
    room: list[Clause] = []
    for group in request.groups:
        selective.extend(has_trait("p", any_of) for any_of in group.required)
        selective.extend(_of_any_server("p", group))
        room.extend(has_room("p", name, amount, plan.totals[name]) for name, amount in group.resources.items())
    return selective, room


# --- trees: something below the root may serve, or something that shares with it ------------------------------------
def _in_its_tree(request: SearchRequest, sharing: Sequence[Provider]) -> tuple[list[Clause], list[Clause]]:
    selective: list[Clause] = []
    somebody: list[Clause] = []
    for group in request.groups:
        selective.extend(_trees_with(group.required, group.member_of if group.is_suffixed else (), sharing))
        if group.is_suffixed:
            somebody.append(_somebody_serves(group, dict(group.resources), group.required, sharing))
        else:
            somebody.extend(_somebody_serves(group, {name: n}, (), sharing) for name, n in group.resources.items())
    return selective, somebody


def _somebody_serves(
    group: RequestGroup, resources: dict[str, int], required: Alternatives, sharing: Sequence[Provider]
) -> Clause:
    conditions = all_of(
        [
            Clause("q.root_uuid = p.uuid"),
            *(has_room("q", resource_class, amount, amount) for resource_class, amount in resources.items()),
            *(has_trait("q", any_of) for any_of in required),
            *_of_any_server("q", group),
        ]
    )
    somebody = Clause(
        f"(SELECT TRUE FROM placement_app_resourceprovider q WHERE {conditions.sql} LIMIT 1)", conditions.parameters
    )
    able = [provider for provider in sharing if all(_may_give(provider, *item) for item in resources.items())]
    return somebody | _shares_with(able) if able else somebody


def _may_give(provider: Provider, resource_class: str, amount: int) -> bool:
    stock = provider.stocks.get(resource_class)
    return stock is not None and stock.has_room(amount)


def _shares_with(providers: Sequence[Provider]) -> Clause:
    aggregates = sorted(frozenset().union(*(provider.aggregates for provider in providers)))
    if not aggregates:
        return Clause("1 = 0")
    return Clause(
        "EXISTS (SELECT 1 FROM placement_app_provideraggregate a JOIN placement_app_resourceprovider q "
        f"ON q.id = a.provider_id WHERE q.root_uuid = p.uuid AND a.aggregate_uuid IN ({marks(aggregates)}))",
        tuple(aggregates),
    )


def _trees_with(required: Alternatives, member_of: Alternatives, sharing: Sequence[Provider]) -> Iterable[Clause]:
    """Rare traits and aggregates, in a form that lets the planner start from them."""
    for any_of in required:
        if not any(any_of & provider.traits for provider in sharing):
            yield Clause(
                "p.uuid IN (SELECT q.root_uuid FROM placement_app_providertrait t "
                "JOIN placement_app_resourceprovider q ON q.id = t.provider_id "
                f"WHERE t.trait IN ({marks(any_of)}))",
                tuple(sorted(any_of)),
            )
    for any_of in member_of:
        if not any(any_of & provider.aggregates for provider in sharing):
            yield Clause(
                "p.uuid IN (SELECT q.root_uuid FROM placement_app_provideraggregate a "
                "JOIN placement_app_resourceprovider q ON q.id = a.provider_id "
                f"WHERE a.aggregate_uuid IN ({marks(any_of)}))",
                tuple(sorted(any_of)),
            )


# --- conditions on one provider -------------------------------------------------------------------------------------
def _of_any_server(provider: str, group: RequestGroup) -> Iterable[Clause]:
    """Everything but room and required traits. ``provider`` serves for the root ``p``, or is it."""
    yield from _not_any(has_trait(provider, group.forbidden), group.forbidden)
    if group.member_of:
        is_member = all_of(is_in(provider, any_of) for any_of in group.member_of)
        if not group.is_suffixed and provider != "p":
            is_member = Clause(f"({is_member.sql})", is_member.parameters) | all_of(
                is_in("p", any_of) for any_of in group.member_of
            )
        yield is_member
    for either in {provider} if group.is_suffixed else {provider, "p"}:
        yield from _not_any(is_in(either, group.not_member_of), group.not_member_of)


def has_room(provider: str, resource_class: str, amount: int, total: int) -> Clause:
    """Room for ``total`` of a class, of which one group takes ``amount``.

    A scalar sub-select is looked up for one provider after the other. As a join it makes the planner, which thinks that
    hardly any amount is divisible by a step, join everything first.
    """
    amount, total = min(amount, TOO_MUCH), min(total, TOO_MUCH)
    return Clause(
        "(SELECT %s BETWEEN i.min_unit AND i.max_unit AND %s <= i.max_unit AND %s %% i.step_size = 0 "
        "AND i.used + %s <= (i.total - i.reserved) * i.allocation_ratio FROM placement_app_inventory i "
        f"WHERE i.provider_id = {provider}.id AND i.resource_class = %s)",
        (amount, total, amount, total, resource_class),
    )


def has_trait(provider: str, any_of: Collection[str]) -> Clause:
    return Clause(
        f"EXISTS (SELECT 1 FROM placement_app_providertrait t WHERE t.provider_id = {provider}.id "
        f"AND t.trait IN ({marks(any_of)}))",
        tuple(sorted(any_of)),
    )


def is_in(provider: str, any_of: Collection[str]) -> Clause:
    return Clause(
        f"EXISTS (SELECT 1 FROM placement_app_provideraggregate a WHERE a.provider_id = {provider}.id "
        f"AND a.aggregate_uuid IN ({marks(any_of)}))",
        tuple(sorted(any_of)),
    )


def _not_any(clause: Clause, names: Collection[str]) -> Iterable[Clause]:
    if names:
        yield Clause(f"NOT {clause.sql}", clause.parameters)
