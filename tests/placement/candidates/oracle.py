"""The definition of a candidate, written down as naively as it reads: try everything, keep what breaks no rule.

It shares nothing with the search but the data: no predicate, no order, no shortcut.
"""

import itertools
from collections.abc import Iterator

from placement_app.candidates.request import RequestGroup, SearchRequest
from placement_app.candidates.snapshot import Provider

Answer = tuple[frozenset[tuple[str, str, int]], frozenset[tuple[str, frozenset[str]]]]
"""(provider, class, amount) and (suffix, the providers serving that group)."""

Served = list[tuple[RequestGroup, dict[str, int], Provider]]
"""For each group, or each class of the unsuffixed one: what is taken, of whom."""


def candidates(request: SearchRequest, cloud: list[Provider]) -> set[Answer]:
    """Each candidate once, whichever anchors it belongs to."""
    found: set[Answer] = set()
    for anchor in cloud:
        if anchor.parent_uuid is None:
            for served in combinations(request, cloud):
                if keeps_every_rule(request, served, anchor, cloud):
                    found.add(answer(served))
    return found


def combinations(request: SearchRequest, cloud: list[Provider]) -> Iterator[Served]:
    parts: list[tuple[RequestGroup, dict[str, int]]] = []
    for group in request.groups:
        if group.suffix == "":
            parts += [(group, {name: amount}) for name, amount in group.resources.items()]
        else:
            parts.append((group, dict(group.resources)))
    having = [[provider for provider in cloud if taken.keys() <= provider.stocks.keys()] for _, taken in parts]
    for providers in itertools.product(*having):
        yield [(group, taken, provider) for (group, taken), provider in zip(parts, providers, strict=True)]


def answer(served: Served) -> Answer:
    sums: dict[tuple[str, str], int] = {}
    serving: dict[str, set[str]] = {}
    for group, taken, provider in served:
        serving.setdefault(group.suffix, set()).add(provider.uuid)
        for name, amount in taken.items():
            sums[provider.uuid, name] = sums.get((provider.uuid, name), 0) + amount
    return (
        frozenset((uuid, name, amount) for (uuid, name), amount in sums.items()),
        frozenset((suffix, frozenset(uuids)) for suffix, uuids in serving.items()),
    )


def keeps_every_rule(request: SearchRequest, served: Served, anchor: Provider, cloud: list[Provider]) -> bool:
    return (
        all(serves(provider, anchor, cloud) for _, _, provider in served)
        and root_fits(request, anchor)
        and all(group_fits(group, served, anchor) for group in request.groups)
        and units_fit(served)
        and sums_fit(served)
        and policy_fits(request, served)
        and all(subtree_fits(suffixes, served, cloud) for suffixes in request.same_subtree)
        and versions_fit(request, served)
    )


def serves(provider: Provider, anchor: Provider, cloud: list[Provider]) -> bool:
    if provider.root_uuid == anchor.uuid:
        return True
    shared_with = {name for member in cloud if member.root_uuid == anchor.uuid for name in member.aggregates}
    return "MISC_SHARES_VIA_AGGREGATE" in provider.traits and bool(shared_with & provider.aggregates)


def root_fits(request: SearchRequest, anchor: Provider) -> bool:
    return request.root_required <= anchor.traits and not request.root_forbidden & anchor.traits


def group_fits(group: RequestGroup, served: Served, anchor: Provider) -> bool:
    used = [provider for other, _, provider in served if other.suffix == group.suffix]
    together = set().union(*(provider.traits for provider in used))
    for alternatives in group.required:
        if not alternatives & together:
            return False
    for provider in used:
        if group.forbidden & provider.traits:
            return False
        if group.in_tree is not None and provider.root_uuid != group.in_tree:
            return False
        # An aggregate of the root counts for the unsuffixed group, and for the providers of its own tree only.
        spans = [provider.aggregates]
        if group.suffix == "" and provider.root_uuid == anchor.uuid:
            spans.append(anchor.aggregates)
        if not any(all(alternatives & span for alternatives in group.member_of) for span in spans):
            return False
        bad = provider.aggregates | (anchor.aggregates if group.suffix == "" else frozenset())
        if group.not_member_of & bad:
            return False
    return True


def units_fit(served: Served) -> bool:
    for _, taken, provider in served:
        for name, amount in taken.items():
            stock = provider.stocks[name]
            if amount < stock.min_unit or amount > stock.max_unit or amount % stock.step_size:
                return False
    return True


def sums_fit(served: Served) -> bool:
    stocks = {provider.uuid: provider.stocks for _, _, provider in served}
    for uuid, name, amount in answer(served)[0]:
        stock = stocks[uuid][name]
        if amount > stock.max_unit or stock.used + amount > (stock.total - stock.reserved) * stock.allocation_ratio:
            return False
    return True


def policy_fits(request: SearchRequest, served: Served) -> bool:
    if not request.isolate:
        return True
    suffixed = [provider.uuid for group, _, provider in served if group.suffix != ""]
    return len(suffixed) == len(set(suffixed))


def subtree_fits(suffixes: frozenset[str], served: Served, cloud: list[Provider]) -> bool:
    by_uuid = {provider.uuid: provider for provider in cloud}
    named = [provider for group, _, provider in served if group.suffix in suffixes]

    def is_above_or_same(high: Provider, low: Provider | None) -> bool:
        while low is not None:
            if low is high:
                return True
            low = by_uuid.get(low.parent_uuid or "")
        return False

    return any(all(is_above_or_same(high, low) for low in named) for high in named)


def versions_fit(request: SearchRequest, served: Served) -> bool:
    if request.nested:
        return True
    of_tree: dict[str, set[str]] = {}
    for _, _, provider in served:
        of_tree.setdefault(provider.root_uuid, set()).add(provider.uuid)
    return all(len(uuids) == 1 for uuids in of_tree.values())
