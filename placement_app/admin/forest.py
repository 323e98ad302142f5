"""A provider among others: its tree with what each has, and who shares with it. A fixed number of queries."""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime

from django.db.models import Max

from claimsite.foundation.admin.show import Fullness
from placement_app.models import Consumer, Inventory, ProviderAggregate, ProviderTrait, ResourceProvider

MOST_MEMBERS = 500
MOST_SHARING = 50

SHARING_TRAIT = "MISC_SHARES_VIA_AGGREGATE"


@dataclasses.dataclass(slots=True)
class Branch:
    provider: ResourceProvider
    is_here: bool
    stocks: list[Inventory] = dataclasses.field(default_factory=list)
    children: list[Branch] = dataclasses.field(default_factory=list)

    @property
    def worst(self) -> float:
        """The fullest stock of this provider and of all below it."""
        own = [Fullness(stock.used, stock.extent).share for stock in self.stocks]
        return max([*own, *(child.worst for child in self.children)], default=0.0)

    @property
    def holds_here(self) -> bool:
        return self.is_here or any(child.holds_here for child in self.children)

    @property
    def is_open(self) -> bool:
        """Small trees and the way to the provider itself stand open; the rest shows how full it is at worst."""
        return self.holds_here or len(self.children) <= 8

    @property
    def worst_percent(self) -> int:
        return min(int(self.worst * 100), 999)


@dataclasses.dataclass(frozen=True, slots=True)
class Tree:
    root: Branch | None
    size: int
    is_cut: bool


def tree_of(provider: ResourceProvider) -> Tree:
    members = list(ResourceProvider.objects.filter(root__uuid=provider.root_id).order_by("pk")[: MOST_MEMBERS + 1])
    is_cut = len(members) > MOST_MEMBERS
    branches = {member.uuid: Branch(member, member.uuid == provider.uuid) for member in members[:MOST_MEMBERS]}
    of_members = {branch.provider.pk: branch for branch in branches.values()}
    for stock in Inventory.objects.filter(provider__root__uuid=provider.root_id).order_by("resource_class__id", "pk"):
        if branch := of_members.get(stock.provider_id):
            branch.stocks.append(stock)
    for branch in branches.values():
        if branch.provider.parent_id in branches:
            branches[branch.provider.parent_id].children.append(branch)
    return Tree(branches.get(provider.root_id), len(members), is_cut)


def aggregates_of(provider: ResourceProvider) -> list[str]:
    return list(provider.aggregates.order_by("pk").values_list("aggregate_uuid", flat=True))


@dataclasses.dataclass(slots=True)
class Holder:
    consumer: Consumer
    since: datetime
    amounts: dict[str, int] = dataclasses.field(default_factory=dict)


def holders_of(provider: ResourceProvider, most: int) -> list[Holder]:
    """The consumers that claimed of the provider last, with all that they hold of it."""
    rows = provider.allocations.order_by()
    newest = rows.values_list("consumer_id").annotate(newest=Max("pk")).order_by("-newest")[:most]
    uuids = [uuid for uuid, _ in newest]
    holders: dict[str, Holder] = {}
    for row in rows.filter(consumer__in=uuids).select_related("consumer").order_by("pk"):
        holder = holders.setdefault(row.consumer_id, Holder(row.consumer, row.created_at))
        holder.amounts[row.resource_class_id] = row.used
    return [holders[uuid] for uuid in uuids if uuid in holders]


@dataclasses.dataclass(frozen=True, slots=True)
class Sharer:
    provider: ResourceProvider
    stocks: Sequence[Inventory]


def sharing_with(provider: ResourceProvider) -> list[Sharer]:
    """Those outside the tree that share what they have with it, by an aggregate in common."""
    of_tree = ProviderAggregate.objects.filter(provider__root__uuid=provider.root_id).values("aggregate_uuid")
    sharing = ProviderTrait.objects.filter(trait__name=SHARING_TRAIT).values("provider")
    found = list(
        ResourceProvider.objects.filter(
            pk__in=ProviderAggregate.objects.filter(aggregate_uuid__in=of_tree, provider__in=sharing).values("provider")
        )
        .exclude(root__uuid=provider.root_id)
        .order_by("name")[:MOST_SHARING]
    )
    stocks: dict[int, list[Inventory]] = defaultdict(list)
    if found:
        for stock in Inventory.objects.filter(provider__in=found).order_by("resource_class__id"):
            stocks[stock.provider_id].append(stock)
    return [Sharer(each, stocks[each.pk]) for each in found]
