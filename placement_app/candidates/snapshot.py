"""The part of the cloud that a search looks at, in memory: read once, never changed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

SHARING = "MISC_SHARES_VIA_AGGREGATE"


class Stock(NamedTuple):
    """Inventory of one resource class on one provider, with what is taken of it."""

    total: int
    reserved: int = 0
    min_unit: int = 1
    max_unit: int = 2147483647
    step_size: int = 1
    allocation_ratio: float = 1.0
    used: int = 0

    @property
    def capacity(self) -> float:
        return (self.total - self.reserved) * self.allocation_ratio

    @property
    def shown_capacity(self) -> int:
        return int((self.total - self.reserved) * self.allocation_ratio)

    def allows(self, amount: int) -> bool:
        """Whether the unit rules let one group take this amount, room or not."""
        return self.min_unit <= amount <= self.max_unit and amount % self.step_size == 0

    def holds(self, amount: int) -> bool:
        """Whether this much, the sum of all groups of a candidate, may be taken on top of what is used."""
        return amount <= self.max_unit and self.used + amount <= (self.total - self.reserved) * self.allocation_ratio

    def has_room(self, amount: int) -> bool:
        """Whether one group may take this amount now."""
        return (
            self.min_unit <= amount <= self.max_unit
            and amount % self.step_size == 0
            and self.used + amount <= (self.total - self.reserved) * self.allocation_ratio
        )


@dataclass(eq=False, slots=True)
class Provider:
    """A provider as the search sees it. Two are the same only if they are the same object."""

    pk: int
    uuid: str
    name: str
    root_uuid: str
    parent_uuid: str | None = None
    traits: frozenset[str] = frozenset()
    aggregates: frozenset[str] = frozenset()
    stocks: dict[str, Stock] = field(default_factory=dict)
    lineage: frozenset[str] = frozenset()
    """Uuids of the provider and of all above it."""
    listed_traits: Sequence[str] = ()
    """The traits in the order of the vocabulary: standard ones first, then custom ones by creation."""
    note: Any = None
    """Whoever shows providers may leave here what it made of this one, for the next time."""

    @property
    def is_sharing(self) -> bool:
        return SHARING in self.traits


@dataclass(eq=False)
class Tree:
    """A root and every provider below it, the root included, in order of their keys."""

    root: Provider
    members: Sequence[Provider]
    fingerprint: int = 0
    """Made of the stamps of all members: with another, the root has become another tree."""

    @cached_property
    def aggregates(self) -> frozenset[str]:
        if len(self.members) == 1:
            return self.root.aggregates
        return frozenset().union(*(member.aggregates for member in self.members))


@dataclass(frozen=True, eq=False)
class Anchor:
    """A root and every provider that may serve its candidates: its tree, and those from outside that share with it."""

    tree: Tree
    helpers: tuple[Provider, ...] = ()

    @property
    def root(self) -> Provider:
        return self.tree.root

    @cached_property
    def members(self) -> Sequence[Provider]:
        """In order of their keys."""
        if not self.helpers:
            return self.tree.members
        return sorted([*self.tree.members, *self.helpers], key=lambda provider: provider.pk)


class Sharing:
    """All providers of the cloud that share, by the aggregates through which they do."""

    def __init__(self, trees: Sequence[Tree]) -> None:
        self.by_aggregate: dict[str, list[Provider]] = {}
        for tree in trees:
            for member in tree.members:
                if member.is_sharing:
                    for aggregate in member.aggregates:
                        self.by_aggregate.setdefault(aggregate, []).append(member)
        self.helpers: dict[frozenset[str], tuple[Provider, ...]] = {}
        """For each set of aggregates that some tree is in, the providers that share with it."""

    def anchor(self, tree: Tree) -> Anchor:
        """The tree, and each provider from outside that has an aggregate in common with any member of it.

        Children of a sharing provider serve their own tree only.
        """
        helpers = self.helpers.get(tree.aggregates)
        if helpers is None:
            every = {provider for aggregate in tree.aggregates for provider in self.by_aggregate.get(aggregate, ())}
            helpers = self.helpers[tree.aggregates] = tuple(sorted(every, key=lambda provider: provider.pk))
        if any(provider.root_uuid == tree.root.uuid for provider in helpers):
            helpers = tuple(provider for provider in helpers if provider.root_uuid != tree.root.uuid)
        return Anchor(tree, helpers)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Some trees, in order of their roots' keys, and the trees of all sharing providers of the cloud.

    A tree that is in both is the same object in both.
    """

    trees: tuple[Tree, ...]
    sharing_trees: Sequence[Tree] = ()
    is_flat: bool = False
    """Whether in the whole cloud each root serves everything itself, or nothing."""

    def anchors(self) -> Iterable[Anchor]:
        sharing = Sharing(self.sharing_trees)
        return map(sharing.anchor if sharing.by_aggregate else Anchor, self.trees)
