"""A replay in figures: plain data, for the screen and for ``--json`` alike. Pure."""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from claimsite.machines import names
from claimsite.replay.claims import End, Outcome
from claimsite.replay.crowd import Replay
from claimsite.replay.invariants import Invariant
from claimsite.replay.room import Shortage
from claimsite.replay.survey import Books

# Enough to see what is wrong; a broken service would fill the screen.
EXAMPLES = 5
TOGETHER = "together"
"""The reason of a refusal when every class was free somewhere, but never all of them on one machine."""


def summary(
    replay: Replay,
    books: Sequence[Books],
    shortages: Mapping[str, Shortage],
    invariants: Sequence[Invariant],
) -> dict[str, Any]:
    """Times in milliseconds, rates in claims a second."""
    outcomes = replay.outcomes
    ends = Counter(outcome.end for outcome in outcomes)
    claims = sum(len(outcome.claim_seconds) for outcome in outcomes)
    return {
        "served": len(outcomes),
        "claimed": ends[End.CLAIMED],
        "refused": {
            "no_room": ends[End.NO_ROOM],
            "no_room_why": dict(Counter(_why(shortage) for shortage in shortages.values()).most_common()),
            "outrun": ends[End.OUTRUN],
            "failed": ends[End.FAILED],
        },
        "interrupted": replay.interrupted,
        "seconds": round(replay.seconds, 1),
        "claims_per_second": round(ends[End.CLAIMED] / replay.seconds, 1) if replay.seconds else 0.0,
        "latency_ms": {
            "search": latency([seconds for outcome in outcomes for seconds in outcome.search_seconds]),
            "claim": latency([seconds for outcome in outcomes for seconds in outcome.claim_seconds]),
        },
        "races": {
            "claims_sent": claims,
            "machine_changed_since_search": changed_since_search(outcomes),
            "refused_for_room": sum(outcome.refused_for_room for outcome in outcomes),
            "refused_for_race": sum(outcome.refused_for_race for outcome in outcomes),
            "busy": sum(outcome.busy for outcome in outcomes),
            "lost_answers": sum(outcome.lost_answers for outcome in outcomes),
        },
        "fill": fill(books),
        "gpu_models": gpu_models(books),
        "invariants": [
            {
                "name": invariant.name,
                "promise": invariant.promise,
                "checked": invariant.checked,
                "holds": invariant.holds,
                "broken": len(invariant.broken),
                "examples": invariant.broken[:EXAMPLES],
            }
            for invariant in invariants
        ],
    }


def latency(seconds: Sequence[float]) -> dict[str, float]:
    """Percentiles by nearest rank, in milliseconds; empty without measurements."""
    if not seconds:
        return {}
    ordered = sorted(seconds)
    ranks = {f"p{percent}": math.ceil(percent / 100 * len(ordered)) - 1 for percent in (50, 95, 99)}
    return {name: round(1000 * ordered[rank], 1) for name, rank in (ranks | {"max": -1}).items()}


def changed_since_search(outcomes: Sequence[Outcome]) -> int:
    """How many claims succeeded although another client had claimed of the same machine since their search was sent."""
    by_provider: defaultdict[str, list[Outcome]] = defaultdict(list)
    for outcome in outcomes:
        for provider in outcome.claims:
            by_provider[provider].append(outcome)
    changed = 0
    for on_provider in by_provider.values():
        on_provider.sort(key=lambda outcome: outcome.ended_at)
        # Whoever was acknowledged last before us on this machine: if that was after our search, we raced.
        for earlier, outcome in itertools.pairwise(on_provider):
            changed += earlier.ended_at > outcome.searched_at
    return changed


def fill(books: Sequence[Books]) -> list[dict[str, Any]]:
    """Used and capacity of each class that has any, over all machines."""
    capacity: Counter[str] = Counter()
    used: Counter[str] = Counter()
    for book in books:
        used.update(book.usages)
        for name, stock in book.stocks.items():
            capacity[name] += int(stock.capacity)
    return [{"resource_class": name, "used": used[name], "capacity": capacity[name]} for name in capacity]


def gpu_models(books: Sequence[Books]) -> list[dict[str, Any]]:
    """Thousandths of GPUs used and there, by model, the most plentiful first; machines without a model left out."""
    machines: Counter[str] = Counter()
    used: Counter[str] = Counter()
    capacity: Counter[str] = Counter()
    for book in books:
        if book.gpu_model and (stock := book.stocks.get(names.GPU_MILLI)):
            machines[book.gpu_model] += 1
            used[book.gpu_model] += book.usages.get(names.GPU_MILLI, 0)
            capacity[book.gpu_model] += int(stock.capacity)
    return [
        {"model": model, "machines": machines[model], "used": used[model], "capacity": total}
        for model, total in capacity.most_common()
    ]


def _why(shortage: Shortage) -> str:
    return "+".join(shortage.lacking) or TOGETHER
