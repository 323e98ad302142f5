from __future__ import annotations

from django.db import models
from django.utils import timezone

from ironic_app.models.documents import DocumentField
from ironic_app.models.nodes import Node


class PortGroup(models.Model):
    """Ports of one node that act as one."""

    uuid = models.CharField(max_length=36)
    name = models.CharField(max_length=255, null=True, blank=True)
    address = models.CharField(max_length=18, null=True, blank=True)
    node = models.ForeignKey(Node, models.CASCADE, to_field="uuid", db_column="node_uuid", related_name="portgroups")
    mode = models.CharField(max_length=255, default="active-backup")
    properties = DocumentField(default=dict, blank=True)
    extra = DocumentField(default=dict, blank=True)
    internal_info = DocumentField(default=dict, blank=True)
    standalone_ports_supported = models.BooleanField(default=True)
    physical_network = models.CharField(max_length=64, null=True, blank=True)
    category = models.CharField(max_length=80, null=True, blank=True)
    dynamic_portgroup = models.BooleanField(default=False)
    created_at = models.DateTimeField(default=timezone.now)
    updated_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["uuid"], name="one_portgroup_a_uuid"),
            models.UniqueConstraint(fields=["name"], name="one_portgroup_a_name"),
            models.UniqueConstraint(fields=["address"], name="one_portgroup_an_address"),
        ]

    def __str__(self) -> str:
        return self.name or self.uuid


class Port(models.Model):
    """A network card's plug. ``address`` is the MAC address in lower case."""

    uuid = models.CharField(max_length=36)
    name = models.CharField(max_length=255, null=True, blank=True)
    address = models.CharField(max_length=64)
    node = models.ForeignKey(Node, models.CASCADE, to_field="uuid", db_column="node_uuid", related_name="ports")
    portgroup = models.ForeignKey(
        PortGroup,
        models.RESTRICT,
        to_field="uuid",
        db_column="portgroup_uuid",
        null=True,
        blank=True,
        related_name="ports",
    )
    extra = DocumentField(default=dict, blank=True)
    internal_info = DocumentField(default=dict, blank=True)
    local_link_connection = DocumentField(default=dict, blank=True)
    pxe_enabled = models.BooleanField(default=True)
    is_smartnic = models.BooleanField(default=False)
    physical_network = models.CharField(max_length=64, null=True, blank=True)
    description = models.CharField(max_length=255, null=True, blank=True)
    vendor = models.CharField(max_length=32, null=True, blank=True)
    category = models.CharField(max_length=80, null=True, blank=True)
    available_for_dynamic_portgroup = models.BooleanField(default=True)
    created_at = models.DateTimeField(default=timezone.now)
    updated_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["uuid"], name="one_port_a_uuid"),
            models.UniqueConstraint(fields=["name"], name="one_port_a_name"),
            models.UniqueConstraint(fields=["address"], name="one_port_an_address"),
        ]

    def __str__(self) -> str:
        return self.address


class VifAttachment(models.Model):
    """A virtual interface of some network service, bound to a port or a port group of a node."""

    node = models.ForeignKey(
        Node, models.CASCADE, to_field="uuid", db_column="node_uuid", related_name="vifs", db_index=False
    )
    vif_id = models.CharField(max_length=255)
    port = models.OneToOneField(Port, models.RESTRICT, null=True, blank=True, related_name="vif")
    portgroup = models.OneToOneField(PortGroup, models.RESTRICT, null=True, blank=True, related_name="vif")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        constraints = [models.UniqueConstraint(fields=["node", "vif_id"], name="one_attachment_a_node_and_vif")]

    def __str__(self) -> str:
        return self.vif_id
