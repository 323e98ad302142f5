"""One provider for each need, so that together they keep the rules: every way to do it, one at a time."""

from __future__ import annotations

import abc
import itertools
from collections.abc import Iterator, Sequence

from placement_app.candidates.conditions import in_words, meets
from placement_app.candidates.groups import Plan
from placement_app.candidates.seating import can_seat
from placement_app.candidates.snapshot import Anchor, Provider

Options = Sequence[Sequence[Provider]]
"""For each need, in the order of the plan, the providers that can serve it."""


class Rule(abc.ABC):
    """Something that needs have to agree on."""

    words: str
    """The rule in the words of the request, as far as it has words for it."""

    @abc.abstractmethod
    def admits(self, chosen: Sequence[Provider], provider: Provider) -> bool:
        """Whether ``provider`` may serve the next need, after ``chosen`` serve all those before it.

        It may look ahead: what can't be mended by any later choice should be refused early.
        """

    def is_hopeless(self, chosen: Sequence[Provider]) -> bool:
        """Whether the needs after ``chosen`` can't be served any more, whatever is chosen for them.

        A dear question, asked only after many steps in vain. True must be certain, False need not.
        """
        return False


class Patience:
    """How many steps in vain one search may make: what is asked for can be a packing puzzle without an end in sight.

    Steps that lead to a candidate are not counted.
    """

    def __init__(self, steps: int = 1_000_000) -> None:
        self.left = steps
        self.gave_up = False
        """Whether something was left unlooked at, so that candidates may be missing."""

    @property
    def is_spent(self) -> bool:
        return self.left <= 0


class Effort:
    """The steps made for one anchor since its last candidate."""

    FREE = 50
    """So many are not worth a thought; after them it pays to look ahead."""
    MOST = 50_000
    """So many on one anchor, and the others deserve a try."""

    def __init__(self, patience: Patience) -> None:
        self.patience = patience
        self.in_vain = 0

    @property
    def is_doubtful(self) -> bool:
        return self.in_vain > self.FREE

    def goes_on(self) -> bool:
        """Count one more step. False when it is one too many."""
        self.in_vain += 1
        if not self.is_doubtful:
            return True
        self.patience.left -= 1
        if self.patience.is_spent or self.in_vain > self.MOST:
            self.patience.gave_up = True
            return False
        return True

    def paid_off(self) -> None:
        self.in_vain = 0


def assignments(plan: Plan, anchor: Anchor, patience: Patience) -> Iterator[tuple[Provider, ...]]:
    """Every combination of providers that serves all needs, in order of the providers' keys.

    Lazy, and it remembers only where it is: ten thousand combinations take no more room than one.
    """
    options: list[list[Provider]] = []
    for need in plan.needs:
        options.append(need.options(anchor))
        if not options[-1]:
            return
    rules = rules_of(plan, options)
    yield from keeping(rules, options, Effort(patience)) if rules else itertools.product(*options)


def keeping(rules: Sequence[Rule], options: Options, effort: Effort) -> Iterator[tuple[Provider, ...]]:
    """Choose for one need after the other, and go back to the one before when nobody is left to choose."""
    chosen: list[Provider] = []
    waiting = [] if any(rule.is_hopeless(chosen) for rule in rules) else [iter(options[0])]
    while waiting and effort.goes_on():
        provider = next(waiting[-1], None)
        if provider is None:
            waiting.pop()
            del chosen[-1:]
        elif all(rule.admits(chosen, provider) for rule in rules):
            chosen.append(provider)
            if len(chosen) == len(options):
                yield tuple(chosen)
                effort.paid_off()
                chosen.pop()
            elif effort.is_doubtful and any(rule.is_hopeless(chosen) for rule in rules):
                chosen.pop()
            else:
                waiting.append(iter(options[len(chosen)]))


def rules_of(plan: Plan, options: Options) -> list[Rule]:
    """The rules that matter for this request; most requests have none."""
    rules: list[Rule] = []
    if plan.isolate:
        rules.append(Isolation(plan, options))
    if plan.one_provider_a_tree:
        rules.append(OneProviderATree())
    if plan.contended:
        rules.append(RoomForTheSum(plan, options))
    if plan.required_together:
        rules.append(TraitsTogether(plan, options))
    rules.extend(Subtree(plan, indexes, options) for indexes in plan.subtrees)
    return rules


