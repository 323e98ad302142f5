"""Whose nodes a caller may see. Pure conditions, no queries."""

from __future__ import annotations

from django.db.models import Q

NOTHING = Q(pk__in=[])


def of_project(project: str | None) -> Q:
    """The nodes that a project owns or has on lease."""
    return Q(owner=project) | Q(lessee=project) if project else NOTHING
