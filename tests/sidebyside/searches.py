"""Searches for candidates and for providers, mostly sensible, in the words of all versions."""

from __future__ import annotations

from collections.abc import Iterator

from tests.sidebyside.cast import AGGREGATES, CLASSES, PROVIDERS, SHARES, STRANGER, TRAITS, Dice
from tests.sidebyside.exchange import Query, Request


def candidates(dice: Dice) -> Request:
    version = dice.version(oldest=10)
    minor = int(version.partition(".")[2])
    return Request("GET", "/allocation_candidates", query=tuple(_conditions(dice, minor)), version=version)


def providers(dice: Dice) -> Request:
    version = dice.version()
    minor = int(version.partition(".")[2])
    query: list[tuple[str, str]] = []
    if dice.chance(0.5):
        query.append(("resources", _resources(dice)))
    if dice.chance(0.5):
        query += _required(dice, "", minor)
    if dice.chance(0.5):
        query += _member_of(dice, "", minor)
    if dice.chance(0.2):
        query.append(("in_tree", dice.choice([*PROVIDERS, STRANGER])))
    if dice.chance(0.1):
        query.append(("uuid", dice.choice([*PROVIDERS, STRANGER])))
    if dice.chance(0.1):
        query.append(("name", f"provider-{dice.randint(0, 9)}"))
    return Request("GET", "/resource_providers", query=tuple(query), version=version)


def _conditions(dice: Dice, minor: int) -> Iterator[tuple[str, str]]:
    suffixes = _suffixes(dice, minor)
    resourceless = set(dice.some(suffixes[1:], most=1)) if minor >= 36 and dice.chance(0.4) else set()
    for suffix in suffixes:
        yield from _group(dice, suffix, minor, has_resources=suffix not in resourceless)
    if len(suffixes) > 2 or (minor >= 25 and dice.chance(0.3)):
        yield "group_policy", dice.choice(["none", "none", "isolate"])
    named = [suffix for suffix in suffixes if suffix]
    if minor >= 36 and named and (resourceless or dice.chance(0.3)):
        yield "same_subtree", ",".join(sorted({*dice.some(named, least=1), *resourceless}))
    if minor >= 35 and dice.chance(0.2):
        yield "root_required", ",".join(f"{dice.choice(['', '!'])}{trait}" for trait in dice.some(TRAITS, 2, least=1))
    if minor >= 16 and dice.chance(0.1):
        yield "limit", str(dice.randint(1, 4))


def _suffixes(dice: Dice, minor: int) -> list[str]:
    """The first group always has resources; the unsuffixed one is an empty text."""
    if minor < 25:
        return [""]
    named = ["1", "2", "3"] if minor < 33 else ["1", "_NET", "_disk"]
    count = dice.choice([0, 0, 1, 1, 2, 2, 3])
    unsuffixed = [""] if not count or dice.chance(0.6) else []
    return unsuffixed + named[:count]


def _group(dice: Dice, suffix: str, minor: int, has_resources: bool) -> Query:
    conditions: list[tuple[str, str]] = []
    if has_resources:
        conditions.append((f"resources{suffix}", _resources(dice)))
    if minor >= 17 and dice.chance(0.3 if has_resources else 0.9):
        conditions += _required(dice, suffix, minor)
    if minor >= 21 and dice.chance(0.2):
        conditions += _member_of(dice, suffix, minor)
    if minor >= 31 and dice.chance(0.1):
        conditions.append((f"in_tree{suffix}", dice.choice([*PROVIDERS[:5], STRANGER])))
    return tuple(conditions)


def _resources(dice: Dice) -> str:
    names = dice.some(CLASSES, most=dice.choice([1, 1, 2, 3]), least=1)
    return ",".join(f"{name}:{dice.choice([1, 1, 1, 2, 3, 4])}" for name in names)


def _required(dice: Dice, suffix: str, minor: int) -> Query:
    def condition() -> str:
        if minor >= 39 and dice.chance(0.3):
            return "in:" + ",".join(dice.some(TRAITS, most=3, least=1))
        signs = ["", "", "!"] if minor >= 22 else [""]
        return ",".join(dice.choice(signs) + trait for trait in dice.some([*TRAITS, SHARES], most=2, least=1))

    times = 2 if minor >= 39 and dice.chance(0.3) else 1
    return tuple((f"required{suffix}", condition()) for _ in range(times))


def _member_of(dice: Dice, suffix: str, minor: int) -> Query:
    def condition() -> str:
        sign = dice.choice(["", "", "!"]) if minor >= 32 else ""
        some = dice.some([*AGGREGATES, STRANGER], most=2, least=1)
        return f"{sign}{'in:' if len(some) > 1 or dice.chance(0.3) else ''}{','.join(some)}"

    times = 2 if minor >= 24 and dice.chance(0.2) else 1
    return tuple((f"member_of{suffix}", condition()) for _ in range(times))
