"""What a process remembers from one search to the next: trees, and which candidates they have.

Nothing here can be out of date. A tree is remembered under its fingerprint, which every search reads anew together with
the roots it finds; candidates are remembered with the tree they are made of; and a plan is nothing but its request.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Generic, NamedTuple, TypeVar

from django.conf import settings

from placement_app.candidates import reading
from placement_app.candidates.groups import Plan
from placement_app.candidates.request import SearchRequest
from placement_app.candidates.result import Candidate
from placement_app.candidates.roots import Shape
from placement_app.candidates.snapshot import Provider, Tree

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

MOST_PLANS = 200


class Shelf(Generic[K, V]):
    """What was used lately, up to a weight: when one half is full the other makes room. Threads may share it."""

    def __init__(self, most: int) -> None:
        self.half = most // 2
        self.weight = 0
        self.recent: dict[K, tuple[V, int]] = {}
        self.older: dict[K, tuple[V, int]] = {}

    def get(self, key: K) -> V | None:
        found = self.recent.get(key)
        if found is None:
            found = self.older.get(key)
            if found is None:
                return None
            self.put(key, *found)
        return found[0]

    def put(self, key: K, value: V, weight: int = 1) -> None:
        if self.weight + weight > self.half:
            self.older, self.recent, self.weight = self.recent, {}, 0
        if weight <= self.half:
            self.recent[key] = value, weight
            self.weight += weight


Roots = tuple[tuple[int, int], ...]
"""Roots as a search finds them first: their keys, and the fingerprints of their trees at that moment."""


class Found(NamedTuple):
    """The first candidates of an anchor, or all."""

    candidates: Sequence[Candidate] = ()
    are_all: bool = False


NOTHING = Found()


class Memory:
    def __init__(self, most: int) -> None:
        """``most``: how many providers to remember, and how many candidates."""
        self.shape = Shape()
        """The shape of the cloud in the last search: a guess for the next."""
        self._trees: Shelf[int, Tree] = Shelf(most)
        self._plans: Shelf[Hashable, Plan] = Shelf(min(most, MOST_PLANS))
        self._found: Shelf[tuple[Plan, Tree, tuple[Provider, ...]], Found] = Shelf(most)
        # The same for many roots at once, as they are found again while nobody writes.
        self._chunks: Shelf[Roots, Mapping[int, Tree]] = Shelf(most)
        self._found_of_lone: Shelf[tuple[Plan, tuple[Tree, ...]], Sequence[Candidate]] = Shelf(most)

    def plan(self, request: SearchRequest) -> Plan:
        key = request.key()
        plan = self._plans.get(key)
        if plan is None:
            plan = Plan.of(request)
            self._plans.put(key, plan)
        return plan

    @property
    def is_empty(self) -> bool:
        return not self._trees.recent

    def known(self, roots: Roots) -> Mapping[int, Tree]:
        """Those of the trees that are remembered as they are now, by their root's key."""
        whole = self._chunks.get(roots)
        if whole is not None:
            return whole
        known = {}
        for pk, fingerprint in roots:
            tree = self._trees.get(pk)
            if tree is not None and tree.fingerprint == fingerprint:
                known[pk] = tree
        if len(known) == len(roots):
            self._chunks.put(roots, known, len(roots))
        return known

    def trees(self, roots: Roots, known: Mapping[int, Tree]) -> tuple[Tree, ...]:
        """The trees of all these roots, in that order; those that are not ``known`` are read.

        A tree that went away meanwhile is left out, one that has changed again is newer than its fingerprint here.
        """
        if len(known) == len(roots):
            return tuple(known.values())
        missing = [pk for pk, _ in roots if pk not in known]
        read = {tree.root.pk: tree for tree in reading.trees(missing)}
        for pk, tree in read.items():
            self._trees.put(pk, tree, len(tree.members))
        every = {**known, **read}
        return tuple(every[pk] for pk, _ in roots if pk in every)

    def found(self, plan: Plan, tree: Tree, helpers: tuple[Provider, ...] = ()) -> Found:
        """What is known of the candidates of this tree together with these sharing providers."""
        return self._found.get((plan, tree, helpers)) or NOTHING

    def found_of_lone(self, plan: Plan, trees: tuple[Tree, ...]) -> Sequence[Candidate] | None:
        """The candidates of these lone roots."""
        return self._found_of_lone.get((plan, trees))

    def keep_of_lone(self, plan: Plan, trees: tuple[Tree, ...], candidates: Sequence[Candidate]) -> None:
        self._found_of_lone.put((plan, trees), candidates, len(trees))

    def keep(self, plan: Plan, tree: Tree, helpers: tuple[Provider, ...], found: Found) -> None:
        self._found.put((plan, tree, helpers), found, max(1, len(found.candidates)))


OF_THIS_PROCESS = Memory(settings.REMEMBERED_PROVIDERS)
