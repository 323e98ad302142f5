"""Nodes that come from another service as they are there: in their states, with their owners and what hangs on them.

Nothing is set going by it, and no rule of who may change what when applies: what has come about elsewhere is written
down here. The values are judged as those of anything new.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from django.core.exceptions import ValidationError
from django.db import IntegrityError
from django.db.models import Model
from django.utils import timezone

from claimsite.foundation.origin import Origin
from claimsite.foundation.transactions import needs_transaction, write_transaction
from ironic_app import attributes, errors, locks, states
from ironic_app.attributes import Attribute
from ironic_app.models import Allocation, Chassis, Node, Port, PortGroup, VolumeConnector, VolumeTarget
from ironic_app.services import allocations, chassis, node_rows, node_traits, nodes, parts, ports, vifs, volumes
from ironic_app.services.conflict_log import records_refusals

HIDDEN: Final = "******"
"""What Ironic shows instead of a secret."""
Shown = Mapping[str, Any]
"""A document as the other service shows it: attribute → value. What this site doesn't know in it is passed over."""


@dataclasses.dataclass(frozen=True, slots=True)
class Look:
    """How one sort of thing looks in documents, and the row that it becomes."""

    model: type[Any]
    noun: str
    attributes: Mapping[str, Attribute]
    """Those without a check are not for writing, and judged by their column."""


def _traits(name: str, value: Any) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise attributes.Unfit(f"{name} is no list of names: {value!r:.100}")
    node_traits.ensure_valid(value)
    return sorted(set(value))


def _names(name: str, value: Any) -> list[str]:
    if not isinstance(value, list | None) or not all(isinstance(each, str) for each in value or ()):
        raise attributes.Unfit(f"{name} is no list of names: {value!r:.100}")
    return list(value or ())


def _seen(*several: str) -> dict[str, Attribute]:
    return {name: Attribute(name) for name in (*several, "created_at", "updated_at")}


SETTLED: Final = states.PROVISION_STATES - states.TRANSITIONAL - {states.DELETED}
"""Where a node stays until somebody wants something of it."""
_LOCK: Final = {"reservation", "conductor"}
"""Who is at work there is nobody here."""
NODE: Final = Look(
    Node,
    "node",
    {name: attribute for name, attribute in attributes.ATTRIBUTES.items() if name not in _LOCK}
    | {
        "uuid": Attribute("uuid", attributes.uuid),
        "traits": Attribute("traits", _traits),
        "allocation_uuid": Attribute("allocation_uuid", attributes.uuid, "allocation_id"),
    },
)
CHASSIS: Final = Look(Chassis, "chassis", chassis.ATTRIBUTES | _seen())
ALLOCATION: Final = Look(
    Allocation,
    "allocation",
    {
        "uuid": Attribute("uuid", attributes.uuid),
        "name": Attribute("name", attributes.logical_name),
        "owner": Attribute("owner", attributes.text()),
        "resource_class": Attribute("resource_class", attributes.text(80)),
        "extra": Attribute("extra", attributes.document),
        "traits": Attribute("traits", _names),
        "candidate_nodes": Attribute("candidate_nodes", _names),
    }
    | _seen("state", "last_error"),
)
PARTS: Final[Mapping[str, tuple[parts.Kind[Any], Look]]] = {
    # In the order in which they refer to each other.
    "portgroup": (
        ports.PORTGROUPS,
        Look(PortGroup, "portgroup", {**ports.PORTGROUPS.attributes, **_seen("internal_info", "dynamic_portgroup")}),
    ),
    "port": (
        ports.PORTS,
        Look(Port, "port", {**ports.PORTS.attributes, **_seen("internal_info", "available_for_dynamic_portgroup")}),
    ),
    "volume connector": (
        volumes.CONNECTORS,
        Look(VolumeConnector, "volume connector", {**volumes.CONNECTORS.attributes, **_seen()}),
    ),
    "volume target": (
        volumes.TARGETS,
        Look(VolumeTarget, "volume target", {**volumes.TARGETS.attributes, **_seen()}),
    ),
}


def judge(*, node: Shown, hanging: Sequence[tuple[str, Shown]] = (), allocation: Shown | None = None) -> Node:
    """The node's row, if all of it could be here. Raises Invalid, UnknownDriverInBody."""
    if node.get("provision_state") not in SETTLED or node.get("target_power_state"):
        state, power = node.get("provision_state"), node.get("target_power_state")
        raise errors.Invalid(text=f"It is in provision state {state!r}, on the way to power state {power!r}.")
    row = Node(**values(NODE, node))
    if row.allocation_id != (None if allocation is None else values(ALLOCATION, allocation).get("uuid")):
        raise errors.Invalid(text=f"Its allocation {row.allocation_id} is not shown.")
    for sort, shown in hanging:
        _part(sort, shown)
    nodes.equip(row)
    return row


