from __future__ import annotations

from django.db import models

from placement_app.models.providers import ResourceProvider
from placement_app.models.vocabulary import ResourceClass

MAX_INTEGER = 2147483647


class Inventory(models.Model):
    """How much of one resource class a provider has, and how much of that is claimed."""

    provider = models.ForeignKey(ResourceProvider, models.CASCADE, related_name="inventories", db_index=False)
    resource_class = models.ForeignKey(
        ResourceClass, models.PROTECT, to_field="name", db_column="resource_class", related_name="inventories"
    )
    total = models.IntegerField()
    reserved = models.IntegerField(default=0)
    min_unit = models.IntegerField(default=1)
    max_unit = models.IntegerField(default=MAX_INTEGER)
    step_size = models.IntegerField(default=1)
    allocation_ratio = models.FloatField(default=1.0)
    used = models.BigIntegerField(default=0)
    """The sum of the allocations, kept by services.allocations under the provider's lock, so that no search sums."""
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["pk"]
        verbose_name_plural = "inventories"
        constraints = [
            models.UniqueConstraint(fields=["provider", "resource_class"], name="one_inventory_a_class"),
            models.CheckConstraint(condition=models.Q(used__gte=0), name="inventory_used_is_not_negative"),
        ]

    def __str__(self) -> str:
        return f"{self.total} {self.resource_class_id}"

    @property
    def capacity(self) -> float:
        """What may be claimed in all: (total - reserved) × allocation_ratio, not rounded."""
        return (self.total - self.reserved) * self.allocation_ratio

    def is_overdrawn(self, used: float) -> bool:
        """Whether ``used`` is more than there is. What is reserved in full is shut, not overdrawn: so whole machines
        are described while somebody has them."""
        is_shut = self.reserved >= self.total and used <= self.total * self.allocation_ratio
        return used > self.capacity and not is_shut

    @property
    def extent(self) -> float:
        """How much there is, for people: the capacity, or of what is shut while somebody has it, what they have. So a
        whole machine that is held is full, and not over."""
        return self.capacity if self.is_overdrawn(self.used) else max(self.capacity, self.used)
