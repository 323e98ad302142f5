from __future__ import annotations

from django.db import models

from ironic_app.models.documents import DocumentField


class ConflictRecord(models.Model):
    """A write that the present state forbade, whoever's state it was. Survives the rolled-back transaction.

    Refused attempts to take or release a node are not here: they are part of its story (OwnershipEvent).
    """

    created_at = models.DateTimeField(auto_now_add=True, db_index=True)
    operation = models.CharField(max_length=64)
    """Which service verb was refused, e.g. ``nodes.delete``."""
    reason = models.CharField(max_length=64, db_index=True)
    """The name of the error, e.g. ``NodeLocked``."""
    text = models.TextField()
    facts = DocumentField(default=dict)
    node_uuid = models.CharField(max_length=36, blank=True, db_index=True)
    attempts = models.PositiveIntegerField(default=1)
    """How often the server tried before it let the refusal out."""
    door = models.CharField(max_length=16)
    actor = models.CharField(max_length=255, blank=True)
    project = models.CharField(max_length=255, blank=True)
    request_id = models.CharField(max_length=255, blank=True, db_index=True)
    global_request_id = models.CharField(max_length=255, blank=True)

    class Meta:
        verbose_name = "refused write of a node"
        verbose_name_plural = "refused writes of nodes"
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.reason} {self.node_uuid}"