class Isolation(Rule):
    """Suffixed groups are on different providers; the unsuffixed group may be on any."""

    words = "group_policy=isolate"

    def __init__(self, plan: Plan, options: Options) -> None:
        self.first_suffixed = plan.first_suffixed
        self.options = options

    def admits(self, chosen: Sequence[Provider], provider: Provider) -> bool:
        return provider not in chosen[self.first_suffixed :]

    def is_hopeless(self, chosen: Sequence[Provider]) -> bool:
        taken = chosen[self.first_suffixed :]
        waiting = self.options[max(self.first_suffixed, len(chosen)) :]
        return not can_seat(waiting, lambda provider: 0 if provider in taken else 1)


class OneProviderATree(Rule):
    """Clients that know no trees are not offered several providers of one."""

    words = "one provider of a tree"

    def admits(self, chosen: Sequence[Provider], provider: Provider) -> bool:
        return all(other is provider or other.root_uuid != provider.root_uuid for other in chosen)


class RoomForTheSum(Rule):
    """Needs that take the same class of the same provider fit into it together.

    Added up afresh for each combination: nothing is carried from one to the next.
    """

    def __init__(self, plan: Plan, options: Options) -> None:
        self.words = f"room for all groups that take {', '.join(plan.contended)}"
        self.contended = plan.contended
        self.options = options
        self.earlier = [
            [
                (resource_class, amount, [demand for demand in plan.contended[resource_class] if demand.index < index])
                for resource_class, amount in need.resources.items()
                if resource_class in plan.contended
            ]
            for index, need in enumerate(plan.needs)
        ]

    def admits(self, chosen: Sequence[Provider], provider: Provider) -> bool:
        for resource_class, amount, demands in self.earlier[len(chosen)]:
            total = amount + sum(demand.amount for demand in demands if chosen[demand.index] is provider)
            if total != amount and not provider.stocks[resource_class].holds(total):
                return False
        return True

    def is_hopeless(self, chosen: Sequence[Provider]) -> bool:
        return any(self._cannot_supply(resource_class, chosen) for resource_class in self.contended)

    def _cannot_supply(self, resource_class: str, chosen: Sequence[Provider]) -> bool:
        demands = self.contended[resource_class]
        waiting = [demand for demand in demands if demand.index >= len(chosen)]
        if not waiting:
            return False
        least = min(demand.amount for demand in waiting)

        def seats(provider: Provider) -> int:
            stock = provider.stocks[resource_class]
            taken = sum(d.amount for d in demands if d.index < len(chosen) and chosen[d.index] is provider)
            return max(0, int((min(stock.max_unit, stock.capacity - stock.used) - taken) // least))

        return not can_seat([self.options[demand.index] for demand in waiting], seats)


class TraitsTogether(Rule):
    """The providers of the unsuffixed group have its required traits between them."""

    def __init__(self, plan: Plan, options: Options) -> None:
        self.words = f"required={in_words(plan.required_together)}"
        self.size = plan.first_suffixed
        self.required = plan.required_together
        # For each index, what the needs of the unsuffixed group after it could still contribute.
        self.reach: list[frozenset[str]] = [frozenset()] * self.size
        for index in range(self.size - 1, 0, -1):
            self.reach[index - 1] = self.reach[index].union(*(provider.traits for provider in options[index]))

    def admits(self, chosen: Sequence[Provider], provider: Provider) -> bool:
        index = len(chosen)
        if index >= self.size:
            return True
        held = provider.traits.union(self.reach[index], *(other.traits for other in chosen))
        return meets(held, self.required)


class Subtree(Rule):
    """One of the providers of these needs is above all the others of them, or the same."""

    def __init__(self, plan: Plan, indexes: frozenset[int], options: Options) -> None:
        self.indexes = sorted(indexes)
        self.words = f"same_subtree={','.join(plan.needs[index].suffix for index in self.indexes)}"
        # For each index, the providers that needs after it could still bring in, to be the one above.
        self.reach = {
            index: frozenset(provider.uuid for later in indexes if later > index for provider in options[later])
            for index in indexes
        }

    def admits(self, chosen: Sequence[Provider], provider: Provider) -> bool:
        index = len(chosen)
        if index not in self.reach:
            return True
        named = [chosen[earlier] for earlier in self.indexes if earlier < index]
        above_all = provider.lineage.intersection(*(other.lineage for other in named))
        return (
            provider.uuid in above_all
            or any(other.uuid in above_all for other in named)
            or not above_all.isdisjoint(self.reach[index])
        )
