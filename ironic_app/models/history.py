from __future__ import annotations

from django.db import models


class OwnershipEvent(models.Model):
    """One line of a node's story: who had it, who got it, who let it go, and who was refused.

    Append-only. What happened is written in the transaction that made it happen, a refusal after the rollback.
    It refers by uuid, not by key: the story outlives its node.
    """

    class Event(models.TextChoices):
        CLAIMED = "claimed"
        RELEASED = "released"
        CHANGED = "changed"
        """Owner or lessee went from one value to another, which an instance never does."""
        REFUSED = "refused"

    class Subject(models.TextChoices):
        INSTANCE = "instance_uuid"
        OWNER = "owner"
        LESSEE = "lessee"

    created_at = models.DateTimeField(auto_now_add=True, db_index=True)
    event = models.CharField(max_length=16, choices=Event.choices)
    subject = models.CharField(max_length=16, choices=Subject.choices, default=Subject.INSTANCE)
    node_uuid = models.CharField(max_length=36)
    node_name = models.CharField(max_length=255, null=True, blank=True)
    before = models.CharField(max_length=255, null=True, blank=True)
    """Who had it. Of a refused attempt: who has it still."""
    after = models.CharField(max_length=255, null=True, blank=True)
    """Who has it now. Of a refused attempt: for whom it was wanted."""
    allocation_uuid = models.CharField(max_length=36, null=True, blank=True)
    reason = models.CharField(max_length=64, blank=True)
    """Of a refused attempt: the name of the error, e.g. ``NodeAssociated``. Else what it was part of."""
    text = models.TextField(blank=True)
    generation = models.BigIntegerField(null=True, blank=True)
    """The node's generation after the write."""
    door = models.CharField(max_length=16)
    actor = models.CharField(max_length=255, blank=True)
    project = models.CharField(max_length=255, blank=True)
    request_id = models.CharField(max_length=255, blank=True, db_index=True)
    global_request_id = models.CharField(max_length=255, blank=True)

    class Meta:
        verbose_name = "line in the history of nodes"
        verbose_name_plural = "lines in the history of nodes"
        ordering = ["-pk"]
        indexes = [
            models.Index(fields=["node_uuid", "-id"], name="events_of_a_node"),
            models.Index(fields=["after"], name="events_towards_an_owner"),
            models.Index(fields=["before"], name="events_from_an_owner"),
        ]

    def __str__(self) -> str:
        return f"{self.event} {self.node_uuid}"


class NodeHistory(models.Model):
    """What the API calls a node's history: errors and changes of state, as they happened. Goes with its node."""

    uuid = models.CharField(max_length=36)
    node = models.ForeignKey("Node", models.CASCADE, to_field="uuid", db_column="node_uuid", related_name="history")
    created_at = models.DateTimeField(auto_now_add=True)
    severity = models.CharField(max_length=16)
    event_type = models.CharField(max_length=128)
    event = models.TextField(blank=True)
    conductor = models.CharField(max_length=255, blank=True)
    user = models.CharField(max_length=255, blank=True)

    class Meta:
        ordering = ["pk"]
        verbose_name_plural = "node history"
        constraints = [models.UniqueConstraint(fields=["uuid"], name="one_history_entry_a_uuid")]

    def __str__(self) -> str:
        return f"{self.severity} {self.event_type}"
