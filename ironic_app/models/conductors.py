from __future__ import annotations

from django.db import models
from django.db.models.functions import Lower

from ironic_app.models.documents import DocumentField


class Conductor(models.Model):
    """A process that takes nodes from state to state. Host names are the same whatever their case."""

    hostname = models.CharField(max_length=255)
    conductor_group = models.CharField(max_length=255, default="", blank=True)
    drivers = DocumentField(default=list, blank=True)
    last_seen_at = models.DateTimeField(null=True, blank=True)
    """None once it has signed off."""
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["pk"]
        constraints = [models.UniqueConstraint(Lower("hostname"), name="one_conductor_a_host")]

    def __str__(self) -> str:
        return self.hostname
