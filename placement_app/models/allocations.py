from __future__ import annotations

from django.db import models

from placement_app.models.consumers import Consumer
from placement_app.models.providers import ResourceProvider
from placement_app.models.vocabulary import ResourceClass


class Allocation(models.Model):
    """So much of one class of one provider, held by one consumer. Written by services.allocations only."""

    # The unique constraint begins with the consumer and serves its look-ups.
    consumer = models.ForeignKey(
        Consumer, models.PROTECT, db_column="consumer_uuid", related_name="allocations", db_index=False
    )
    provider = models.ForeignKey(ResourceProvider, models.PROTECT, related_name="allocations")
    resource_class = models.ForeignKey(
        ResourceClass, models.PROTECT, to_field="name", db_column="resource_class", related_name="+", db_index=False
    )
    used = models.IntegerField()
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["consumer", "provider", "resource_class"], name="one_allocation_a_consumer_provider_and_class"
            )
        ]

    def __str__(self) -> str:
        return f"{self.used} {self.resource_class_id}"
