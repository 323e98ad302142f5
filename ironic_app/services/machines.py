"""Real bare-metal machines become nodes that are free: powered off, available, with a port for each network card.

Loading adds and corrects; it never takes anything away, and what was decided here stays: who has a node, its state, its
name, its resource class, further properties, traits and ports. So a file can be loaded again at any time.
"""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from django.db import IntegrityError
from django.db.models import Q
from django.utils import timezone

from claimsite.foundation.origin import Origin
from claimsite.foundation.transactions import needs_transaction, write_transaction
from claimsite.machines import names, traits
from claimsite.machines.record import Machine, NetworkCard
from ironic_app import errors, locks, states
from ironic_app.models import Node, Port
from ironic_app.services import drivers, node_rows

DRIVER = "fake-hardware"


@dataclasses.dataclass(slots=True)
class Report:
    """The names of the machines by what became of their nodes, and how many ports these lacked and had."""

    created: list[str] = dataclasses.field(default_factory=list)
    changed: list[str] = dataclasses.field(default_factory=list)
    unchanged: list[str] = dataclasses.field(default_factory=list)
    new_ports: int = 0
    known_ports: int = 0

    def add(self, other: Report) -> None:
        self.created += other.created
        self.changed += other.changed
        self.unchanged += other.unchanged
        self.new_ports += other.new_ports
        self.known_ports += other.known_ports


def preview(*, machines: Mapping[str, Machine]) -> Report:
    """What ``load`` would do now, and what it would raise. Changes nothing."""
    return _report(_plan(machines, _existing(machines)))


@locks.waits_for_node
@write_transaction
def load(*, machines: Mapping[str, Machine], origin: Origin) -> Report:
    """Make sure that each machine is a node that has what the machine has: all of these machines, or none.

    ``machines``: by the uuid that a new node gets. A node is the machine's if it has this uuid, or else its name.

    Raises UnknownDriverInBody where fake hardware is not served; NodeLocked if a node that has to be corrected is
    worked on; PartExists if a network card is another node's.
    """
    if DRIVER not in drivers.names():
        raise errors.UnknownDriverInBody(driver=DRIVER)
    known = {uuid: node.pk for uuid, node in _existing(machines).items()}
    locked = Node.objects.order_by("pk").select_for_update().in_bulk(known.values())
    plan = _plan(machines, {uuid: locked[key] for uuid, key in known.items() if key in locked})
    for item in plan:
        if item.node is not None and item.lacks_something:
            locks.ensure_free(item.node)
            if item.changes:
                node_rows.write(node=item.node, changes=item.changes, origin=origin)
    new = {item.uuid: _node(item) for item in plan if item.node is None}
    node_rows.insert_all(nodes=list(new.values()), origin=origin)
    _plug_in(plan)
    return _report(plan)


# --- beneath the verbs ------------------------------------------------------------------------------------------------
@dataclasses.dataclass(slots=True)
class _Item:
    """One machine, its node if there is one, and what that node lacks."""

    uuid: str
    machine: Machine
    node: Node | None
    changes: dict[str, Any]
    cards: list[NetworkCard]

    @property
    def lacks_something(self) -> bool:
        return bool(self.changes or self.cards)


def _existing(machines: Mapping[str, Machine]) -> dict[str, Node]:
    """Machine's uuid → its node."""
    found = list(Node.objects.filter(Q(uuid__in=machines) | Q(name__in=[one.name for one in machines.values()])))
    by_uuid = {node.uuid: node for node in found}
    by_name = {node.name: node for node in found}
    nodes = {uuid: by_uuid.get(uuid) or by_name.get(machine.name) for uuid, machine in machines.items()}
    return {uuid: node for uuid, node in nodes.items() if node is not None}


def _plan(machines: Mapping[str, Machine], existing: Mapping[str, Node]) -> list[_Item]:
    """Raises PartExists."""
    macs = [card.mac for machine in machines.values() for card in machine.cards]
    owners = dict(Port.objects.filter(address__in=macs).values_list("address", "node_id"))
    plan = []
    for uuid, machine in machines.items():
        node = existing.get(uuid)
        for card in machine.cards:
            if owners.get(card.mac, node and node.uuid) != (node and node.uuid):
                raise errors.PartExists(what=f"port with MAC address {card.mac}")
        plan.append(
            _Item(
                uuid=uuid,
                machine=machine,
                node=node,
                changes=_changes(node, machine) if node else {},
                cards=[card for card in machine.cards if card.mac not in owners],
            )
        )
    return plan


def _changes(node: Node, machine: Machine) -> dict[str, Any]:
    wanted = {
        "resource_class": node.resource_class or machine.cluster,
        # Capabilities are a text in which operators write, too.
        "properties": node.properties | _properties(machine) | _only(node.properties, "capabilities"),
        "traits": sorted({*node.traits, *traits.of(machine)}),
    }
    return {name: value for name, value in wanted.items() if getattr(node, name) != value}


def _only(document: Mapping[str, Any], key: str) -> dict[str, Any]:
    return {key: document[key]} if key in document else {}


def _properties(machine: Machine) -> dict[str, Any]:
    properties: dict[str, Any] = {
        "cpus": machine.cpus,
        "cpu_arch": machine.architecture,
        "memory_mb": machine.memory_mb,
        "local_gb": machine.disk_gb,
    }
    if machine.virtualization:
        properties["capabilities"] = "cpu_vt:true"
    return properties


def _node(item: _Item) -> Node:
    machine = item.machine
    return Node(
        uuid=item.uuid,
        name=machine.name,
        driver=DRIVER,
        provision_state=states.AVAILABLE,
        provision_updated_at=timezone.now(),
        power_state=states.POWER_OFF,
        resource_class=machine.cluster,
        properties=_properties(machine),
        traits=sorted(traits.of(machine)),
        description=f"{machine.chassis or machine.cluster} in {machine.site}",
        extra={"site": machine.site, "cluster": machine.cluster, "cpu_model": machine.cpu_model}
        | ({"gpus": dict(machine.gpus)} if machine.gpus else {}),
        **drivers.DEFAULT_INTERFACES,
    )


@needs_transaction
def _plug_in(plan: Sequence[_Item]) -> None:
    ports = [
        Port(
            uuid=names.derived_uuid("port", item.machine.source, card.mac),
            address=card.mac,
            node_id=item.node.uuid if item.node else item.uuid,
            # The other fabrics carry data, but machines don't boot from them.
            pxe_enabled=card.enabled and card.interface == "Ethernet",
            description=f"{card.gbps} Gbit/s {card.interface}",
        )
        for item in plan
        for card in item.cards
    ]
    try:
        Port.objects.bulk_create(ports)
    except IntegrityError as error:
        raise errors.NodesCreatedMeanwhile() from error


def _report(plan: Sequence[_Item]) -> Report:
    sorted_out: defaultdict[str, list[str]] = defaultdict(list)
    for item in plan:
        place = "created" if item.node is None else "changed" if item.lacks_something else "unchanged"
        sorted_out[place].append(item.machine.name)
    new = sum(len(item.cards) for item in plan)
    return Report(
        **sorted_out,
        new_ports=new,
        known_ports=sum(len(item.machine.cards) for item in plan) - new,
    )
