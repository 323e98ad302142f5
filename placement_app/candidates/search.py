"""The search, from the request to its candidates: this module is the table of contents."""

from __future__ import annotations

import itertools
import logging
import operator
from collections.abc import Iterable, Iterator, Sequence

from placement_app.candidates import loading, merge, remembered
from placement_app.candidates.conditions import meets
from placement_app.candidates.groups import Plan
from placement_app.candidates.limits import Bounds, Gathering
from placement_app.candidates.merge import Patience
from placement_app.candidates.remembered import Found, Memory
from placement_app.candidates.request import SearchRequest
from placement_app.candidates.result import Candidate, Result
from placement_app.candidates.snapshot import Anchor, Provider, Snapshot, Tree

logger = logging.getLogger(__name__)

MOST_OF_ONE_ANCHOR = 1_000
"""So many candidates of an anchor are remembered: the others are made one at a time, whenever they are wanted."""


def find(request: SearchRequest, bounds: Bounds, memory: Memory | None = None) -> Result:
    """Where the request would fit now: candidates, and what is to be known of the providers they name.

    Raises UnknownClassInQuery and UnknownTraits. Unknown aggregates and trees are no error: nobody is in them.
    """
    memory = memory or remembered.OF_THIS_PROCESS
    loader = loading.Loader(request, bounds, memory)
    result = search(loader.plan, loader.snapshots(), bounds, memory)
    if not result.is_complete:
        logger.warning("A search for candidates was cut short after %d: %s", len(result.candidates), request)
    return result


def search(plan: Plan, snapshots: Iterable[Snapshot], bounds: Bounds, memory: Memory) -> Result:
    """Candidates from as many of the snapshots as it takes. Pure: all it knows is in its arguments."""
    searching = Searching(plan, bounds, memory)
    gathering = Gathering(bounds)
    for batch in searching.batches(iter(snapshots)):
        gathering.take(batch)
        if gathering.is_full or searching.patience.is_spent:
            break
    candidates = gathering.kept
    if not searching.is_flat or bounds.sample is not None:
        candidates = sorted(candidates, key=operator.attrgetter("tree.root.pk"))
    return Result(
        candidates=candidates,
        trees=searching.trees_of(candidates),
        is_complete=not gathering.is_cut_short and not searching.patience.gave_up,
    )


class Searching:
    """The candidates of one plan, in the order in which they are wanted; made when they are asked for."""

    def __init__(self, plan: Plan, bounds: Bounds, memory: Memory) -> None:
        self.plan = plan
        self.bounds = bounds
        self.memory = memory
        self.patience = Patience()
        self.is_flat = True
        """Whether each root serves everything itself, or nothing."""
        self.sharing_trees: dict[str, Tree] = {}
        """By the uuid of their root."""
        self.seen: set[tuple[Provider, ...]] = set()

    def trees_of(self, candidates: Sequence[Candidate]) -> Sequence[Tree]:
        """Every tree of which some provider gives something, in order of the roots' keys."""
        if self.is_flat:
            return list(dict.fromkeys(candidate.tree for candidate in candidates))
        trees = {candidate.tree.root.uuid: candidate.tree for candidate in candidates} | self.sharing_trees
        roots = {provider.root_uuid for candidate in candidates for provider in candidate.amounts}
        return sorted((trees[uuid] for uuid in roots), key=operator.attrgetter("root.pk"))

    def batches(self, snapshots: Iterator[Snapshot]) -> Iterator[Iterator[Candidate]]:
        """All candidates. Within a batch, anchors take turns."""
        for snapshot in snapshots:
            if not snapshot.is_flat:
                self.is_flat = False
                yield from self.bounds.batches(self.streams(itertools.chain([snapshot], snapshots)))
                return
            yield iter(self.of_several_lone(snapshot.trees))

    def streams(self, snapshots: Iterable[Snapshot]) -> Iterator[Iterator[Candidate]]:
        """The candidates of each anchor that has some."""
        for snapshot in snapshots:
            self.sharing_trees = {tree.root.uuid: tree for tree in snapshot.sharing_trees}
            for anchor in snapshot.anchors():
                if self.patience.is_spent:
                    return
                stream = self.of_anchor(anchor)
                if snapshot.sharing_trees:
                    stream = self.each_once(stream)
                if (first := next(stream, None)) is not None:
                    yield itertools.chain([first], stream)

    def each_once(self, candidates: Iterable[Candidate]) -> Iterator[Candidate]:
        """Candidates made of sharing providers only may belong to other anchors as well."""
        for candidate in candidates:
            if candidate.shared_only:
                if candidate.shared_only in self.seen:
                    continue
                self.seen.add(candidate.shared_only)
            yield candidate

    def of_several_lone(self, trees: tuple[Tree, ...]) -> Sequence[Candidate]:
        found = self.memory.found_of_lone(self.plan, trees)
        if found is None:
            found = tuple(itertools.chain.from_iterable(map(self.of_lone, trees)))
            self.memory.keep_of_lone(self.plan, trees, found)
        return found

    def of_lone(self, tree: Tree) -> Sequence[Candidate]:
        """The one candidate of a root with nobody else to turn to, or none."""
        found = self.memory.found(self.plan, tree)
        if not found.are_all:
            every = tuple(candidates_of(self.plan, Anchor(tree), self.patience))
            found = Found(every, are_all=not self.patience.gave_up)
            self.memory.keep(self.plan, tree, (), found)
        return found.candidates

    def of_anchor(self, anchor: Anchor) -> Iterator[Candidate]:
        """The candidates of one anchor: first those that are remembered, then new ones."""
        found = self.memory.found(self.plan, anchor.tree, anchor.helpers)
        return iter(found.candidates) if found.are_all else self.more_of(anchor, found)

    def more_of(self, anchor: Anchor, found: Found) -> Iterator[Candidate]:
        yield from found.candidates
        new = itertools.islice(candidates_of(self.plan, anchor, self.patience), len(found.candidates), None)
        first = list(found.candidates)
        is_done = False
        try:
            for candidate in new:
                if len(first) < MOST_OF_ONE_ANCHOR:
                    first.append(candidate)
                yield candidate
            is_done = len(first) < MOST_OF_ONE_ANCHOR and not self.patience.gave_up
        finally:
            self.memory.keep(self.plan, anchor.tree, anchor.helpers, Found(tuple(first), is_done))


def candidates_of(plan: Plan, anchor: Anchor, patience: Patience) -> Iterator[Candidate]:
    """The candidates of one anchor, made one at a time."""
    if not plan.accepts_root(anchor.root):
        return
    if len(anchor.members) == 1:
        if serves_alone(plan, anchor.root):
            yield Candidate.alone(plan, anchor.tree)
        return
    for chosen in merge.assignments(plan, anchor, patience):
        yield Candidate.of(plan, anchor.tree, chosen)


def serves_alone(plan: Plan, provider: Provider) -> bool:
    """Whether a root with nobody else to turn to serves everything: most hosts are like that."""
    return (
        not plan.isolate
        and all(need.is_met_by(provider, provider) for need in plan.needs)
        and meets(provider.traits, plan.required_together)
        and all(provider.stocks[resource_class].holds(plan.totals[resource_class]) for resource_class in plan.contended)
    )
