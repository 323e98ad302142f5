"""Why a search finds what it finds: how many are left after each condition, and what the nearest misses lack.

It asks the conditions of the search itself, one after the other, of every provider there is; so it takes as long as the
cloud is large, and is meant for people.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from placement_app.candidates import conditions, loading, merge
from placement_app.candidates.groups import Need, Plan
from placement_app.candidates.limits import Bounds
from placement_app.candidates.merge import Effort, Patience
from placement_app.candidates.remembered import Memory
from placement_app.candidates.request import RequestGroup, SearchRequest
from placement_app.candidates.snapshot import Anchor, Provider, Snapshot, Stock, Tree

EXAMPLES = 3
NEAREST = 5

_OF_STOCK = {"capacity", "units"}


@dataclass(slots=True)
class Step:
    """One condition, and how many still pass it after all those before."""

    condition: str
    wants: str
    left: int = 0
    removed: list[str] = field(default_factory=list)
    """The first few that it removed, by name."""

    def judge(self, provider: Provider, passes: bool) -> bool:
        if passes:
            self.left += 1
        elif len(self.removed) < EXAMPLES:
            self.removed.append(provider.name)
        return passes


@dataclass(frozen=True, slots=True)
class Funnel:
    """What is left of all providers for one need: a class of the unsuffixed group, or a suffixed group."""

    suffix: str
    wants: str
    steps: list[Step]


@dataclass(frozen=True, slots=True)
class Lack:
    condition: str
    wants: str
    provider: str
    """Who lacks it, by name: of all that could serve the one that comes closest."""
    has: str = ""
    """What is there instead, where that is a matter of numbers."""
    shortfall: float = 0.0
    """Which part of an amount is missing, from 0 to 1."""

    @property
    def what(self) -> str:
        return f"lacks {self.condition} {self.wants}".rstrip() + (f": {self.has}" if self.has else "")

    def __str__(self) -> str:
        return f"{self.provider} {self.what}"


@dataclass(frozen=True, slots=True)
class Miss:
    """A root that would do, but for these."""

    root: Provider
    lacks: tuple[Lack, ...]

    @property
    def distance(self) -> tuple[int, int, float, int]:
        return *_distance(self.lacks), self.root.pk

    def __str__(self) -> str:
        """Names the root once, and others that lack something."""
        told = [lack.what if lack.provider == self.root.name else str(lack) for lack in self.lacks]
        return f"{self.root.name}{' ' if self.lacks[0].provider == self.root.name else ': '}{'; '.join(told)}"


def _distance(lacks: Iterable[Lack]) -> tuple[int, int, float]:
    """Whoever has no such thing at all is farthest. An amount that neither fits in what is free nor in one unit is one
    lack; of equally many, the part that is missing decides."""
    lacks = list(lacks)
    missing = sum(lack.condition == "inventory" for lack in lacks)
    kinds = {(each.provider, each.wants, "" if each.condition in _OF_STOCK else each.condition) for each in lacks}
    return missing, len(kinds), sum(lack.shortfall for lack in lacks)


@dataclass(slots=True)
class Explanation:
    providers: int = 0
    roots: int = 0
    groups: list[Funnel] = field(default_factory=list)
    """Each need by itself, over all providers."""
    whole: list[Step] = field(default_factory=list)
    """All together, over all roots: the last step leaves those that have candidates."""
    nearest: list[Miss] = field(default_factory=list)
    most_free: dict[str, tuple[int, str]] = field(default_factory=dict)
    """Of each class that was asked for, the most that any one provider has free, and its name."""

    @property
    def most_free_in_words(self) -> str:
        """Empty if nobody has anything of the sort."""
        return ", ".join(f"{name} {free:,} ({provider})" for name, (free, provider) in self.most_free.items())

    @property
    def roots_with_candidates(self) -> int:
        return self.whole[-1].left if self.whole else self.roots


def explain(request: SearchRequest) -> Explanation:
    """Raises UnknownClassInQuery and UnknownTraits."""
    loader = loading.Loader(request, Bounds(), Memory(0))
    return of_snapshots(loader.plan.request, loader.everything())


def of_snapshots(request: SearchRequest, snapshots: Iterable[Snapshot]) -> Explanation:
    """The pure part: all it knows is in its arguments."""
    return _Explaining(request).of(snapshots)


# --- one provider ---------------------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class _Check:
    """A condition on one provider that can also say what it found."""

    condition: str
    wants: str
    holds: conditions.Test
    found: Callable[[Provider], tuple[str, float]] = lambda provider: ("", 0.0)

    def lack(self, provider: Provider) -> Lack:
        return Lack(self.condition, self.wants, provider.name, *self.found(provider))


def _checks(need: Need, group: RequestGroup) -> Iterator[_Check]:
    for resource_class, amount in need.resources.items():
        yield from _checks_of_stock(resource_class, amount)
    for condition in conditions.of_group(group):
        yield _Check(condition.name, condition.wants, condition.holds)


def _checks_of_stock(resource_class: str, amount: int) -> Iterator[_Check]:
    def holds(test: Callable[[Stock], bool]) -> conditions.Test:
        # Who has no inventory at all lacks that, and nothing else.
        return lambda provider, root: resource_class not in provider.stocks or test(provider.stocks[resource_class])

    def room(provider: Provider) -> tuple[str, float]:
        stock = provider.stocks[resource_class]
        free = _free(stock)
        reserved = f", {stock.reserved} of {stock.total} reserved" if stock.reserved else ""
        return f"{free} free of {stock.shown_capacity}{reserved}", max(0.0, 1 - free / amount)

    def units(provider: Provider) -> tuple[str, float]:
        stock = provider.stocks[resource_class]
        return f"min_unit {stock.min_unit}, max_unit {stock.max_unit}, step_size {stock.step_size}", 0.0

    wants = f"{resource_class}:{amount}"
    yield _Check("inventory", resource_class, lambda provider, root: resource_class in provider.stocks, _nothing)
    yield _Check("capacity", wants, holds(lambda stock: stock.used + amount <= stock.capacity), room)
    yield _Check("units", wants, holds(lambda stock: stock.allows(amount)), units)


def _free(stock: Stock) -> int:
    return max(0, int(stock.capacity - stock.used))


def _nothing(provider: Provider) -> tuple[str, float]:
    return "", 1.0


# --- the whole ------------------------------------------------------------------------------------------------------
class _Explaining:
    def __init__(self, request: SearchRequest) -> None:
        self.request = request
        self.plan = Plan.of(request)
        self.root_conditions = conditions.of_root(request)
        groups = {group.suffix: group for group in request.groups}
        self.classes = list(dict.fromkeys(name for need in self.plan.needs for name in need.resources))
        self.checks = [list(_checks(need, groups[need.suffix])) for need in self.plan.needs]
        self.patience = Patience()
        self.answer = Explanation(
            groups=[
                Funnel(need.suffix, _in_words(need), [Step(check.condition, check.wants) for check in checks])
                for need, checks in zip(self.plan.needs, self.checks, strict=True)
            ]
        )
        self.root_steps = [Step(condition.name, condition.wants) for condition in self.root_conditions]
        self.need_steps = [Step("served", _in_words(need)) for need in self.plan.needs]
        self.rule_steps = [
            Step("together", rule.words) for rule in merge.rules_of(self.plan, [[] for _ in self.checks])
        ]
        self.answer.whole = [*self.root_steps, *self.need_steps, *self.rule_steps]

    def of(self, snapshots: Iterable[Snapshot]) -> Explanation:
        misses: list[Miss] = []
        for snapshot in snapshots:
            for tree in snapshot.trees:
                self._count_members(tree)
            for anchor in snapshot.anchors():
                lacks = self._lacks(anchor)
                if lacks:
                    misses.append(Miss(anchor.root, tuple(lacks)))
            misses = heapq.nsmallest(NEAREST, misses, key=lambda miss: miss.distance)
        self.answer.nearest = misses
        return self.answer

    def _count_members(self, tree: Tree) -> None:
        self.answer.roots += 1
        for provider in tree.members:
            self.answer.providers += 1
            self._measure(provider)
            for funnel, checks in zip(self.answer.groups, self.checks, strict=True):
                for step, check in zip(funnel.steps, checks, strict=True):
                    if not step.judge(provider, check.holds(provider, tree.root)):
                        break

    def _measure(self, provider: Provider) -> None:
        most = self.answer.most_free
        for name in self.classes:
            if name in provider.stocks and (free := _free(provider.stocks[name])) > most.get(name, (-1, ""))[0]:
                most[name] = free, provider.name

    def _lacks(self, anchor: Anchor) -> list[Lack]:
        """What keeps this root from having a candidate; nothing if it has one."""
        root = anchor.root
        lacks = [
            Lack(condition.name, condition.wants, root.name)
            for condition in self.root_conditions
            if not condition.holds(root, root)
        ]
        options = [need.options(anchor) for need in self.plan.needs]
        for served, checks in zip(options, self.checks, strict=True):
            if not served:
                lacks.extend(_least_lacks(anchor, checks))
        kept = self._rules_kept(options) if all(options) else 0
        if not lacks and kept < len(self.rule_steps):
            lacks.append(Lack("together", self.rule_steps[kept].wants, root.name))
        self._count_root(anchor, options, kept)
        return lacks

    def _count_root(self, anchor: Anchor, options: Sequence[Sequence[Provider]], kept: int) -> None:
        root = anchor.root
        passes = [
            *(condition.holds(root, root) for condition in self.root_conditions),
            *map(bool, options),
            *(index < kept for index in range(len(self.rule_steps))),
        ]
        for step, each in zip(self.answer.whole, passes, strict=True):
            if not step.judge(root, each):
                return

    def _rules_kept(self, options: Sequence[Sequence[Provider]]) -> int:
        """How many of the rules, from the first on, some combination keeps all at once."""
        rules = merge.rules_of(self.plan, options)
        for count in range(1, len(rules) + 1):
            if next(merge.keeping(rules[:count], options, Effort(self.patience)), None) is None:
                return count - 1
        return len(rules)


def _least_lacks(anchor: Anchor, checks: Sequence[_Check]) -> list[Lack]:
    """What the provider lacks that lacks least, of those that could serve this anchor."""
    each = (
        [check.lack(provider) for check in checks if not check.holds(provider, anchor.root)]
        for provider in anchor.members
    )
    return min(each, key=_distance)


def _in_words(need: Need) -> str:
    amounts = ",".join(f"{resource_class}:{amount}" for resource_class, amount in need.resources.items())
    return f"resources{need.suffix}={amounts}" if amounts else f"a provider for {need.suffix}"
