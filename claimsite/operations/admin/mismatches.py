"""What the pages of Placement learn from the nodes: which providers lost theirs, which consumers still have one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.http import urlencode

from claimsite.foundation.admin.lists import ChoiceFilter
from claimsite.foundation.findings import Colour, Finding, chunks
from claimsite.operations import findings, home, sights
from claimsite.operations.admin import panels
from claimsite.operations.admin.finding_acts import Retire
from claimsite.operations.admin.nodes import OF_NODES, TONES
from claimsite.operations.findings import CODES
from ironic_app.models import Node
from placement_app.admin.consumer_acts import ReleaseClaims
from placement_app.admin.consumers import ConsumerAdmin
from placement_app.admin.providers import ProviderAdmin
from placement_app.models import Consumer

MOST_JUDGED = 1000
"""The home page counts no further: what is wrong with a thousand nodes is wrong with the site."""


class NodeGoneFilter(ChoiceFilter):
    title = "node"
    parameter_name = "node"

    def lookups(self, request: HttpRequest, model_admin: Any) -> Sequence[tuple[str, str]]:
        return [("gone", "its node is gone")]

    def narrow(self, queryset: QuerySet, value: str) -> QuerySet:
        lost = [finding.subject for finding in findings.without_nodes() if finding.colour is not Colour.GREY]
        return queryset.filter(uuid__in=lost)


def of_machines() -> Iterable[home.Finding]:
    """For the home page: how many of each kind, in the order of harm, and whether anything can be done at once."""
    all_found = list(_findings())
    counts = Counter((found.code, found.colour) for found in all_found)
    for code, text in CODES.items():
        colours = [colour for colour in TONES if counts[code, colour]]
        if colours and code != "in_flight":
            number = sum(counts[code, colour] for colour in colours)
            yield home.Finding(f"{code}: {text}", number, _url(code), TONES[colours[0]])
    yield from _too_young([found for found in all_found if found.code == "in_flight"])


def _too_young(in_flight: Sequence[Finding]) -> Iterable[home.Finding]:
    """What may turn out broken: nodes have a list of it, which says when; the rest is only counted."""
    subjects = {found.subject for found in in_flight}
    nodes = {found.subject for found in in_flight if findings.kind(found) in OF_NODES}
    yield home.Finding("too young to tell", len(nodes), _url("in_flight"), home.WAITS)
    yield home.Finding(
        "providers or allocations without a node, too young to tell", len(subjects - nodes), "", home.WAITS
    )


def _findings() -> Iterator[Finding]:
    judged = 0
    for part in chunks(sights.suspicious()):
        yield from chain.from_iterable(findings.of_nodes(part).values())
        judged += len(part)
        if judged >= MOST_JUDGED:
            break
    yield from islice(findings.without_nodes(), MOST_JUDGED)
    yield from islice(findings.lost_allocations(), MOST_JUDGED)


def _url(code: str) -> str:
    model, query = {
        "no_node": ("placement_app_resourceprovider", {"node": "gone"}),
        "allocation_without_node": ("ironic_app_allocation", {"state": "lost"}),
    }.get(code, ("ironic_app_node", {"mismatch": code}))
    return f"{reverse(f'admin:{model}_changelist')}?{urlencode(query)}"


def guard(consumer: Consumer) -> Iterable[str]:
    """A consumer that is a node's instance gives the node back first: half a release is how mismatches start."""
    node = Node.objects.filter(instance_uuid=consumer.uuid).first()
    if node is not None:
        yield f"Node {node} ({node.provision_state}) has it as its instance: release the node, which releases both."


def extend_pages() -> None:
    ProviderAdmin.list_filter = (*ProviderAdmin.list_filter, NodeGoneFilter)
    ProviderAdmin.acts = (*ProviderAdmin.acts, Retire)
    ReleaseClaims.guards.append(guard)
    ProviderAdmin.add_panel(panels.of_provider)
    ConsumerAdmin.add_panel(panels.of_consumer)
