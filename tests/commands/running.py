"""Clean-up commands as a test runs them, and faults as only imports and old services leave them."""

from __future__ import annotations

import contextlib
import io
import json
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from django.core.management import call_command
from django.db import connection
from django.utils import timezone

from claimsite.foundation.origin import Door, Origin
from claimsite.foundation.uuids import new_uuid
from ironic_app.models import Node
from placement_app.claims import Claim, Owner
from placement_app.models import Allocation, Consumer, ResourceProvider
from placement_app.services import allocations

ORIGIN = Origin(door=Door.COMMAND, actor="tests")
DAYS = timedelta(days=2)


def run(command: str, *arguments: str, **options: Any) -> tuple[int, str]:
    """The exit status and what went to stdout."""
    output = io.StringIO()
    try:
        call_command(command, *arguments, stdout=output, stderr=io.StringIO(), **options)
    except SystemExit as exit:
        return int(exit.code or 0), output.getvalue()
    return 0, output.getvalue()


def report(command: str, *arguments: str) -> dict[str, Any]:
    """The one document that ``--json`` prints."""
    _, output = run(command, *arguments, "--json")
    document: dict[str, Any] = json.loads(output)
    return document


def found(command: str, *arguments: str) -> list[tuple[str, str]]:
    """What it found: code and subject. What is too young has the colour grey and is not among it."""
    findings = report(command, *arguments)["findings"]
    return sorted((each["code"], each["subject"]) for each in findings if each["colour"] != "grey")


def hold(provider: ResourceProvider, *, consumer: str | None = None, project: str = "project", **amounts: int) -> str:
    """Claim through the service, two days ago."""
    consumer = consumer or new_uuid()
    resources = {name.upper(): amount for name, amount in amounts.items()}
    claim = Claim(consumer, {provider.uuid: resources}, Owner(project, "user"), consumer_type="INSTANCE")
    allocations.replace(claims=[claim], origin=ORIGIN)
    age(Consumer, uuid=consumer)
    age(Allocation, consumer_id=consumer)
    return consumer


def machine(resource_class: str = "CUSTOM_BAREMETAL", *, reserved: int = 0, has_node: bool = True, **attributes: Any):
    """A node that is powered off and available, with its provider; both two days old."""
    from tests import builders
    from tests.ironic.builders import make_node

    uuid = attributes.setdefault("uuid", new_uuid())
    attributes = {"resource_class": "baremetal", "power_state": "power off"} | attributes
    node = make_node(**attributes) if has_node else None
    stock: dict[str, Any] = {resource_class.lower(): {"total": 1, "reserved": reserved, "max_unit": 1}}
    provider = builders.provider(uuid=uuid, name=f"machine-{uuid[:8]}", **stock)
    age(ResourceProvider, uuid=uuid)
    age(Node, uuid=uuid)
    return node, provider


def age(model: Any, **conditions: Any) -> None:
    """Make it two days old."""
    then = timezone.now() - DAYS
    fields = {field.name for field in model._meta.concrete_fields}
    model.objects.filter(**conditions).update(**dict.fromkeys(fields & {"created_at", "updated_at"}, then))


def empty_consumer(**attributes: Any) -> Consumer:
    """A consumer that holds nothing, two days old."""
    consumer = Consumer.objects.create(
        **{"uuid": new_uuid(), "generation": 1, "project_id": "project", "user_id": "user"} | attributes
    )
    age(Consumer, uuid=consumer.uuid)
    return consumer


@contextlib.contextmanager
def unguarded() -> Iterator[None]:
    """The database lets through what it would refuse, as it does when rows are imported. Not in a transaction."""
    if connection.vendor == "sqlite":
        with connection.constraint_checks_disabled():
            yield
        return
    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")
        try:
            yield
        finally:
            cursor.execute("SET session_replication_role = DEFAULT")
