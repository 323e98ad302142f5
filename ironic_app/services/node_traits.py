"""Which traits a node has: a set that is changed under the lock of the node's row."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

import os_traits

from claimsite.foundation.origin import Origin
from claimsite.foundation.transactions import write_transaction
from ironic_app import errors, locks
from ironic_app.locks import FULL, Access
from ironic_app.services import node_rows
from ironic_app.services.conflict_log import records_refusals

MOST_TRAITS = 50
_CUSTOM = re.compile(r"CUSTOM_[A-Z0-9_]{1,248}").fullmatch
_STANDARD = frozenset(os_traits.get_traits())


@records_refusals("node_traits.replace")
@locks.waits_for_node
@write_transaction
def replace(*, ident: str, traits: Iterable[str], origin: Origin, access: Access = FULL) -> None:
    """Raises NodeNotFound, NodeLocked, Invalid for names that are no traits or for too many of them."""
    wanted = set(traits)
    ensure_valid(wanted)
    _change(ident, lambda _: wanted, origin, access)


@records_refusals("node_traits.add")
@locks.waits_for_node
@write_transaction
def add(*, ident: str, trait: str, origin: Origin, access: Access = FULL) -> None:
    """Raises NodeNotFound, NodeLocked, Invalid."""
    ensure_valid({trait})
    _change(ident, lambda had: had | {trait}, origin, access)


@records_refusals("node_traits.remove")
@locks.waits_for_node
@write_transaction
def remove(*, ident: str, trait: str, origin: Origin, access: Access = FULL) -> None:
    """Raises NodeNotFound, NodeLocked, NodeTraitNotFound."""

    def without(had: set[str]) -> set[str]:
        if trait not in had:
            raise KeyError(trait)
        return had - {trait}

    _change(ident, without, origin, access)


def _change(ident: str, change: Callable[[set[str]], set[str]], origin: Origin, access: Access) -> None:
    node = locks.node(ident, access=access)
    try:
        traits = change(set(node.traits))
    except KeyError as missing:
        raise errors.NodeTraitNotFound(node=node.uuid, trait=missing.args[0]) from None
    if len(traits) > MOST_TRAITS:
        raise errors.Invalid(text=f"Node {node.uuid} can not have more than {MOST_TRAITS} traits.")
    locks.ensure_free(node)
    if traits != set(node.traits):
        node_rows.write(node=node, changes={"traits": sorted(traits)}, origin=origin)


def ensure_valid(traits: Iterable[str]) -> None:
    """Raises Invalid for names that are no traits."""
    for trait in sorted(traits):
        if trait not in _STANDARD and not _CUSTOM(trait):
            raise errors.Invalid(
                text=f"Invalid trait {trait!r}: it must be a standard one, or CUSTOM_ followed by A-Z, 0-9 and _, "
                "and no longer than 255 characters."
            )
