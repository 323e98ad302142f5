"""Every way Placement can say no: kind, wire code, text, facts.

The role decides the kind, not the noun: a provider that is missing from a path is NOT_FOUND, one that is missing from a
body is INVALID. They are two classes, raised where the role is known.
"""

from __future__ import annotations

from claimsite.foundation.errors import DomainError, Kind, LostRace


class codes:  # noqa: N801 (a namespace, read like a module)
    """Wire codes (without the leading ``placement.``). The list only grows: clients branch on them."""

    UNDEFINED = "undefined_code"
    CONCURRENT_UPDATE = "concurrent_update"
    INVENTORY_IN_USE = "inventory.inuse"
    DUPLICATE_NAME = "duplicate_name"
    PROVIDER_IN_USE = "resource_provider.inuse"
    CANNOT_DELETE_PARENT = "resource_provider.cannot_delete_parent"
    PROVIDER_NOT_FOUND = "resource_provider.not_found"
    QUERY_DUPLICATE_KEY = "query.duplicate_key"
    QUERY_BAD_VALUE = "query.bad_value"
    QUERY_MISSING_VALUE = "query.missing_value"


class Invalid(DomainError):
    """What was asked for can never be, whatever others do."""

    kind = Kind.INVALID
    message = "{text}"


class NotFound(DomainError):
    kind = Kind.NOT_FOUND
    message = "{text}"


class Conflict(DomainError):
    """What was asked for is well-formed, but the present state forbids it."""

    kind = Kind.CONFLICT
    message = "{text}"


# --- providers ------------------------------------------------------------------------------------------------------
class ProviderNotFound(NotFound):
    message = "No resource provider with uuid {provider} found{purpose}"

    def __init__(self, *, provider: str, purpose: str = "") -> None:
        super().__init__(provider=provider, purpose=purpose)


class ProviderGenerationConflict(Conflict):
    """A writer that named the provider's generation named an old one. Final: only the writer can read again."""

    code = codes.CONCURRENT_UPDATE
    # Two phrases for one thing: some clients match on the first, those of traits on the second.
    message = (
        "resource provider generation conflict for provider {provider}: actual: {actual}, given: {given}. "
        "Resource provider's generation already changed. Please update the generation and try again."
    )


class ReshapedProviderUnknown(Invalid):
    code = codes.PROVIDER_NOT_FOUND
    message = "Resource provider {provider} of the inventories to reshape does not exist."


class ProviderChangedUnderneath(LostRace):
    """The compare-and-swap on a provider's generation failed although its row was locked: try again."""

    message = "Provider {provider} was changed by another request at the same time."


class ProviderExists(Conflict):
    """``taken`` says what is: ``name: N``, ``uuid: U``, or both."""

    code = codes.DUPLICATE_NAME
    message = "Conflicting resource provider {taken} already exists."


class ProviderVanished(LostRace):
    """What stood in the way of a new provider was gone when we looked for it."""

    message = "Provider {name} was created and deleted by another request at the same time."


class ProviderHasChildren(Conflict):
    code = codes.CANNOT_DELETE_PARENT
    message = "Unable to delete parent resource provider {provider}: It has child resource providers."


class ProviderInUse(Conflict):
    code = codes.PROVIDER_IN_USE
    message = "Unable to delete resource provider {provider}: Resource provider has allocations."


# --- trees ----------------------------------------------------------------------------------------------------------
class ParentUnknown(Invalid):
    message = 'Unable to place resource provider "{name}", {provider}: parent provider UUID does not exist.'


class ParentIsSelf(Invalid):
    message = (
        'Unable to create resource provider "{name}", {provider}: parent provider UUID cannot be same as UUID. '
        "A provider without a parent is its own root."
    )


class MoveNotAllowed(Invalid):
    """Before re-parenting came, a provider that has a parent kept it. ``what``: re-parenting or un-parenting."""

    message = "Unable to place resource provider {provider}: {what} a provider is not currently allowed."


class TreeLoop(Invalid):
    message = "Unable to place resource provider {provider}: creating loop in the provider tree is not allowed."


class TreeChangedUnderneath(LostRace):
    message = "A tree of {providers} was changed by another request at the same time."


# --- inventories ----------------------------------------------------------------------------------------------------
class NothingLeft(Invalid):
    """What is reserved, or the ratio, leaves nothing to claim. ``attempt``: create or update."""

    message = (
        "Unable to {attempt} inventory for resource provider {provider}: Invalid inventory for '{resource_class}': "
        "the reserved value is {relation} total, or the allocation ratio leaves nothing of it."
    )

    def __init__(self, *, attempt: str, provider: str, resource_class: str, reserved_may_fill: bool) -> None:
        super().__init__(
            attempt=attempt,
            provider=provider,
            resource_class=resource_class,
            relation="greater than" if reserved_may_fill else "greater than or equal to",
        )


