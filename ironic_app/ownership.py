"""Whose nodes a caller may see, and which version of a node a caller may change. Pure conditions, no queries."""

from __future__ import annotations

from collections.abc import Collection

from django.db.models import Q

NOTHING = Q(pk__in=[])


def of_project(project: str | None) -> Q:
    """The nodes that a project owns or has on lease."""
    return Q(owner=project) | Q(lessee=project) if project else NOTHING


def tag(pk: int, generation: int) -> str:
    """Names one state of one node. The key is in it since a deleted node's uuid may come back with a young node."""
    return f"{pk}-{generation}"


def is_expected(tag: str, expected: Collection[str] | None) -> bool:
    """Whether a caller who expects one of these tags may go on; None expects nothing."""
    return expected is None or tag in expected
