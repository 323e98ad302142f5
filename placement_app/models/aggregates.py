from __future__ import annotations

from django.db import models

from placement_app.models.providers import ResourceProvider


class ProviderAggregate(models.Model):
    """Membership of a provider in an aggregate. Aggregates are nothing but uuids: they exist by being named.

    The order of rows is the order in which they were given.
    """

    provider = models.ForeignKey(ResourceProvider, models.CASCADE, related_name="aggregates", db_index=False)
    aggregate_uuid = models.CharField(max_length=36)

    class Meta:
        verbose_name = "aggregate"
        ordering = ["pk"]
        constraints = [models.UniqueConstraint(fields=["provider", "aggregate_uuid"], name="one_aggregate_a_provider")]
        indexes = [models.Index(fields=["aggregate_uuid", "provider"], name="providers_of_an_aggregate")]

    def __str__(self) -> str:
        return self.aggregate_uuid
