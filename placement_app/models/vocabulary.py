from __future__ import annotations

from django.db import models

from placement_app.models.providers import ResourceProvider

FIRST_CUSTOM_ID = 10_000
"""Standard names have their position in the library as primary key; custom ones start here. So order by pk is
"standard ones in their fixed order, then custom ones by creation"."""


class Name(models.Model):
    """A word of the vocabulary. Others refer to it by name, so a name can be read without a join."""

    id = models.BigIntegerField(primary_key=True)
    name = models.CharField(max_length=255, unique=True)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        abstract = True
        ordering = ["pk"]

    def __str__(self) -> str:
        return self.name

    @property
    def is_standard(self) -> bool:
        return self.id < FIRST_CUSTOM_ID


class ResourceClass(Name):
    """A kind of countable resource, such as VCPU."""

    class Meta(Name.Meta):
        verbose_name_plural = "resource classes"


class Trait(Name):
    """A quality that a provider has or has not, such as HW_CPU_X86_AVX2."""


class ProviderTrait(models.Model):
    provider = models.ForeignKey(ResourceProvider, models.CASCADE, related_name="provider_traits", db_index=False)
    trait = models.ForeignKey(
        Trait, models.PROTECT, to_field="name", db_column="trait", related_name="provider_traits", db_index=False
    )

    class Meta:
        verbose_name = "trait of a provider"
        verbose_name_plural = "traits of providers"
        constraints = [models.UniqueConstraint(fields=["provider", "trait"], name="one_trait_a_provider")]
        indexes = [models.Index(fields=["trait", "provider"], name="providers_of_a_trait")]

    def __str__(self) -> str:
        return self.trait_id
