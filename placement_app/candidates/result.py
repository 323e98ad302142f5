"""What a search found."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from placement_app.candidates.groups import Plan
from placement_app.candidates.snapshot import Provider, Tree

BY_KEY = operator.attrgetter("pk")


@dataclass(eq=False, slots=True)
class Candidate:
    """One way to serve the whole request."""

    tree: Tree
    """Of the root that it is a candidate of; it need not give anything."""
    amounts: Mapping[Provider, Mapping[str, int]]
    """What would be taken of whom."""
    mappings: Mapping[str, Sequence[Provider]]
    """Who serves which group, by its suffix: one provider each, several perhaps for the unsuffixed group."""
    shared_only: tuple[Provider, ...] = ()
    """Who serves each need, where all of these are sharing providers: it may be a candidate of other anchors too."""
    note: Any = None
    """Whoever shows candidates may leave here what it made of this one, for the next time."""

    @property
    def anchor(self) -> Provider:
        return self.tree.root

    @classmethod
    def of(cls, plan: Plan, tree: Tree, chosen: tuple[Provider, ...]) -> Candidate:
        amounts: dict[Provider, dict[str, int]] = {}
        mappings: dict[str, list[Provider]] = {}
        for need, provider in zip(plan.needs, chosen, strict=True):
            for resource_class, amount in need.resources.items():
                taken = amounts.setdefault(provider, {})
                taken[resource_class] = taken.get(resource_class, 0) + amount
            serving = mappings.setdefault(need.suffix, [])
            if provider not in serving:
                serving.append(provider)
        return cls(tree, amounts, mappings, chosen if all(provider.is_sharing for provider in chosen) else ())

    @classmethod
    def alone(cls, plan: Plan, tree: Tree) -> Candidate:
        """The only way there is where a root serves everything itself."""
        provider = tree.root
        shared_only = (provider,) * len(plan.needs) if provider.is_sharing else ()
        return cls(tree, {provider: plan.totals}, dict.fromkeys(plan.suffixes, (provider,)), shared_only)


@dataclass(frozen=True, slots=True)
class Result:
    candidates: Sequence[Candidate]
    """In order of their anchors' keys, then of the providers' keys."""
    trees: Sequence[Tree]
    """Every tree that gives something to some candidate, in order of the roots' keys."""
    is_complete: bool = True
    """False where the search gave up for the server's sake: there may be more than was looked at. Never for a limit."""

    def givers(self) -> list[Provider]:
        """The providers that give something to some candidate, in order of their keys."""
        givers = {provider for candidate in self.candidates for provider in candidate.amounts}
        return sorted(givers, key=BY_KEY)

    def members(self) -> list[Provider]:
        """All members of those trees, whether they give anything or not, in order of their keys."""
        members = [member for tree in self.trees for member in tree.members]
        if len(members) > len(self.trees):
            members.sort(key=BY_KEY)
        return members
