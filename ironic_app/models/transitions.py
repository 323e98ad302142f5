from __future__ import annotations

from django.db import models

from ironic_app.models.documents import DocumentField
from ironic_app.models.nodes import Node


class Transition(models.Model):
    """A change of state under way: the queue from which conductors take their work, one a node at most.

    Taken with SELECT … FOR UPDATE SKIP LOCKED; deleted when the node has arrived.
    """

    class Kind(models.TextChoices):
        PROVISION = "provision"
        POWER = "power"

    node = models.OneToOneField(Node, models.CASCADE, to_field="uuid", db_column="node_uuid", related_name="transition")
    kind = models.CharField(max_length=16, choices=Kind.choices)
    verb = models.CharField(max_length=32)
    arguments = DocumentField(default=dict, blank=True)
    due_at = models.DateTimeField()
    """Not to be carried on before."""
    taken_by = models.CharField(max_length=255, null=True, blank=True)
    """Host name of the conductor whose work it is for as long as that conductor lives; then others may take over."""
    attempts = models.PositiveIntegerField(default=0)
    """How many conductors have taken it."""
    door = models.CharField(max_length=16)
    actor = models.CharField(max_length=255, blank=True)
    project = models.CharField(max_length=255, blank=True)
    request_id = models.CharField(max_length=255, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["due_at", "pk"]
        indexes = [models.Index(fields=["due_at"], name="transitions_that_wait")]

    def __str__(self) -> str:
        return f"{self.verb} {self.node_id}"
