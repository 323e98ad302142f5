from __future__ import annotations

from django.db import models
from django.utils import timezone

from ironic_app.models.documents import DocumentField


class Chassis(models.Model):
    """A box that holds nodes."""

    uuid = models.CharField(max_length=36)
    description = models.CharField(max_length=255, null=True, blank=True)
    extra = DocumentField(default=dict, blank=True)
    created_at = models.DateTimeField(default=timezone.now)
    updated_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["pk"]
        verbose_name_plural = "chassis"
        constraints = [models.UniqueConstraint(fields=["uuid"], name="one_chassis_a_uuid")]

    def __str__(self) -> str:
        return self.description or self.uuid
