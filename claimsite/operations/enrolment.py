"""Machines from files take their places: each as a provider of Placement, bare metal also as a node of Ironic."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from claimsite.foundation.origin import Origin
from claimsite.machines.record import Machine
from ironic_app.services import machines as node_machines
from placement_app.services import machines as provider_machines


@dataclasses.dataclass(slots=True)
class Report:
    providers: provider_machines.Report = dataclasses.field(default_factory=provider_machines.Report)
    nodes: node_machines.Report = dataclasses.field(default_factory=node_machines.Report)

    def add(self, other: Report) -> None:
        self.providers.add(other.providers)
        self.nodes.add(other.nodes)


def preview(*, machines: Sequence[Machine]) -> Report:
    """What ``load`` would do now. Changes nothing."""
    providers = provider_machines.preview(machines=machines)
    return Report(providers, node_machines.preview(machines=_bare_metal(machines, providers.uuids)))


def load(*, machines: Sequence[Machine], origin: Origin) -> Report:
    """Make sure that each machine has its provider, and each bare-metal machine the node of the same uuid.

    First all providers, then all nodes. Should the nodes be refused, the providers are there, and loading again does
    the rest.

    Raises what the two services raise.
    """
    providers = provider_machines.load(machines=machines, origin=origin)
    bare_metal = _bare_metal(machines, providers.uuids)
    return Report(
        providers, node_machines.load(machines=bare_metal, origin=origin) if bare_metal else node_machines.Report()
    )


def _bare_metal(machines: Sequence[Machine], uuids: Mapping[str, str]) -> dict[str, Machine]:
    """By the uuids of their providers."""
    return {uuids[machine.name]: machine for machine in machines if machine.is_bare_metal}
