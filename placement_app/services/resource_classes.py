"""Resource classes: the vocabulary of what can be counted."""

from __future__ import annotations

from django.db import IntegrityError, transaction

from claimsite.foundation.origin import Origin
from claimsite.foundation.transactions import needs_transaction, write_transaction
from placement_app import errors
from placement_app.models import Allocation, Inventory, ResourceClass, ResourceProvider
from placement_app.services import vocabulary
from placement_app.services.conflict_log import records_conflicts


def find() -> list[ResourceClass]:
    """All of them, in vocabulary order."""
    return list(ResourceClass.objects.order_by("pk"))


def get(*, name: str) -> ResourceClass:
    """Raises ResourceClassNotFound."""
    resource_class = ResourceClass.objects.filter(name=name).first()
    if resource_class is None:
        raise errors.ResourceClassNotFound(resource_class=name)
    return resource_class


@records_conflicts("resource_classes.create")
@write_transaction
def create(*, name: str, origin: Origin) -> ResourceClass:
    """A new class. Only custom names come this way. Raises ResourceClassExists."""
    if ResourceClass.objects.filter(name=name).exists():
        raise errors.ResourceClassExists(resource_class=name)
    return vocabulary.insert(ResourceClass, name)


@write_transaction
def ensure(*, name: str, origin: Origin) -> tuple[ResourceClass, bool]:
    """The class of this name, and whether this call made it. Only custom names come this way."""
    resource_class = ResourceClass.objects.filter(name=name).first()
    if resource_class is not None:
        return resource_class, False
    return vocabulary.insert(ResourceClass, name), True


@records_conflicts("resource_classes.rename")
@write_transaction
def rename(*, name: str, new_name: str, origin: Origin) -> ResourceClass:
    """Give a custom class another name, everywhere that it is used.

    Raises ResourceClassNotFound, ResourceClassIsStandard, ResourceClassNameTaken.
    """
    in_use = Inventory.objects.filter(resource_class__name=name).values("provider")
    # Providers come before names in the order of locks: nobody claims of the class while it changes its name.
    holders = {row.pk for row in ResourceProvider.objects.filter(pk__in=in_use).select_for_update(no_key=True)}
    resource_class = _lock_custom(name, attempt="update")
    if {row["provider"] for row in in_use} != holders:
        raise errors.ResourceClassTakenUpMeanwhile(resource_class=name)
    resource_class.name = new_name
    try:
        with transaction.atomic():
            resource_class.save(update_fields=["name", "updated_at"])
    except IntegrityError:
        raise errors.ResourceClassNameTaken(resource_class=new_name) from None
    Inventory.objects.filter(resource_class__name=name).update(resource_class_id=new_name)
    Allocation.objects.filter(resource_class__name=name).update(resource_class_id=new_name)
    return resource_class


@records_conflicts("resource_classes.delete")
@write_transaction
def delete(*, name: str, origin: Origin) -> None:
    """Raises ResourceClassNotFound, ResourceClassIsStandard, ResourceClassInUse."""
    resource_class = _lock_custom(name, attempt="delete")
    if Inventory.objects.filter(resource_class__name=name).exists():
        raise errors.ResourceClassInUse(resource_class=name)
    resource_class.delete()


@needs_transaction
def _lock_custom(name: str, *, attempt: str) -> ResourceClass:
    """Alone with the class: this lock waits for everybody who is taking it up (``locks.names``)."""
    resource_class = ResourceClass.objects.select_for_update().filter(name=name).first()
    if resource_class is None:
        raise errors.ResourceClassNotFound(resource_class=name)
    if resource_class.is_standard:
        raise errors.ResourceClassIsStandard(attempt=attempt, resource_class=name)
    return resource_class
