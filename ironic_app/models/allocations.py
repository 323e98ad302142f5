from __future__ import annotations

from django.db import models
from django.utils import timezone

from ironic_app.models.documents import DocumentField


class Allocation(models.Model):
    """A request for some node of a class, and once it is active the claim on that node.

    Which node it has is said by ``Node.allocation`` alone.
    """

    class State(models.TextChoices):
        ALLOCATING = "allocating"
        ACTIVE = "active"
        ERROR = "error"

    uuid = models.CharField(max_length=36)
    name = models.CharField(max_length=255, null=True, blank=True)
    owner = models.CharField(max_length=255, null=True, blank=True)
    state = models.CharField(max_length=16, choices=State.choices, default=State.ALLOCATING)
    last_error = models.TextField(null=True, blank=True)
    resource_class = models.CharField(max_length=80, null=True, blank=True)
    traits = DocumentField(default=list, blank=True)
    candidate_nodes = DocumentField(default=list, blank=True)
    extra = DocumentField(default=dict, blank=True)
    created_at = models.DateTimeField(default=timezone.now)
    updated_at = models.DateTimeField(null=True, blank=True)

    # --- the queue of those that wait for a node ---------------------------------------------------------------------
    due_at = models.DateTimeField(null=True, blank=True)
    """Not to be tried (again) by a conductor before."""
    attempts = models.PositiveIntegerField(default=0)
    """How often a node was looked for and none was to be had although some would suit."""
    door = models.CharField(max_length=16, blank=True)
    actor = models.CharField(max_length=255, blank=True)
    project = models.CharField(max_length=255, blank=True)
    request_id = models.CharField(max_length=255, blank=True)

    class Meta:
        verbose_name = "node allocation"
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["uuid"], name="one_allocation_a_uuid"),
            models.UniqueConstraint(fields=["name"], name="one_allocation_a_name"),
        ]
        indexes = [
            models.Index(fields=["owner"], name="allocations_of_an_owner"),
            models.Index(fields=["due_at"], condition=models.Q(state="allocating"), name="allocations_that_wait"),
        ]

    def __str__(self) -> str:
        return self.name or self.uuid
