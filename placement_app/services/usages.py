"""How much is claimed: of a project, by whom. (What is claimed of a provider stands with its inventories.)"""

from __future__ import annotations

import dataclasses

from django.db.models import Count, QuerySet, Sum

from placement_app.models import Allocation, Consumer


@dataclasses.dataclass(slots=True)
class Usage:
    amounts: dict[str, int] = dataclasses.field(default_factory=dict)
    """Resource class → sum of what is claimed; classes without any are not in it."""
    consumer_count: int = 0


def of_project(*, project_id: str, user_id: str | None = None) -> dict[str, int]:
    """Resource class → sum of what the project, or one user in it, holds."""
    sums = (
        _allocations(project_id, user_id)
        .values_list("resource_class_id")
        .annotate(Sum("used"))
        .order_by("resource_class_id")
    )
    return {resource_class: int(used) for resource_class, used in sums}


def by_consumer_type(*, project_id: str, user_id: str | None = None) -> dict[str | None, Usage]:
    """Consumer type → what the project, or one user in it, holds under that type; None are consumers without one."""
    sums = (
        _allocations(project_id, user_id)
        .values_list("consumer__consumer_type", "resource_class_id")
        .annotate(Sum("used"))
        .order_by("consumer__consumer_type", "resource_class_id")
    )
    usages: dict[str | None, Usage] = {}
    for consumer_type, resource_class, used in sums:
        usages.setdefault(consumer_type, Usage()).amounts[resource_class] = int(used)
    consumers = Consumer.objects.filter(**_whose(project_id, user_id))
    for consumer_type, count in consumers.values_list("consumer_type").annotate(Count("pk")).order_by():
        if consumer_type in usages:
            usages[consumer_type].consumer_count = count
    return usages


def _allocations(project_id: str, user_id: str | None) -> QuerySet[Allocation]:
    return Allocation.objects.filter(**{f"consumer__{name}": it for name, it in _whose(project_id, user_id).items()})


def _whose(project_id: str, user_id: str | None) -> dict[str, str]:
    return {"project_id": project_id} if user_id is None else {"project_id": project_id, "user_id": user_id}
