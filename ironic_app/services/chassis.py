"""Chassis: boxes that hold nodes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import IntegrityError
from django.db.models import QuerySet
from django.utils import timezone

from claimsite.foundation.origin import Origin
from claimsite.foundation.transactions import write_transaction
from claimsite.foundation.uuids import new_uuid
from ironic_app import attributes, editing, errors
from ironic_app.attributes import Attribute
from ironic_app.models import Chassis
from ironic_app.patching import Patch
from ironic_app.services.conflict_log import records_refusals

ATTRIBUTES = {
    "uuid": Attribute("uuid", attributes.uuid),
    "description": Attribute("description", attributes.text(255)),
    "extra": Attribute("extra", attributes.document),
}


def find() -> QuerySet[Chassis]:
    return Chassis.objects.all()


def get(*, uuid: str) -> Chassis:
    """Raises ChassisNotFound."""
    found = Chassis.objects.filter(uuid=uuid).first()
    if found is None:
        raise errors.ChassisNotFound(chassis=uuid)
    return found


@records_refusals("chassis.create")
@write_transaction
def create(*, values: Mapping[str, Any], origin: Origin) -> Chassis:
    """Raises Invalid, PartExists."""
    given = editing.values(
        {name: value for name, value in values.items() if value is not None}, ATTRIBUTES, noun="chassis"
    )
    chassis = Chassis(**{"uuid": new_uuid()} | given)
    try:
        chassis.save(force_insert=True)
    except IntegrityError as error:
        raise errors.PartExists(what=f"chassis with UUID {chassis.uuid}") from error
    return chassis


@write_transaction
def edit(*, uuid: str, patch: Patch, origin: Origin) -> Chassis:
    """Raises ChassisNotFound, Invalid."""
    chassis = _locked(uuid)
    changes = editing.changes(chassis, patch, ATTRIBUTES, noun="chassis")
    if changes:
        for column, value in changes.items():
            setattr(chassis, column, value)
        chassis.updated_at = timezone.now()
        chassis.save()
    return chassis


@write_transaction
def delete(*, uuid: str, origin: Origin) -> None:
    """Raises ChassisNotFound, ChassisNotEmpty."""
    chassis = _locked(uuid)
    if chassis.nodes.exists():
        raise errors.ChassisNotEmpty(chassis=uuid)
    chassis.delete()


def _locked(uuid: str) -> Chassis:
    chassis = Chassis.objects.select_for_update().filter(uuid=uuid).first()
    if chassis is None:
        raise errors.ChassisNotFound(chassis=uuid)
    return chassis
