"""Requests that build a cloud of odd trees: nested, shared, in aggregates, with tight stocks and some claims."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.sidebyside.cast import AGGREGATES, CLASSES, CONSUMERS, PROVIDERS, SHARES, TRAITS, Dice
from tests.sidebyside.exchange import Generation, Request


def vocabulary() -> Iterator[Request]:
    yield Request("PUT", "/resource_classes/CUSTOM_GOLD")
    for trait in TRAITS:
        if trait.startswith("CUSTOM_"):
            yield Request("PUT", f"/traits/{trait}")


def build(dice: Dice, least: int = 2, most: int = len(PROVIDERS), classes: int = 0) -> Iterator[Request]:
    """From ``least`` to ``most`` providers, each with ``classes`` classes or more."""
    yield from vocabulary()
    count = dice.randint(least, most)
    parents: list[str] = []
    for i in range(count):
        parent = dice.choice(parents) if parents and dice.chance(0.65) else None
        shares = dice.chance(0.05 if parent else 0.4)
        yield from _provider(dice, i, parent, classes, shares)
        # Pools stand alone in the field, and mostly here: with trees of their own the peer gets them wrong.
        if not shares or dice.chance(0.1):
            parents.append(PROVIDERS[i])
    for consumer in dice.some(CONSUMERS, most=2):
        provider = dice.choice(PROVIDERS[:count])
        yield Request("PUT", f"/allocations/{consumer}", body=_claim(consumer, provider, dice))


def _provider(dice: Dice, number: int, parent: str | None, least: int, shares: bool) -> Iterator[Request]:
    uuid = PROVIDERS[number]
    path = f"/resource_providers/{uuid}"
    body: dict[str, Any] = {"name": f"provider-{number}", "uuid": uuid}
    if parent:
        body["parent_provider_uuid"] = parent
    yield Request("POST", "/resource_providers", body=body)
    traits = dice.some(TRAITS, most=3) + ([SHARES] if shares else [])
    if traits:
        yield Request(
            "PUT", f"{path}/traits", body={"traits": traits, "resource_provider_generation": Generation(uuid)}
        )
    aggregates = dice.some(AGGREGATES, most=2, least=1 if shares else 0)
    if aggregates:
        body = {"aggregates": aggregates, "resource_provider_generation": Generation(uuid)}
        yield Request("PUT", f"{path}/aggregates", body=body)
    classes = dice.some(CLASSES, most=max(3, least + 1), least=least)
    if classes:
        stocks = {name: stock(dice) for name in classes}
        body = {"inventories": stocks, "resource_provider_generation": Generation(uuid)}
        yield Request("PUT", f"{path}/inventories", body=body)


def stock(dice: Dice) -> dict[str, Any]:
    record: dict[str, Any] = {"total": dice.choice([1, 2, 4, 8, 10])}
    if dice.chance(0.2):
        record["reserved"] = dice.randint(0, record["total"] - 1)
    if dice.chance(0.2):
        record["min_unit"] = dice.choice([1, 2, 3])
    if dice.chance(0.2):
        record["max_unit"] = dice.choice([1, 2, 4])
    if dice.chance(0.2):
        record["step_size"] = dice.choice([1, 2, 3])
    if dice.chance(0.3):
        record["allocation_ratio"] = dice.choice([0.5, 1.0, 1.5, 2.0, 16.0])
    return record


def _claim(consumer: str, provider: str, dice: Dice) -> dict[str, Any]:
    resources = {name: dice.choice([1, 2]) for name in dice.some(CLASSES, most=2, least=1)}
    return {
        "allocations": {provider: {"resources": resources}},
        "project_id": "project-a",
        "user_id": "user-a",
        "consumer_type": "INSTANCE",
        "consumer_generation": Generation(consumer),
    }
