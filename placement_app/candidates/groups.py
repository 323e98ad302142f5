"""A request as a list of needs: each is served whole by one provider."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from placement_app.candidates import conditions
from placement_app.candidates.conditions import Test
from placement_app.candidates.request import Alternatives, RequestGroup, SearchRequest
from placement_app.candidates.snapshot import Anchor, Provider


@dataclass(frozen=True, slots=True)
class Need:
    """One class of the unsuffixed group, or a suffixed group with all its classes, or with none."""

    suffix: str
    resources: Mapping[str, int]
    tests: tuple[Test, ...]

    def is_met_by(self, provider: Provider, root: Provider) -> bool:
        stocks = provider.stocks
        for resource_class, amount in self.resources.items():
            stock = stocks.get(resource_class)
            if stock is None or not stock.has_room(amount):
                return False
        return not self.tests or all(test(provider, root) for test in self.tests)

    def options(self, anchor: Anchor) -> list[Provider]:
        """Who can serve this need, if no other need is looked at; in order of their keys."""
        return [provider for provider in anchor.members if self.is_met_by(provider, anchor.root)]


@dataclass(frozen=True, slots=True)
class Demand:
    """So much of a class, wanted by the need with this index."""

    index: int
    amount: int


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """All that is known of a request before any provider is looked at.

    Needs of the unsuffixed group come first, then the suffixed groups as given.
    """

    request: SearchRequest
    needs: tuple[Need, ...]
    first_suffixed: int
    required_together: Alternatives
    """Traits that the providers of the unsuffixed group must have between them."""
    contended: Mapping[str, tuple[Demand, ...]]
    """The classes that more than one need asks for."""
    isolate: bool
    subtrees: tuple[frozenset[int], ...]
    """Indexes of needs that must be served within one subtree, headed by one of their providers."""
    one_provider_a_tree: bool
    root_tests: tuple[Test, ...]
    suffixes: tuple[str, ...]
    totals: Mapping[str, int]
    """What the whole request takes of each class."""

    @classmethod
    def of(cls, request: SearchRequest) -> Plan:
        unsuffixed, suffixed = request.unsuffixed, request.suffixed
        needs = [*(_needs_of_each_class(unsuffixed) if unsuffixed else ()), *map(_need_of_group, suffixed)]
        indexes = {need.suffix: index for index, need in enumerate(needs)}
        demands: dict[str, list[Demand]] = {}
        for index, need in enumerate(needs):
            for resource_class, amount in need.resources.items():
                demands.setdefault(resource_class, []).append(Demand(index, amount))
        return cls(
            request=request,
            needs=tuple(needs),
            first_suffixed=len(needs) - len(suffixed),
            required_together=unsuffixed.required if unsuffixed else (),
            contended={name: tuple(several) for name, several in demands.items() if len(several) > 1},
            isolate=request.isolate and len(suffixed) > 1,
            subtrees=tuple(
                frozenset(indexes[suffix] for suffix in suffixes)
                for suffixes in request.same_subtree
                if len(suffixes) > 1
            ),
            one_provider_a_tree=not request.nested,
            root_tests=tuple(condition.holds for condition in conditions.of_root(request)),
            suffixes=tuple(dict.fromkeys(need.suffix for need in needs)),
            totals={name: sum(demand.amount for demand in several) for name, several in demands.items()},
        )

    def accepts_root(self, root: Provider) -> bool:
        return all(test(root, root) for test in self.root_tests)


def _needs_of_each_class(group: RequestGroup) -> list[Need]:
    tests = tuple(condition.holds for condition in conditions.of_group(group))
    return [Need(group.suffix, {name: amount}, tests) for name, amount in group.resources.items()]


def _need_of_group(group: RequestGroup) -> Need:
    return Need(group.suffix, group.resources, tuple(condition.holds for condition in conditions.of_group(group)))
