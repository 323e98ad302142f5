from __future__ import annotations

from django.db import models


class Consumer(models.Model):
    """Whoever holds allocations: an instance, a migration, a node's owner. Exists exactly while it holds some.

    Project, user and type are opaque words of other services, so they are plain columns: there is no row of their own
    that a refused claim could leave behind.
    """

    uuid = models.CharField(max_length=36, primary_key=True)
    generation = models.BigIntegerField(default=0)
    """Moves by one with every write of the consumer's claims; the first visible value is 1."""
    project_id = models.CharField(max_length=255)
    user_id = models.CharField(max_length=255)
    consumer_type = models.CharField(max_length=255, null=True, blank=True)
    """None until a client new enough to know types has written it; shown as ``unknown``."""
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["pk"]
        indexes = [
            models.Index(fields=["project_id", "user_id"], name="consumers_of_a_project"),
            models.Index(fields=["created_at", "uuid"], name="consumers_by_age"),
        ]

    def __str__(self) -> str:
        return self.uuid
