"""Nodes as providers: with CLAIMSITE_MIRROR_NODES every node that has a resource class can be claimed in Placement.

Off where Nova does it itself. What Nova reports once a minute is here part of the transaction that changes the node, so
the two can't disagree: a node that is being cleaned is reserved before anybody can see it as free (LP #1974070).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

from django.conf import settings

from claimsite.foundation.origin import Origin
from claimsite.foundation.transactions import needs_transaction, write_transaction
from claimsite.machines.names import placement_class
from ironic_app import locks as node_locks
from ironic_app import states
from ironic_app.models import Node
from placement_app import locks
from placement_app.models import ResourceClass, ResourceProvider, Trait
from placement_app.services import generations, inventories, provider_traits, vocabulary
from placement_app.services.inventories import Record

_SEEN: Final = frozenset(
    {"name", "resource_class", "provision_state", "maintenance", "instance_uuid", "traits", "power_state"}
)
"""The attributes of a node that its provider shows."""


def follow(*, node: Node, changed: Collection[str] | None, origin: Origin, is_gone: bool) -> None:
    """Told of every change of a node, in its transaction."""
    if settings.MIRROR_NODES and (changed is None or not _SEEN.isdisjoint(changed)):
        _follow(node, is_gone=is_gone, origin=origin)


@write_transaction
def mirror(*, node_uuid: str, origin: Origin) -> None:
    """Bring one node's provider in step, whatever it is now: for nodes from before the mirror was on.

    Raises NodeNotFound.
    """
    _follow(node_locks.node(node_uuid), is_gone=False, origin=origin)


def is_claimable(node: Node) -> bool:
    return (
        node.provision_state == states.AVAILABLE
        and node.instance_uuid is None
        and not node.maintenance
        and node.power_state is not None
    )


@needs_transaction
def _follow(node: Node, *, is_gone: bool, origin: Origin) -> None:
    provider = ResourceProvider.objects.select_for_update(no_key=True).filter(uuid=node.uuid).first()
    if is_gone or not node.resource_class:
        if provider is not None:
            _retire(provider, origin)
        return
    if provider is None:
        provider = ResourceProvider.objects.create(uuid=node.uuid, root_id=node.uuid, name=_free_name(node))
    elif node.name and provider.name != node.name and provider.name != _free_name(node):
        provider.name = _free_name(node)
        provider.save(update_fields=["name", "updated_at"])
    _stock(provider, placement_class(node.resource_class), reserved=0 if is_claimable(node) else 1, origin=origin)
    _ensure(Trait, node.traits)
    provider_traits.write(provider, set(node.traits), origin)


def _stock(provider: ResourceProvider, resource_class: str, *, reserved: int, origin: Origin) -> None:
    """One unit of the class. A class that the node no longer has stays, all of it reserved, while it is claimed.
    Standard classes are somebody else's: what a machine consists of, say."""
    _ensure(ResourceClass, [resource_class])
    wanted = {resource_class: Record(total=1, reserved=reserved, max_unit=1)}
    present = {each.resource_class_id: each for each in provider.inventories.all()}
    for name, inventory in present.items():
        if not name.startswith("CUSTOM_"):
            wanted[name] = inventories.record_of(inventory)
        elif name != resource_class and inventory.used:
            wanted[name] = Record(total=1, reserved=1, max_unit=1)
    if {name: inventories.record_of(inventory) for name, inventory in present.items()} != wanted:
        _write(provider, wanted, origin)


def _retire(provider: ResourceProvider, origin: Origin) -> None:
    """Take the provider away; if something is still claimed of it, leave it with nothing more to give."""
    rows = list(provider.inventories.all())
    if not any(inventory.used for inventory in rows) and not provider.children.exists():
        provider.delete()
        return
    kept = {each.resource_class_id: Record(total=1, reserved=1, max_unit=1) for each in rows if each.used}
    _write(provider, kept, origin)


def _write(provider: ResourceProvider, records: Mapping[str, Record], origin: Origin) -> None:
    written = inventories.write(provider, records)
    generations.advance(provider)
    inventories.tell(provider, written.before, inventories.facts_of(written.inventories), origin)


def _ensure(model: type[ResourceClass] | type[Trait], names: Collection[str]) -> None:
    for name in sorted(set(names) - locks.names(model, names)):
        vocabulary.insert(model, name)


def _free_name(node: Node) -> str:
    """The node's name, unless another provider has it: a machine is not refused for its name's sake."""
    if node.name and not ResourceProvider.objects.filter(name=node.name).exclude(uuid=node.uuid).exists():
        return node.name[:200]
    return node.uuid
