"""What the service says it has and what is claimed of it, provider by provider."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Iterable, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from claimsite.machines import names
from claimsite.replay.claims import PROJECT, USER, Claims, claims_of
from claimsite.replay.client import RELEASING_VERSION, Answer, Placement, Unreachable
from claimsite.replay.crowd import each

RELEASED_AT_ONCE = 200


@dataclasses.dataclass(frozen=True, slots=True)
class Stock:
    """How much of one class may be claimed in all, and in which portions."""

    capacity: float
    """(total - reserved) × allocation_ratio"""
    min_unit: int = 1
    max_unit: int = 2**31 - 1
    step_size: int = 1

    def allows(self, amount: int) -> bool:
        return self.min_unit <= amount <= self.max_unit and amount % self.step_size == 0


@dataclasses.dataclass(frozen=True, slots=True)
class Books:
    """One provider's."""

    uuid: str
    name: str
    stocks: dict[str, Stock]
    usages: dict[str, int]
    """What the service says is used."""
    consumers: dict[str, dict[str, int]]
    """What each consumer holds of it."""
    gpu_model: str = ""


def books(
    placement: Placement,
    machines: Iterable[dict[str, Any]],
    *,
    classes: AbstractSet[str],
    clients: int,
    step: Callable[[], None],
) -> list[Books]:
    """The books of those of these providers that have something of ``classes`` to give; ``step`` after each provider.

    Raises Unreachable, also for answers that are not the protocol's.
    """
    models = gpu_models(placement)

    def read(provider: dict[str, Any]) -> Books | None:
        path = f"/resource_providers/{provider['uuid']}"
        inventories = _read(placement, f"{path}/inventories")["inventories"]
        stocks = {name: _stock(inventory) for name, inventory in inventories.items()}
        step()
        if not any(stocks[name].capacity > 0 for name in classes & stocks.keys()):
            # Bare metal, say: no claim of these classes can be there.
            return None
        return Books(
            uuid=provider["uuid"],
            name=provider["name"],
            stocks=stocks,
            usages=_read(placement, f"{path}/usages")["usages"],
            consumers=claims_of(_read(placement, f"{path}/allocations")["allocations"]),
            gpu_model=models.get(provider["uuid"], ""),
        )

    return [found for found in each(read, machines, clients=clients) if found is not None]


def _stock(inventory: dict[str, Any]) -> Stock:
    return Stock(
        capacity=(inventory["total"] - inventory["reserved"]) * inventory["allocation_ratio"],
        min_unit=inventory["min_unit"],
        max_unit=inventory["max_unit"],
        step_size=inventory["step_size"],
    )


def providers(placement: Placement, **query: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = _read(placement, "/resource_providers", **query)["resource_providers"]
    return found


def gpu_traits(placement: Placement) -> list[str]:
    """The traits that say which GPU a machine has."""
    found: list[str] = _read(placement, "/traits", name=f"startswith:{names.GPU_MODEL}")["traits"]
    return found


def gpu_models(placement: Placement) -> dict[str, str]:
    """Provider uuid → GPU model, of those that have a trait that says so."""
    return {
        provider["uuid"]: trait.removeprefix(names.GPU_MODEL)
        for trait in gpu_traits(placement)
        for provider in providers(placement, required=trait)
    }


def consumer_count(placement: Placement) -> int:
    """How many consumers the service says the replay's project has."""
    usages = _read(placement, "/usages", project_id=PROJECT)["usages"]
    return sum(of_type["consumer_count"] for of_type in usages.values())


def held(placement: Placement, consumer: str) -> Claims:
    """What one consumer holds."""
    return claims_of(_read(placement, f"/allocations/{consumer}")["allocations"])


def release_earlier(placement: Placement, consumers: Collection[str], *, clients: int) -> int:
    """Release what an earlier replay left claimed for these consumers, and nobody else's; how many held something."""
    if not consumer_count(placement):
        return 0

    def holders(provider: dict[str, Any]) -> list[str]:
        return list(_read(placement, f"/resource_providers/{provider['uuid']}/allocations")["allocations"])

    found = {uuid for some in each(holders, providers(placement), clients=clients) for uuid in some}
    ours = sorted(found & set(consumers))
    for start in range(0, len(ours), RELEASED_AT_ONCE):
        _release(placement, ours[start : start + RELEASED_AT_ONCE])
    return len(ours)


def _release(placement: Placement, consumers: Sequence[str]) -> None:
    nothing: dict[str, Any] = {"allocations": {}, "project_id": PROJECT, "user_id": USER}
    answer = placement.post("/allocations", dict.fromkeys(consumers, nothing), version=RELEASING_VERSION)
    if answer.status != 204:
        raise _unexpected("POST /allocations", answer)


def _read(placement: Placement, path: str, **query: str) -> dict[str, Any]:
    answer = placement.get(path, **query)
    if answer.status != 200 or not isinstance(answer.document, dict):
        raise _unexpected(f"GET {path}", answer)
    return answer.document


def _unexpected(what: str, answer: Answer) -> Unreachable:
    return Unreachable(f"{what} was answered {answer.status} {answer.code} {answer.detail}".strip())
