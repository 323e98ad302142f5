from __future__ import annotations

from django.db import models
from django.utils import timezone

from ironic_app.models.allocations import Allocation
from ironic_app.models.chassis import Chassis
from ironic_app.models.documents import DocumentField


def word(length: int = 255) -> models.CharField[str | None, str | None]:
    """Text that may be unset; NULL and the empty string are different in the protocol."""
    return models.CharField(max_length=length, null=True, blank=True)


class Node(models.Model):
    """A machine, and who owns it. Written under its row's lock, by the services only.

    Its references (chassis, parent, allocation) are kept by uuid, so that showing a node needs no join.
    """

    uuid = models.CharField(max_length=36)
    generation = models.BigIntegerField(default=0)
    """Moves by one with every write but those of the lock (``reservation``). The API's ETag is made of it."""
    name = word()
    created_at = models.DateTimeField(default=timezone.now)
    updated_at = models.DateTimeField(null=True, blank=True)
    """None until the first change."""

    # --- whose it is ------------------------------------------------------------------------------------------------
    instance_uuid = word(36)
    """Who has the node now. From None to somebody and back, never from one to another."""
    instance_name = word()
    allocation = models.OneToOneField(
        Allocation,
        models.PROTECT,
        to_field="uuid",
        db_column="allocation_uuid",
        null=True,
        blank=True,
        related_name="node",
    )
    """The claim that gave the node to its instance, if one did: the only link between the two."""
    owner = word()
    """The project to which the node belongs for good; ``lessee`` has it for a while."""
    lessee = word()

    # --- the lock ---------------------------------------------------------------------------------------------------
    reservation = word()
    """Host name of the conductor (or whoever else) that works on the node: nobody else may write meanwhile."""
    reserved_at = models.DateTimeField(null=True, blank=True)

    # --- states -----------------------------------------------------------------------------------------------------
    provision_state = models.CharField(max_length=32, default="enroll")
    target_provision_state = word(32)
    provision_updated_at = models.DateTimeField(null=True, blank=True)
    power_state = word(32)
    target_power_state = word(32)
    last_error = models.TextField(null=True, blank=True)
    fault = word()
    health = word()
    maintenance = models.BooleanField(default=False)
    maintenance_reason = models.TextField(null=True, blank=True)
    console_enabled = models.BooleanField(default=False)
    boot_mode = word(32)
    secure_boot = models.BooleanField(null=True, blank=True)
    inspection_started_at = models.DateTimeField(null=True, blank=True)
    inspection_finished_at = models.DateTimeField(null=True, blank=True)
    clean_step = DocumentField(default=dict, blank=True)
    deploy_step = DocumentField(default=dict, blank=True)
    service_step = DocumentField(default=dict, blank=True)
    conductor = word()
    """The conductor in charge, by host name."""

    # --- what it is -------------------------------------------------------------------------------------------------
    resource_class = word(80)
    traits = DocumentField(default=list, blank=True)
    """Sorted names. A column and not a table: they are read with every node and replaced as a whole."""
    driver = models.CharField(max_length=255)
    driver_info = DocumentField(default=dict, blank=True)
    driver_internal_info = DocumentField(default=dict, blank=True)
    properties = DocumentField(default=dict, blank=True)
    instance_info = DocumentField(default=dict, blank=True)
    extra = DocumentField(default=dict, blank=True)
    network_data = DocumentField(default=dict, blank=True)
    raid_config = DocumentField(default=dict, blank=True)
    target_raid_config = DocumentField(default=dict, blank=True)
    description = models.TextField(null=True, blank=True)
    conductor_group = models.CharField(max_length=255, default="", blank=True)
    shard = word()
    chassis = models.ForeignKey(
        Chassis,
        models.PROTECT,
        to_field="uuid",
        db_column="chassis_uuid",
        null=True,
        blank=True,
        related_name="nodes",
    )
    parent = models.ForeignKey(
        "self",
        models.PROTECT,
        to_field="uuid",
        db_column="parent_node",
        null=True,
        blank=True,
        related_name="children",
    )

    # --- what may be done to it -------------------------------------------------------------------------------------
    automated_clean = models.BooleanField(null=True, blank=True)
    protected = models.BooleanField(default=False)
    protected_reason = models.TextField(null=True, blank=True)
    retired = models.BooleanField(default=False)
    retired_reason = models.TextField(null=True, blank=True)
    disable_power_off = models.BooleanField(default=False)
    bios_interface = word()
    boot_interface = word()
    console_interface = word()
    deploy_interface = word()
    firmware_interface = word()
    inspect_interface = word()
    management_interface = word()
    network_interface = word()
    power_interface = word()
    raid_interface = word()
    rescue_interface = word()
    storage_interface = word()
    vendor_interface = word()

    class Meta:
        ordering = ["pk"]
        # As constraints, since unique=True would add a second index for LIKE to each on PostgreSQL.
        constraints = [
            models.UniqueConstraint(fields=["uuid"], name="one_node_a_uuid"),
            models.UniqueConstraint(fields=["name"], name="one_node_a_name"),
            models.UniqueConstraint(fields=["instance_uuid"], name="one_node_an_instance"),
        ]
        indexes = [
            models.Index(fields=["owner"], name="nodes_of_an_owner"),
            models.Index(fields=["lessee"], name="nodes_of_a_lessee"),
            models.Index(fields=["provision_state"], name="nodes_in_a_state"),
            models.Index(
                fields=["resource_class"],
                condition=models.Q(instance_uuid=None, provision_state="available", maintenance=False),
                name="free_nodes_of_a_class",
            ),
            models.Index(fields=["reservation"], condition=~models.Q(reservation=None), name="nodes_under_a_lock"),
        ]

    def __str__(self) -> str:
        return self.name or self.uuid

    @property
    def tag(self) -> str:
        return tag(self.pk, self.generation)


def tag(pk: int, generation: int) -> str:
    """Names one state of one node. The key is in it since a deleted node's uuid may come back with a young node."""
    return f"{pk}-{generation}"
