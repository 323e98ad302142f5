"""Small clouds in memory, and requests in the words of the API, for tests of the search itself."""

import re
from collections.abc import Iterable
from urllib.parse import parse_qs

from claimsite.foundation.openstack.microversion import Microversion
from placement_app.api import features
from placement_app.api.parse import candidates as parse
from placement_app.api.parse.queries import Grammar
from placement_app.candidates.limits import Bounds
from placement_app.candidates.request import SearchRequest
from placement_app.candidates.result import Candidate, Result
from placement_app.candidates.search import in_trees_by_root, search
from placement_app.candidates.snapshot import SHARING, Provider, Snapshot, Stock, Tree

ONE_ANCHOR_AFTER_ANOTHER = Bounds(breadth_first=False)


def uuid_of(name: str) -> str:
    """One uuid for each name, so that aggregates can be named before anyone is in them."""
    digits = f"{name.encode().hex():0>32}"[-32:]
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


class Cloud:
    """Providers by name. Keys are given in the order of creation."""

    def __init__(self) -> None:
        self.providers: dict[str, Provider] = {}

    def add(
        self,
        name: str,
        parent: str | None = None,
        *,
        traits: Iterable[str] = (),
        aggregates: Iterable[str] = (),
        **stocks: int | Stock,
    ) -> Provider:
        above = self.providers[parent] if parent else None
        uuid = uuid_of(name)
        provider = Provider(
            pk=len(self.providers) + 1,
            uuid=uuid,
            name=name,
            root_uuid=above.root_uuid if above else uuid,
            parent_uuid=above.uuid if above else None,
            traits=frozenset(traits),
            aggregates=frozenset(map(uuid_of, aggregates)),
            stocks={name: Stock(stock) if isinstance(stock, int) else stock for name, stock in stocks.items()},
            lineage=frozenset([uuid]) | (above.lineage if above else frozenset()),
        )
        self.providers[name] = provider
        return provider

    def members(self) -> list[Provider]:
        return list(self.providers.values())

    def snapshot(self) -> Snapshot:
        trees = [
            Tree(root, [member for member in self.members() if member.root_uuid == root.uuid])
            for root in self.members()
            if root.parent_uuid is None
        ]
        return Snapshot(trees, [tree for tree in trees if any(SHARING in member.traits for member in tree.members)])

    def ask(self, query: str, version: str = "1.39") -> SearchRequest:
        """``resources=VCPU:1&in_tree=NUMA0&member_of=X``: providers and aggregates by their names here."""
        query = re.sub(
            r"((?:in_tree|member_of)\w*=)(!?(?:in:)?)([\w,]+)",
            lambda match: match[1] + match[2] + ",".join(map(uuid_of, match[3].split(","))),
            query,
        )
        values = parse_qs(query, keep_blank_values=True, strict_parsing=True)
        request = parse.search_request(values, Grammar.of(_feature(version)))
        return in_trees_by_root(request, {provider.uuid: provider.root_uuid for provider in self.members()})

    def result(self, query: str, version: str = "1.39", bounds: Bounds = ONE_ANCHOR_AFTER_ANOTHER) -> Result:
        return search(self.ask(query, version), [self.snapshot()], bounds)

    def find(self, query: str, version: str = "1.39", bounds: Bounds = ONE_ANCHOR_AFTER_ANOTHER) -> list[str]:
        """The candidates in words: ``CN1:VCPU=1 SS:DISK_GB=10``, and ``; 1→SS`` for each suffixed group."""
        return [in_words(candidate) for candidate in self.result(query, version, bounds).candidates]

    def summarised(self, query: str, version: str = "1.39") -> list[str]:
        """The names of the providers that an answer would summarise."""
        request, result = self.ask(query, version), self.result(query, version)
        return [provider.name for provider in (result.members() if request.nested else result.givers())]


def in_words(candidate: Candidate) -> str:
    taken = [
        f"{provider.name}:{','.join(f'{name}={amount}' for name, amount in amounts.items())}"
        for provider, amounts in candidate.amounts.items()
    ]
    groups = [f"; {suffix}→{serving[0].name}" for suffix, serving in candidate.mappings.items() if suffix]
    return " ".join(taken) + "".join(groups)


def _feature(version: str) -> Microversion:
    known = [feature for feature in vars(features).values() if isinstance(feature, Microversion)]
    return max(feature for feature in known if feature.minor <= int(version.partition(".")[2]))
