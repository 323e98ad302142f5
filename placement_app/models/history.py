from __future__ import annotations

from django.db import models


class ClaimEvent(models.Model):
    """One line of the claims' history: what a consumer held of a provider before and after one write.

    Append-only, and written in the transaction of the write itself, so it tells exactly what was committed.
    It refers by uuid, not by key: history outlives its things.
    """

    class Event(models.TextChoices):
        CLAIMED = "claimed"
        CHANGED = "changed"
        RELEASED = "released"

    created_at = models.DateTimeField(auto_now_add=True, db_index=True)
    event = models.CharField(max_length=16, choices=Event.choices)
    consumer_uuid = models.CharField(max_length=36, db_index=True)
    consumer_generation = models.BigIntegerField()
    """The consumer's generation after the write; of a consumer that is gone, the last it had."""
    project_id = models.CharField(max_length=255)
    user_id = models.CharField(max_length=255)
    provider_uuid = models.CharField(max_length=36, db_index=True)
    before = models.JSONField(default=dict)
    after = models.JSONField(default=dict)
    attempts = models.PositiveIntegerField(default=1)
    """How many tries the server needed: more than one where it absorbed lost races."""
    door = models.CharField(max_length=16)
    actor = models.CharField(max_length=255)
    request_id = models.CharField(max_length=255, db_index=True)
    reason = models.CharField(max_length=255, blank=True)

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.event} {self.consumer_uuid}"