class UnknownClassInInventory(Invalid):
    message = "Unknown resource class in inventory for resource provider {provider}: No such resource class {classes}."


class UnknownClassInNewInventory(Invalid):
    message = "Unable to create inventory for resource provider {provider}: No such resource class {resource_class}."


class InventoryExists(Conflict):
    code = codes.CONCURRENT_UPDATE
    message = "Update conflict: resource provider {provider} has inventory of class {resource_class} already."


class InventoryInUse(Conflict):
    """Final for as long as the claims last; so also for a single class, where the peer's code says "try again"."""

    code = codes.INVENTORY_IN_USE
    message = "{attempt}: Inventory for '{classes}' on resource provider '{provider}' in use."

    def __init__(self, *, provider: str, classes: str, attempt: str = "Unable to remove inventory") -> None:
        super().__init__(provider=provider, classes=classes, attempt=attempt)


class InventoryNotFound(NotFound):
    message = "No inventory of class {resource_class} for {provider}"


class InventoryNotFoundForDelete(NotFound):
    message = "No inventory of class {resource_class} found for delete on resource provider {provider}"


class NoInventoryToUpdate(Invalid):
    message = (
        "Unable to update inventory for resource provider {provider}: "
        "No inventory record with resource class {resource_class}."
    )


# --- vocabulary -----------------------------------------------------------------------------------------------------
class ResourceClassNotFound(NotFound):
    message = "No such resource class {resource_class}."


class ResourceClassExists(Conflict):
    message = "Conflicting resource class already exists: {resource_class}."


class ResourceClassNameTaken(Conflict):
    message = "Resource class already exists: {resource_class}."


class ResourceClassIsStandard(Invalid):
    """``attempt``: update or delete."""

    message = "Cannot {attempt} standard resource class {resource_class}."


class ResourceClassInUse(Conflict):
    message = "Error in delete resource class {resource_class}: Class is in use in inventory."


class ResourceClassTakenUpMeanwhile(LostRace):
    message = "Another provider took up the resource class {resource_class} at the same time."


class TraitNotFound(NotFound):
    message = "No such trait(s): {trait}."


class UnknownTraits(Invalid):
    message = "No such trait(s): {traits}."


class UnknownTraitsForProvider(Invalid):
    message = "No such trait {traits}."


class UnknownClassInQuery(Invalid):
    message = "Invalid resource class in resources parameter: No such resource class {resource_class}."


class TraitIsStandard(Invalid):
    message = "Cannot delete standard trait {trait}."


class TraitInUse(Conflict):
    message = "The trait {trait} is in use by a resource provider."


class NameCreatedMeanwhile(LostRace):
    """Two requests made different new names at once and picked the same number for them."""

    message = "Another name was created at the same time as {name}."


# --- allocations ----------------------------------------------------------------------------------------------------
class ConsumerGenerationConflict(Conflict):
    """Somebody else wrote this consumer's claims meanwhile, or it never was, or is no more. Never retried here."""

    code = codes.CONCURRENT_UPDATE
    message = "consumer generation conflict - expected {expected} but got {given}"

    def __init__(self, *, consumer: str, expected: int | None, given: int | None) -> None:
        super().__init__(
            consumer=consumer,
            expected="null" if expected is None else expected,
            # Clients match on the peer's text, where a null that was sent reads "None".
            given=given,
        )


class ConsumerCreatedMeanwhile(LostRace):
    """Another request made the same new consumer while this one was looking: look again."""

    message = "Consumer {consumer} was created by another request at the same time."


class UnknownProviderInBody(Invalid):
    message = "Allocation for resource provider '{provider}' that does not exist."


class UnknownClassInAllocation(Invalid):
    message = "Unable to allocate inventory for consumer {consumer}: No such resource class {resource_class}."


class InventoryMissing(Conflict):
    message = (
        "Unable to allocate inventory: Inventory for '{resource_class}' on resource provider '{provider}' invalid: "
        "the provider has no inventory of this class."
    )


class UnitsViolated(Conflict):
    message = (
        "Unable to allocate inventory: Unable to create allocation for '{resource_class}' on resource provider "
        "'{provider}'. The requested amount would violate inventory constraints: asked for {amount}, "
        "min_unit {min_unit}, max_unit {max_unit}, step_size {step_size}."
    )


class CapacityExceeded(Conflict):
    message = (
        "Unable to allocate inventory: Unable to create allocation for '{resource_class}' on resource provider "
        "'{provider}'. The requested amount would exceed the capacity: asked for {amount}, used {used} "
        "of {capacity}."
    )


class AllocationsNotFound(NotFound):
    message = "No allocations for consumer '{consumer}'"
