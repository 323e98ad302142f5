from __future__ import annotations

from django.db import models


class ResourceProvider(models.Model):
    """Something that has resources: a host, a NUMA node of it, a shared storage pool.

    Providers form trees. Parent and root are kept by uuid, so that showing a provider needs no join; a provider without
    a parent is its own root.
    """

    uuid = models.CharField(max_length=36, unique=True)
    name = models.CharField(max_length=200, unique=True)
    generation = models.BigIntegerField(default=0)
    """Moves by one with every write that touches what the provider has or what is claimed of it."""
    parent = models.ForeignKey(
        "self",
        models.PROTECT,
        to_field="uuid",
        db_column="parent_uuid",
        null=True,
        blank=True,
        related_name="children",
    )
    # Restricted, not protected: a root refers to itself, and may go when nothing else does.
    root = models.ForeignKey("self", models.RESTRICT, to_field="uuid", db_column="root_uuid", related_name="tree")
    stamp = models.BigIntegerField(db_default=0, editable=False)
    """Another number after every write that changes what a search sees of the provider, and never one that it had
    before: what was read of it under a stamp is true as long as it has that stamp. Set by the database (`stamps`)."""
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        verbose_name = "provider"
        ordering = ["pk"]

    def __str__(self) -> str:
        return self.name
