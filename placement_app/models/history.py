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
        MOVED = "moved"
        """To another project or user. ``before`` and ``after`` are its owners; it is of no provider."""

    created_at = models.DateTimeField(auto_now_add=True, db_index=True)
    event = models.CharField(max_length=16, choices=Event.choices)
    consumer_uuid = models.CharField(max_length=36, db_index=True)
    consumer_generation = models.BigIntegerField()
    """The consumer's generation after the write; of a consumer that is gone, the last it had."""
    project_id = models.CharField(max_length=255)
    user_id = models.CharField(max_length=255)
    consumer_type = models.CharField(max_length=255, null=True, blank=True)
    """As the consumer's own: without it a released claim would come back as one of an unknown type."""
    provider_uuid = models.CharField(max_length=36, blank=True, db_index=True)
    """Empty for a move: it is of all that the consumer holds."""
    before = models.JSONField(default=dict)
    after = models.JSONField(default=dict)
    attempts = models.PositiveIntegerField(default=1)
    """How many tries the server needed: more than one where it absorbed lost races."""
    door = models.CharField(max_length=16)
    actor = models.CharField(max_length=255)
    request_id = models.CharField(max_length=255, db_index=True)
    reason = models.CharField(max_length=255, blank=True)

    class Meta:
        verbose_name = "line in the history of claims"
        verbose_name_plural = "lines in the history of claims"
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.event} {self.consumer_uuid}"


class ProviderEvent(models.Model):
    """One line of a provider's history: what one write changed of what it is and has. Claims of it are ClaimEvents.

    Append-only, and written in the transaction of the write itself. Keeps only what differs, so that whoever read an
    older generation can be told who changed what meanwhile.
    """

    class Subject(models.TextChoices):
        PROVIDER = "provider"
        """Its name and its parent; ``before`` is empty when it was created, ``after`` when it was deleted."""
        INVENTORIES = "inventories"
        TRAITS = "traits"
        AGGREGATES = "aggregates"

    created_at = models.DateTimeField(auto_now_add=True, db_index=True)
    subject = models.CharField(max_length=16, choices=Subject.choices)
    provider_uuid = models.CharField(max_length=36)
    generation = models.BigIntegerField()
    """The provider's generation after the write."""
    before = models.JSONField(default=dict)
    after = models.JSONField(default=dict)
    door = models.CharField(max_length=16)
    actor = models.CharField(max_length=255)
    request_id = models.CharField(max_length=255, db_index=True)
    reason = models.CharField(max_length=255, blank=True)

    class Meta:
        verbose_name = "line in the history of providers"
        verbose_name_plural = "lines in the history of providers"
        ordering = ["-pk"]
        indexes = [models.Index(fields=["provider_uuid", "-id"], name="events_of_a_provider")]

    def __str__(self) -> str:
        return f"{self.subject} of {self.provider_uuid}"
