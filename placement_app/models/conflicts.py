from __future__ import annotations

from django.db import models


class ConflictRecord(models.Model):
    """A write that was refused because of what others hold or did. Survives the rolled-back transaction.

    Refers by uuid and keeps the facts as they were: the story must stay readable when its things are gone.
    """

    created_at = models.DateTimeField(auto_now_add=True, db_index=True)
    operation = models.CharField(max_length=64)
    """Which service verb was refused, e.g. ``allocations.replace``."""
    reason = models.CharField(max_length=64, db_index=True)
    """The name of the error, e.g. ``CapacityExceeded``: finer than the wire code."""
    code = models.CharField(max_length=64)
    text = models.TextField()
    facts = models.JSONField(default=dict)
    consumer_uuid = models.CharField(max_length=36, blank=True, db_index=True)
    provider_uuid = models.CharField(max_length=36, blank=True, db_index=True)
    attempts = models.PositiveIntegerField(default=1)
    """How often the server tried before it let the refusal out."""
    door = models.CharField(max_length=16)
    actor = models.CharField(max_length=255, blank=True)
    request_id = models.CharField(max_length=255, blank=True, db_index=True)

    class Meta:
        verbose_name = "conflict"
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.reason} {self.consumer_uuid}"
