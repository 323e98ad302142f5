"""The search, from the request to its candidates: this module is the table of contents."""

from __future__ import annotations

import dataclasses
import logging
import operator
from collections.abc import Iterable, Iterator, Mapping

from placement_app.candidates import loading, merge
from placement_app.candidates.conditions import meets
from placement_app.candidates.groups import Plan
from placement_app.candidates.limits import Bounds, Gathering
from placement_app.candidates.merge import Patience
from placement_app.candidates.request import SearchRequest
from placement_app.candidates.result import Candidate, Result
from placement_app.candidates.snapshot import Anchor, Provider, Snapshot, Tree

logger = logging.getLogger(__name__)


def find(request: SearchRequest, bounds: Bounds) -> Result:
    """Where the request would fit now: candidates, and what is to be known of the providers they name.

    Raises UnknownClassInQuery and UnknownTraits. Unknown aggregates and trees are no error: nobody is in them.
    """
    survey = loading.survey(request)
    request = in_trees_by_root(request, survey.roots)
    plan = Plan.of(request)
    result = search(request, loading.Loader(request, plan, survey, bounds).snapshots(), bounds)
    if not result.is_complete:
        logger.warning("A search for candidates was cut short after %d: %s", len(result.candidates), request)
    traits = frozenset().union(*{member.traits for tree in result.trees for member in tree.members})
    return dataclasses.replace(result, trait_order=loading.order_of_traits(traits))


def search(request: SearchRequest, snapshots: Iterable[Snapshot], bounds: Bounds) -> Result:
    """Candidates from as many of the snapshots as it takes. Pure: all it knows is in its arguments."""
    plan = Plan.of(request)
    patience = Patience()
    gathering = Gathering(bounds)
    trees: dict[str, Tree] = {}
    seen: set[tuple[Provider, ...]] = set()
    candidates: Iterator[Candidate]
    for snapshot in snapshots:
        if snapshot.is_judged:
            candidates = (Candidate.alone(plan, tree.root) for tree in snapshot.trees)
        else:
            candidates = bounds.in_turn(candidates_of(plan, anchor, patience, seen) for anchor in snapshot.anchors())
        taken = gathering.take(candidates)
        here = {tree.root.uuid: tree for tree in (*snapshot.sharing_trees, *snapshot.trees)}
        trees.update((uuid, here[uuid]) for uuid in roots_of(taken) if uuid in here)
        if gathering.is_full or patience.is_spent:
            break
    return Result(
        candidates=sorted(gathering.kept, key=operator.attrgetter("anchor.pk")),
        trees=sorted((trees[uuid] for uuid in roots_of(gathering.kept)), key=operator.attrgetter("root.pk")),
        is_complete=not gathering.is_cut_short and not patience.gave_up,
    )


def in_trees_by_root(request: SearchRequest, roots: Mapping[str, str]) -> SearchRequest:
    """The request with each `in_tree` naming a root. ``roots`` has the root of every provider that was named.

    A tree that is not known stays as it is: nobody is in it.
    """
    return dataclasses.replace(
        request,
        groups=tuple(
            group
            if group.in_tree is None
            else dataclasses.replace(group, in_tree=roots.get(group.in_tree, group.in_tree))
            for group in request.groups
        ),
    )


def roots_of(candidates: Iterable[Candidate]) -> set[str]:
    """The roots of all providers that give something."""
    return {provider.root_uuid for candidate in candidates for provider in candidate.amounts}


def candidates_of(
    plan: Plan, anchor: Anchor, patience: Patience, seen: set[tuple[Provider, ...]]
) -> Iterator[Candidate]:
    """The candidates of one anchor, made one at a time.

    Those made of sharing providers only may belong to other anchors as well: ``seen`` holds them, to give each once.
    """
    if not plan.accepts_root(anchor.root):
        return
    is_lone = len(anchor.members) == 1
    combinations = alone(plan, anchor.root) if is_lone else merge.assignments(plan, anchor, patience)
    for chosen in combinations:
        if all(provider.is_sharing for provider in chosen):
            if chosen in seen:
                continue
            seen.add(chosen)
        yield Candidate.alone(plan, anchor.root) if is_lone else Candidate.of(plan, anchor.root, chosen)


def alone(plan: Plan, provider: Provider) -> Iterator[tuple[Provider, ...]]:
    """The one combination of an anchor with nobody else to turn to, if it is one: most hosts are like that."""
    if (
        not plan.isolate
        and all(need.is_met_by(provider, provider) for need in plan.needs)
        and meets(provider.traits, plan.required_together)
        and all(provider.stocks[resource_class].holds(plan.totals[resource_class]) for resource_class in plan.contended)
    ):
        yield (provider,) * len(plan.needs)
