"""Others may want to change something of theirs in the very transaction in which a node changes. They are told here.

This app does not know who listens.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol

from claimsite.foundation.origin import Origin
from claimsite.foundation.transactions import needs_transaction
from ironic_app.models import Node


class Observer(Protocol):
    def __call__(self, *, node: Node, changed: Collection[str] | None, origin: Origin, is_gone: bool) -> None:
        """``changed``: the attributes that were written, None for a node that is new or gone."""


_observers: list[Observer] = []


def listen(observer: Observer) -> None:
    if observer not in _observers:
        _observers.append(observer)


@needs_transaction
def tell(*, node: Node, changed: Collection[str] | None, origin: Origin, is_gone: bool = False) -> None:
    """What an observer raises refuses the change of the node."""
    for observer in _observers:
        observer(node=node, changed=changed, origin=origin, is_gone=is_gone)