@records_refusals("arrivals.settle")
@write_transaction
def settle(
    *, node: Shown, hanging: Sequence[tuple[str, Shown]] = (), allocation: Shown | None = None, origin: Origin
) -> None:
    """A node with all that hangs on it (sort → document), and the allocation that gave it to its instance; or nothing.

    Raises Invalid, UnknownDriverInBody, UnknownChassisInBody, UnknownNodeInBody, NodeAlreadyExists, DuplicateName,
    InstanceAssociated, AllocationExists, AllocationNameTaken, PartExists.
    """
    row = judge(node=node, hanging=hanging, allocation=allocation)
    if allocation is not None:
        _insert_allocation(allocation)
    nodes.ensure_neighbours(row, {"chassis_id": row.chassis_id, "parent_id": row.parent_id})
    node_rows.insert(node=row, origin=origin, reason="taken over")
    _hang(row, hanging)


@records_refusals("arrivals.hang")
@locks.waits_for_node
@write_transaction
def hang(*, node_uuid: str, hanging: Sequence[tuple[str, Shown]], origin: Origin) -> None:
    """What a node that is here already has there besides. Raises NodeNotFound, NodeLocked, Invalid, PartExists."""
    node = locks.node(node_uuid)
    locks.ensure_free(node)
    _hang(node, hanging)


@records_refusals("arrivals.remember")
@write_transaction
def remember(*, allocation: Shown, origin: Origin) -> None:
    """An allocation that ended without a node. Raises Invalid, AllocationExists, AllocationNameTaken."""
    if allocation.get("state") != Allocation.State.ERROR:
        raise errors.Invalid(text=f"It is {allocation.get('state')}, without a node.")
    _insert_allocation(allocation)


@records_refusals("arrivals.place")
@write_transaction
def place(*, shown: Shown, origin: Origin) -> None:
    """A chassis. Raises Invalid, PartExists."""
    row = Chassis(**values(CHASSIS, shown))
    try:
        row.save(force_insert=True)
    except IntegrityError as error:
        raise errors.PartExists(what=f"chassis with UUID {row.uuid}") from error


def differences(look: Look, row: Model, shown: Shown) -> list[str]:
    """The attributes of which ``row`` says something else than ``shown``. When it was changed is none of them, nor is
    what was hidden there or left to the service. Raises Invalid."""
    wanted = values(look, shown, without_hidden=False)
    return sorted(
        name
        for name, attribute in look.attributes.items()
        if attribute.column in wanted
        and not (wanted[attribute.column] is None and name in attributes.INTERFACES)
        and not isinstance(wanted[attribute.column], datetime)
        and not _same(wanted[attribute.column], getattr(row, attribute.column))
    )


def hidden(document: Shown, path: str) -> list[str]:
    """Where the other service shows stars instead of a secret: ``driver_info.ipmi_password``."""
    found = []
    for name, value in document.items():
        if value == HIDDEN:
            found.append(f"{path}{name}")
        elif isinstance(value, dict):
            found += hidden(value, f"{path}{name}.")
    return found


def values(look: Look, shown: Shown, *, without_hidden: bool = True) -> dict[str, Any]:
    """Column → value as it is stored. What is unset and must not be keeps its default. Raises Invalid."""
    found = {}
    for name, attribute in look.attributes.items():
        field = look.model._meta.get_field(attribute.column)
        value = shown.get(name)
        if value is None and (not field.null or name not in shown):
            continue
        try:
            value = attribute.check(name, value) if attribute.check else _moment(field.clean(value, None))
        except (attributes.Unfit, ValidationError) as error:
            text = "; ".join(error.messages) if isinstance(error, ValidationError) else str(error)
            raise errors.Invalid(text=f"{look.noun} {shown.get('uuid')}: {name}: {text}") from None
        found[attribute.column] = _revealed(value) if without_hidden else value
    return found


# --- beneath ----------------------------------------------------------------------------------------------------------
@needs_transaction
def _insert_allocation(shown: Shown) -> None:
    row = Allocation(**values(ALLOCATION, shown))
    try:
        row.save(force_insert=True)
    except IntegrityError as error:
        raise allocations.duplicate(error, row) from error


@needs_transaction
def _hang(node: Node, hanging: Sequence[tuple[str, Shown]]) -> None:
    order = list(PARTS)
    for sort, shown in sorted(hanging, key=lambda each: order.index(each[0])):
        kind, given = _part(sort, shown)
        row = parts.insert(kind, kind.model(**given | {"node": node}), node, given)
        if isinstance(row, Port | PortGroup):
            vifs.remember(place=row)


def _part(sort: str, shown: Shown) -> tuple[parts.Kind[Any], dict[str, Any]]:
    kind, look = PARTS[sort]
    given = values(look, shown)
    missing = [name for name in ("uuid", *kind.required) if given.get(name) in {None, ""}]
    if missing:
        raise errors.Invalid(text=f"{sort} {shown.get('uuid')} has no {', '.join(missing)}.")
    return kind, given


def _moment(value: Any) -> Any:
    if isinstance(value, datetime) and timezone.is_naive(value):
        return value.replace(tzinfo=UTC)
    return value


def _revealed(value: Any) -> Any:
    """Without what was hidden."""
    if not isinstance(value, dict):
        return value
    return {name: _revealed(each) for name, each in value.items() if each != HIDDEN}


def _same(there: Any, here: Any) -> bool:
    if there == HIDDEN:
        return True
    if isinstance(there, dict) and isinstance(here, dict):
        return all(_same(there.get(name), here.get(name)) for name in there.keys() | here.keys())
    return bool(there == here)
