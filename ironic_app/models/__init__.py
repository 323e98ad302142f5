"""Rows of Ironic. Everything refers to nodes, chassis and allocations by uuid."""

from ironic_app.models.allocations import Allocation
from ironic_app.models.chassis import Chassis
from ironic_app.models.conductors import Conductor
from ironic_app.models.conflicts import ConflictRecord
from ironic_app.models.history import NodeHistory, OwnershipEvent
from ironic_app.models.nodes import Node
from ironic_app.models.ports import Port, PortGroup, VifAttachment
from ironic_app.models.transitions import Transition
from ironic_app.models.volumes import VolumeConnector, VolumeTarget

__all__ = [
    "Allocation",
    "Chassis",
    "Conductor",
    "ConflictRecord",
    "Node",
    "NodeHistory",
    "OwnershipEvent",
    "Port",
    "PortGroup",
    "Transition",
    "VifAttachment",
    "VolumeConnector",
    "VolumeTarget",
]
