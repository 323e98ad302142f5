"""Writes and reads of everything, mostly sensible, in the bodies of all versions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.sidebyside.cast import (
    AGGREGATES,
    CLASSES,
    CONSUMERS,
    PROJECTS,
    PROVIDERS,
    SHARES,
    STRANGER,
    TRAITS,
    TYPES,
    USERS,
    Dice,
)
from tests.sidebyside.clouds import stock
from tests.sidebyside.exchange import Generation, Request

FEW_PROVIDERS = PROVIDERS[:4]


def generation(dice: Dice, of: str) -> Any:
    """Mostly the right one."""
    return Generation(of) if dice.chance(0.9) else Generation(of, plus=dice.choice([-1, 1, 5]))


def provider(dice: Dice) -> str:
    return STRANGER if dice.chance(0.03) else dice.choice(FEW_PROVIDERS)


def resources(dice: Dice) -> dict[str, int]:
    names = dice.some(CLASSES, most=2, least=1)
    if dice.chance(0.02):
        names.append(dice.choice(["CUSTOM_NOBODY", "PCPU"]))
    return {name: dice.choice([1, 1, 2, 2, 3, 4, 8, 100]) for name in names}


def claim(dice: Dice, consumer: str, minor: int, may_be_empty: bool) -> dict[str, Any]:
    """The body of a claim in the form of version 1.``minor``."""
    least = 0 if may_be_empty and dice.chance(0.3) else 1
    providers = dice.some(FEW_PROVIDERS, most=2 if least else 0, least=least)
    if providers and dice.chance(0.03):
        providers.append(STRANGER)
    body: dict[str, Any] = {}
    if minor < 12:
        body["allocations"] = [
            {"resource_provider": {"uuid": each}, "resources": resources(dice)} for each in providers
        ]
    else:
        body["allocations"] = {each: {"resources": resources(dice)} for each in providers}
    if minor >= 8:
        body |= {"project_id": dice.choice(PROJECTS), "user_id": dice.choice(USERS)}
    if minor >= 28:
        body["consumer_generation"] = None if dice.chance(0.05) else generation(dice, consumer)
    if minor >= 34 and providers and dice.chance(0.2):
        body["mappings"] = {"": [providers[0]]}
    if minor >= 38:
        body["consumer_type"] = dice.choice(TYPES)
    return body


def put_allocations(dice: Dice) -> Request:
    version, minor = _version(dice)
    consumer = dice.choice(CONSUMERS)
    body = claim(dice, consumer, minor, may_be_empty=minor >= 28)
    return Request("PUT", f"/allocations/{consumer}", body=body, version=version)


def post_allocations(dice: Dice) -> Request:
    version, minor = _version(dice, oldest=13)
    body = {each: claim(dice, each, minor, may_be_empty=True) for each in dice.some(CONSUMERS, most=3, least=1)}
    return Request("POST", "/allocations", body=body, version=version)


def delete_allocations(dice: Dice) -> Request:
    return Request("DELETE", f"/allocations/{dice.choice(CONSUMERS)}", version=_version(dice)[0])


def reshape(dice: Dice) -> Request:
    version, minor = _version(dice, oldest=30)
    inventories = {
        each: {"inventories": _stocks(dice), "resource_provider_generation": generation(dice, each)}
        for each in [*dice.some(FEW_PROVIDERS, most=2, least=1), *([STRANGER] if dice.chance(0.03) else [])]
    }
    consumers = dice.some(CONSUMERS, most=2)
    allocations = {each: claim(dice, each, minor, may_be_empty=True) for each in consumers}
    return Request("POST", "/reshaper", body={"inventories": inventories, "allocations": allocations}, version=version)


def put_inventories(dice: Dice) -> Request:
    uuid = provider(dice)
    body = {"inventories": _stocks(dice), "resource_provider_generation": generation(dice, uuid)}
    return Request("PUT", f"/resource_providers/{uuid}/inventories", body=body, version=_version(dice)[0])


def one_inventory(dice: Dice) -> Request:
    uuid, name, version = provider(dice), dice.choice([*CLASSES, "PCPU"]), _version(dice)[0]
    path = f"/resource_providers/{uuid}/inventories"
    match dice.choice(["POST", "PUT", "DELETE", "DELETE all"]):
        case "POST":
            return Request("POST", path, body={"resource_class": name, **_full_stock(dice)}, version=version)
        case "PUT":
            body = {**_full_stock(dice), "resource_provider_generation": generation(dice, uuid)}
            return Request("PUT", f"{path}/{name}", body=body, version=version)
        case "DELETE":
            return Request("DELETE", f"{path}/{name}", version=version)
    return Request("DELETE", path, version=version)


def traits_of_provider(dice: Dice) -> Request:
    uuid, version = provider(dice), _version(dice)[0]
    path = f"/resource_providers/{uuid}/traits"
    if dice.chance(0.2):
        return Request("DELETE", path, version=version)
    traits = dice.some([*TRAITS, SHARES], most=3) + (["CUSTOM_NOBODY"] if dice.chance(0.03) else [])
    body = {"traits": traits, "resource_provider_generation": generation(dice, uuid)}
    return Request("PUT", path, body=body, version=version)


def aggregates_of_provider(dice: Dice) -> Request:
    uuid = provider(dice)
    version, minor = _version(dice, oldest=1)
    body: Any = dice.some(AGGREGATES, most=3)
    if minor >= 19:
        body = {"aggregates": body, "resource_provider_generation": generation(dice, uuid)}
    return Request("PUT", f"/resource_providers/{uuid}/aggregates", body=body, version=version)


def one_provider(dice: Dice) -> Request:
    uuid = provider(dice)
    version, minor = _version(dice)
    parent = {"parent_provider_uuid": dice.choice([None, STRANGER, *FEW_PROVIDERS])}
    with_parent = parent if minor >= 14 and dice.chance(0.6) else {}
    name = {"name": f"provider-{dice.randint(0, 5)}"}
    match dice.choice(["POST", "PUT", "PUT", "DELETE"]):
        case "POST":
            with_parent = {key: value for key, value in with_parent.items() if value != uuid or dice.chance(0.1)}
            return Request("POST", "/resource_providers", body=name | {"uuid": uuid} | with_parent, version=version)
        case "PUT":
            return Request("PUT", f"/resource_providers/{uuid}", body=name | with_parent, version=version)
    return Request("DELETE", f"/resource_providers/{uuid}", version=version)


def vocabulary(dice: Dice) -> Request:
    version, minor = _version(dice, oldest=2)
    if dice.chance(0.5):
        name = dice.choice(["CUSTOM_A", "CUSTOM_B", "CUSTOM_NEW", "HW_CPU_X86_AVX", "NOT_CUSTOM"])
        return Request(dice.choice(["PUT", "GET", "DELETE"]), f"/traits/{name}", version=version)
    name = dice.choice(["CUSTOM_GOLD", "CUSTOM_NEW", "VCPU", "NOT_CUSTOM"])
    method = dice.choice(["POST", "PUT", "GET", "DELETE"])
    path = "/resource_classes" if method == "POST" else f"/resource_classes/{name}"
    has_body = method == "POST" or (method == "PUT" and minor < 7)
    return Request(method, path, body={"name": dice.choice(["CUSTOM_NEW", name])} if has_body else b"", version=version)


def read(dice: Dice) -> Request:
    uuid, version = provider(dice), _version(dice)[0]
    below = dice.choice(["", "/inventories", "/usages", "/aggregates", "/traits", "/allocations", "/inventories/VCPU"])
    paths = [f"/resource_providers/{uuid}{below}", f"/allocations/{dice.choice([*CONSUMERS, STRANGER])}"]
    paths += ["/resource_providers", "/resource_classes"]
    return Request("GET", dice.choice([*paths[:2], *paths]), version=version)


def read_traits(dice: Dice) -> Request:
    query = dice.some([("name", "startswith:CUSTOM"), ("name", "in:CUSTOM_A,VCPU"), ("associated", "true")], most=2)
    return Request("GET", "/traits", query=tuple(query), version=_version(dice, oldest=6)[0])


def read_usages(dice: Dice) -> Request:
    version, minor = _version(dice, oldest=9)
    query = [("project_id", dice.choice([*PROJECTS, "nobody", "00000000-0000-0000-0000-000000000000"]))]
    if dice.chance(0.4):
        query.append(("user_id", dice.choice([*USERS, "nobody"])))
    if minor >= 38 and dice.chance(0.6):
        query.append(("consumer_type", dice.choice([*TYPES, "all", "unknown", "NOBODY"])))
    return Request("GET", "/usages", query=tuple(query), version=version)


Play = Callable[[Dice], Request]

CLAIMS: tuple[tuple[Play, int], ...] = (
    (put_allocations, 8),
    (post_allocations, 5),
    (delete_allocations, 2),
    (reshape, 3),
    (put_inventories, 2),
    (read, 2),
    (read_usages, 2),
)
EVERYTHING: tuple[tuple[Play, int], ...] = (
    (put_allocations, 3),
    (post_allocations, 2),
    (delete_allocations, 1),
    (reshape, 2),
    (put_inventories, 3),
    (one_inventory, 4),
    (traits_of_provider, 3),
    (aggregates_of_provider, 3),
    (one_provider, 6),
    (vocabulary, 3),
    (read, 4),
    (read_traits, 1),
    (read_usages, 1),
)


def one_of(plays: tuple[tuple[Play, int], ...], dice: Dice) -> Request:
    (play,) = dice.choices([play for play, _ in plays], weights=[weight for _, weight in plays])
    return play(dice)


def _version(dice: Dice, oldest: int = 0) -> tuple[str, int]:
    version = dice.version(oldest)
    return version, int(version.partition(".")[2])


def _stocks(dice: Dice) -> dict[str, Any]:
    return {name: stock(dice) for name in dice.some(CLASSES, most=3)}


def _full_stock(dice: Dice) -> dict[str, Any]:
    record = stock(dice)
    return record | {"reserved": record["total"]} if dice.chance(0.1) else record
