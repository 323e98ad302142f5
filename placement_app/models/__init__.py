"""Rows of Placement. Everything refers to classes and traits by name, to consumers and trees by uuid."""

from placement_app.models.aggregates import ProviderAggregate
from placement_app.models.allocations import Allocation
from placement_app.models.conflicts import ConflictRecord
from placement_app.models.consumers import Consumer
from placement_app.models.history import ClaimEvent, ProviderEvent
from placement_app.models.inventories import Inventory
from placement_app.models.providers import ResourceProvider
from placement_app.models.vocabulary import ProviderTrait, ResourceClass, Trait

__all__ = [
    "Allocation",
    "ClaimEvent",
    "ConflictRecord",
    "Consumer",
    "Inventory",
    "ProviderAggregate",
    "ProviderEvent",
    "ProviderTrait",
    "ResourceClass",
    "ResourceProvider",
    "Trait",
]
