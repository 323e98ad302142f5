"""Small clouds in memory, and requests in the words of the API, for tests of the search itself."""

import re
from collections.abc import Iterable
from typing import Any
from urllib.parse import parse_qs

from claimsite.foundation.openstack.microversion import Microversion
from placement_app import models
from placement_app.api import features
from placement_app.api.parse import candidates as parse
from placement_app.api.parse.queries import Grammar
from placement_app.candidates.groups import Plan
from placement_app.candidates.limits import Bounds
from placement_app.candidates.remembered import Memory
from placement_app.candidates.request import SearchRequest
from placement_app.candidates.result import Candidate, Result
from placement_app.candidates.search import search
from placement_app.candidates.snapshot import SHARING, Provider, Snapshot, Stock, Tree
from placement_app.models.vocabulary import FIRST_CUSTOM_ID, Name

ONE_ANCHOR_AFTER_ANOTHER = Bounds(breadth_first=False)


def uuid_of(name: str) -> str:
    """One uuid for each name, so that aggregates can be named before anyone is in them."""
    digits = f"{name.encode().hex():0>32}"[-32:]
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


class Cloud:
    """Providers by name. Keys are given in the order of creation."""

    def __init__(self) -> None:
        self.providers: dict[str, Provider] = {}
        self.words: dict[type[Name], Iterable[str]] = {}
        """Classes and traits that exist although no provider has them."""

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

    def store(self) -> None:
        """Make the database hold this cloud and no other. Keys stay as they are."""
        for model in (models.Inventory, models.ProviderTrait, models.ProviderAggregate):
            model.objects.all().delete()
        # Roots protect themselves from being deleted the usual way.
        models.ResourceProvider.objects.all()._raw_delete("default")
        self._store_vocabulary()
        models.ResourceProvider.objects.bulk_create(
            models.ResourceProvider(
                pk=provider.pk,
                uuid=provider.uuid,
                name=provider.name,
                parent_id=provider.parent_uuid,
                root_id=provider.root_uuid,
            )
            for provider in self.members()
        )
        models.Inventory.objects.bulk_create(
            models.Inventory(provider_id=provider.pk, resource_class_id=name, **stock._asdict())
            for provider in self.members()
            for name, stock in provider.stocks.items()
        )
        models.ProviderTrait.objects.bulk_create(
            models.ProviderTrait(provider_id=provider.pk, trait_id=trait)
            for provider in self.members()
            for trait in provider.traits
        )
        models.ProviderAggregate.objects.bulk_create(
            models.ProviderAggregate(provider_id=provider.pk, aggregate_uuid=aggregate)
            for provider in self.members()
            for aggregate in provider.aggregates
        )

    def _store_vocabulary(self) -> None:
        used: dict[Any, set[str]] = {
            models.ResourceClass: {name for provider in self.members() for name in provider.stocks},
            models.Trait: {trait for provider in self.members() for trait in provider.traits},
        }
        for model, names in used.items():
            known = set(model.objects.values_list("name", flat=True))
            model.objects.bulk_create(
                model(id=FIRST_CUSTOM_ID + len(known) + number, name=name)
                for number, name in enumerate(sorted((names | set(self.words.get(model, ()))) - known))
            )

    def members(self) -> list[Provider]:
        return list(self.providers.values())

    def snapshot(self) -> Snapshot:
        trees = tuple(
            Tree(root, [member for member in self.members() if member.root_uuid == root.uuid])
            for root in self.members()
            if root.parent_uuid is None
        )
        return Snapshot(trees, [tree for tree in trees if any(SHARING in member.traits for member in tree.members)])

    def ask(self, query: str, version: str = "1.39") -> SearchRequest:
        """``resources=VCPU:1&in_tree=NUMA0&member_of=X``: providers and aggregates by their names here."""
        query = re.sub(
            r"((?:in_tree|member_of)\w*=)(!?(?:in:)?)([\w,]+)",
            lambda match: match[1] + match[2] + ",".join(map(uuid_of, match[3].split(","))),
            query,
        )
        values = parse_qs(query, keep_blank_values=True, strict_parsing=True)
        request = parse.search_request(values, Grammar.of(feature(version)))
        return request.in_trees_by_root({provider.uuid: provider.root_uuid for provider in self.members()})

    def result(self, query: str, version: str = "1.39", bounds: Bounds = ONE_ANCHOR_AFTER_ANOTHER) -> Result:
        return search(Plan.of(self.ask(query, version)), [self.snapshot()], bounds, Memory(0))

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


def feature(version: str) -> Microversion:
    """The newest that a request of this version has."""
    known = [feature for feature in vars(features).values() if isinstance(feature, Microversion)]
    return max(feature for feature in known if feature.minor <= int(version.partition(".")[2]))
