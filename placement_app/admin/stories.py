"""The story of a refusal: who wanted what, what stood in the way then, what stands there now, would it succeed now."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

from claimsite.foundation.admin import show
from placement_app import errors
from placement_app.admin import links, who
from placement_app.models import Allocation, ConflictRecord, Consumer, Inventory, ResourceProvider
from placement_app.services import capacity
from placement_app.services.capacity import Stock


@dataclasses.dataclass(frozen=True, slots=True)
class Story:
    wanted: str
    then: str
    now: str = ""
    retry: str = ""
    would_succeed: bool | None = None
    """None where only the writer could know."""


def tell(record: ConflictRecord) -> Story:
    scene = Scene(record)
    now, retry, would_succeed = _present(scene)
    return Story(_wanted(scene), _THEN.get(record.reason, _text)(scene), now, retry, would_succeed)


class Scene:
    """What the record remembers, and what is there now: read once."""

    def __init__(self, record: ConflictRecord) -> None:
        self.record = record
        self.facts: Mapping[str, Any] = record.facts
        self.wanted: Mapping[str, Mapping[str, int]] = record.facts.get("wanted") or {}
        self.provider = (
            ResourceProvider.objects.filter(uuid=record.provider_uuid).first() if record.provider_uuid else None
        )
        self.consumer = Consumer.objects.filter(uuid=record.consumer_uuid).first() if record.consumer_uuid else None
        self.names = links.names_of([record.provider_uuid, *self.wanted])

    def name(self, uuid: str) -> str:
        return self.names.get(uuid) or (f"{uuid} (gone)" if uuid else "a provider")

    @property
    def provider_name(self) -> str:
        return self.name(self.record.provider_uuid)


# --- who wanted what ------------------------------------------------------------------------------------------------
_OPERATIONS = {
    "allocations.replace": "wrote claims",
    "allocations.release": "released claims",
    "reshaper.reshape": "moved inventories and claims",
    "consumers.move": "moved a consumer to another owner",
    "inventories.replace_all": "wrote the inventories",
    "inventories.replace": "changed an inventory",
    "inventories.create": "added an inventory",
    "inventories.remove": "removed an inventory",
    "inventories.clear": "removed all inventories",
    "provider_traits.replace": "wrote the traits",
    "aggregates.replace": "wrote the aggregates",
    "providers.create": "made a provider",
    "providers.delete": "deleted the provider",
    "providers.update": "renamed or moved the provider",
    "providers.rename": "renamed the provider",
}


def _wanted(scene: Scene) -> str:
    record, facts = scene.record, scene.facts
    writer = f"{record.actor or 'Somebody without a name'}"
    if project := facts.get("project"):
        writer += f", for project {project},"
    when = f"At {show.clock(record.created_at)}, {writer}"
    if scene.wanted:
        places = " and ".join(
            f"{show.amounts(amounts)} of {scene.name(uuid)}" for uuid, amounts in scene.wanted.items()
        )
        return f"{when} wanted {places} for consumer {record.consumer_uuid} by the {record.door} door."
    action = _OPERATIONS.get(record.operation, record.operation)
    of = f" of {scene.provider_name}" if record.provider_uuid else ""
    consumer = f" of consumer {record.consumer_uuid}" if record.consumer_uuid else ""
    return f"{when} {action}{consumer or of} by the {record.door} door, and was refused."


# --- what stood in the way then -------------------------------------------------------------------------------------
def _text(scene: Scene) -> str:
    return scene.record.text


def _no_room(scene: Scene) -> str:
    return _room(scene, scene.facts, "were")


def _room(scene: Scene, facts: Mapping[str, Any], were: str) -> str:
    free = _number(facts.get("capacity")) - _number(facts.get("used"))
    room = f"only {show.number(free)} of {show.number(facts.get('capacity'))}" if free > 0 else "none"
    return (
        f"Of {scene.name(str(facts.get('provider', '')))}'s {facts.get('resource_class')} {room} {were} free "
        f"({show.number(facts.get('used'))} of {show.number(facts.get('capacity'))} used), and "
        f"{show.number(facts.get('amount'))} {were} wanted."
    )


def _units(scene: Scene) -> str:
    return _broken_units(scene, scene.facts)


def _broken_units(scene: Scene, facts: Mapping[str, Any]) -> str:
    return (
        f"{show.number(facts.get('amount'))} {facts.get('resource_class')} break the rules of the inventory of "
        f"{scene.name(str(facts.get('provider', '')))}: at least {facts.get('min_unit')}, at most "
        f"{facts.get('max_unit')}, in steps of {facts.get('step_size')}."
    )


def _other_generation(scene: Scene) -> str:
    facts = scene.facts
    given, actual = facts.get("given"), facts.get("expected")
    if given is None:
        return f"The writer believed the consumer to be new, but it was there already, at generation {actual}."
    if actual == "null":
        return f"The writer named generation {given} of a consumer that was not there (any more)."
    return f"The writer named generation {given} of the consumer, which was at {actual}: somebody had written it since."


def _other_provider_generation(scene: Scene) -> str:
    facts = scene.facts
    return (
        f"The writer named generation {facts.get('given')} of {scene.provider_name}, which was at "
        f"{facts.get('actual')}: somebody had written it since."
    )


def _lost(scene: Scene) -> str:
    return (
        f"Others changed the same rows at the same time, {scene.record.attempts} times in a row; the server gave up "
        f"after that. {scene.record.text}"
    )


_THEN: dict[str, Callable[[Scene], str]] = {
    "CapacityExceeded": _no_room,
    "UnitsViolated": _units,
    "ConsumerGenerationConflict": _other_generation,
    "ProviderGenerationConflict": _other_provider_generation,
    "ProviderChangedUnderneath": _lost,
    "ConsumerCreatedMeanwhile": _lost,
    "DatabaseRaceLost": _lost,
}


# --- what stands there now ------------------------------------------------------------------------------------------
Present = tuple[str, str, bool | None]


def _present(scene: Scene) -> Present:
    if scene.record.provider_uuid and scene.provider is None:
        return (
            f"{scene.provider_name} is not there any more.",
            "The same request would fail: nothing to take from.",
            False,
        )
    if scene.wanted:
        return _claim_now(scene)
    return _NOW.get(scene.record.reason, _unknown)(scene)


def _unknown(scene: Scene) -> Present:
    return "", "", None


def _claim_now(scene: Scene) -> Present:
    """The same arithmetic as in a claim, on what is there now."""
    wanted = {(uuid, name): amount for uuid, amounts in scene.wanted.items() for name, amount in amounts.items()}
    inventories = Inventory.objects.filter(provider__uuid__in=scene.wanted).select_related("provider")
    stocks = {(row.provider.uuid, row.resource_class_id): _stock(row) for row in inventories}
    held = Allocation.objects.filter(consumer=scene.record.consumer_uuid).select_related("provider")
    released = {key: row.used for row in held if (key := (row.provider.uuid, row.resource_class_id)) in stocks}
    now = _stocks_now(scene, wanted, stocks, released)
    missing = [key for key in wanted if key not in stocks]
    if missing:
        return now, f"The same claim would fail: {scene.name(missing[0][0])} has no {missing[0][1]}.", False
    try:
        capacity.check(stocks, wanted=wanted.items(), released=released)
    except errors.CapacityExceeded as error:
        own = released.get((str(error.facts["provider"]), str(error.facts["resource_class"])), 0)
        return now, f"The same claim would fail. {_room_now(scene, error.facts, own)}", False
    except errors.UnitsViolated as error:
        return now, f"The same claim would fail. {_broken_units(scene, error.facts)}", False
    return now, f"The same claim would succeed{_naming(scene)}.", True


def _room_now(scene: Scene, facts: Mapping[str, Any], own: int) -> str:
    """Whoever claims anew gives back first what they have: it is neither free for others nor in the way."""
    if not own:
        return _room(scene, facts, "are")
    total, used = _number(facts.get("capacity")), _number(facts.get("used"))
    return (
        f"Of {scene.name(str(facts.get('provider', '')))}'s {facts.get('resource_class')} others have "
        f"{show.number(used)} of {show.number(total)}: with the consumer's own {show.number(own)} it could have "
        f"{show.number(max(total - used, 0.0))} at most, and {show.number(facts.get('amount'))} are wanted."
    )


Amounts = Mapping[tuple[str, str], int]
"""Of a class of a provider."""


def _stocks_now(scene: Scene, wanted: Amounts, stocks: Mapping[tuple[str, str], Stock], released: Amounts) -> str:
    sentences = []
    for (uuid, name), amount in wanted.items():
        if stock := stocks.get((uuid, name)):
            free, own = max(stock.capacity - stock.used, 0), released.get((uuid, name), 0)
            besides = f", besides the {show.number(own)} that the consumer has itself" if own else ""
            sentences.append(
                f"{show.number(free)} {name} of {show.number(stock.capacity)} are free on {scene.name(uuid)}"
                f"{besides} ({show.number(amount)} wanted)"
            )
    return f"Now {'; '.join(sentences)}." if sentences else ""


def _naming(scene: Scene) -> str:
    if scene.consumer is None:
        return " if it names no generation (null): the consumer is not there"
    return f" if it names generation {scene.consumer.generation}, which the consumer is at now"


def _consumer_now(scene: Scene) -> Present:
    if scene.consumer is None:
        return "The consumer is not there now: it holds nothing.", "", None
    return f"The consumer is at generation {scene.consumer.generation} now.", _READ_AGAIN, None


def _provider_now(scene: Scene) -> Present:
    assert scene.provider is not None
    changed = who.changed_provider(scene.provider.uuid, str(scene.facts.get("given", "")))
    return f"Now {changed}", _READ_AGAIN, None


def _use_now(scene: Scene) -> Present:
    claims = Allocation.objects.filter(provider__uuid=scene.record.provider_uuid)
    first = claims.order_by("pk").first()
    if first is None:
        return "Nothing of it is claimed now.", "The same request would succeed.", True
    return f"It is claimed now, by consumer {first.consumer_id} among others.", "The same request would fail.", False


_READ_AGAIN = "Whoever reads it again and names what they read would succeed."

_NOW: dict[str, Callable[[Scene], Present]] = {
    "ConsumerGenerationConflict": _consumer_now,
    "ProviderGenerationConflict": _provider_now,
    "InventoryInUse": _use_now,
    "ProviderInUse": _use_now,
}


def _stock(row: Inventory) -> Stock:
    fields = ("total", "reserved", "min_unit", "max_unit", "step_size", "allocation_ratio", "used")
    return Stock(row.pk, *(getattr(row, field) for field in fields))


def _number(value: Any) -> float:
    return float(value) if isinstance(value, int | float) else 0.0
