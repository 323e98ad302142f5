from __future__ import annotations

from django.db import models
from django.utils import timezone

from ironic_app.models.documents import DocumentField
from ironic_app.models.nodes import Node


class VolumeConnector(models.Model):
    """By what name a node speaks to storage."""

    uuid = models.CharField(max_length=36)
    node = models.ForeignKey(
        Node, models.CASCADE, to_field="uuid", db_column="node_uuid", related_name="volume_connectors"
    )
    type = models.CharField(max_length=32)
    connector_id = models.CharField(max_length=255)
    extra = DocumentField(default=dict, blank=True)
    created_at = models.DateTimeField(default=timezone.now)
    updated_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["uuid"], name="one_connector_a_uuid"),
            models.UniqueConstraint(fields=["type", "connector_id"], name="one_connector_a_type_and_id"),
        ]

    def __str__(self) -> str:
        return self.connector_id


class VolumeTarget(models.Model):
    """A volume that a node is to see."""

    uuid = models.CharField(max_length=36)
    node = models.ForeignKey(
        Node, models.CASCADE, to_field="uuid", db_column="node_uuid", related_name="volume_targets", db_index=False
    )
    volume_type = models.CharField(max_length=64)
    volume_id = models.CharField(max_length=36)
    boot_index = models.IntegerField()
    properties = DocumentField(default=dict, blank=True)
    extra = DocumentField(default=dict, blank=True)
    created_at = models.DateTimeField(default=timezone.now)
    updated_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["uuid"], name="one_target_a_uuid"),
            models.UniqueConstraint(fields=["node", "boot_index"], name="one_target_a_node_and_boot_index"),
        ]

    def __str__(self) -> str:
        return self.volume_id
