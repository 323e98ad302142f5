"""The list of providers, by what each provider is and has itself."""

from __future__ import annotations

import datetime
from typing import NamedTuple

from placement_app.models import ResourceProvider


class Listed(NamedTuple):
    """What a list shows of a provider. Whole rows would cost more than the rest of the answer."""

    uuid: str
    name: str
    generation: int
    parent_id: str | None
    root_id: str
    updated_at: datetime.datetime


def find(*, name: str | None = None, uuid: str | None = None, in_tree: str | None = None) -> list[Listed]:
    """The providers to which everything said applies, in order of creation.

    ``in_tree``: any member of the tree.
    """
    found = ResourceProvider.objects.order_by("pk")
    if name is not None:
        found = found.filter(name=name)
    if uuid is not None:
        found = found.filter(uuid=uuid)
    if in_tree is not None:
        found = found.filter(root__in=ResourceProvider.objects.filter(uuid=in_tree).values("root"))
    return [Listed._make(row) for row in found.values_list(*Listed._fields)]
