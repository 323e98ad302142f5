from __future__ import annotations

from typing import Any

from placement_app.candidates.explain import Explanation, Lack, Miss, Step


def explanation(explained: Explanation) -> dict[str, Any]:
    """The funnel of a search, step by step, with examples of what each step removed."""
    return {
        "providers": explained.providers,
        "roots": explained.roots,
        "roots_with_candidates": explained.roots_with_candidates,
        "groups": [
            {"suffix": funnel.suffix, "wants": funnel.wants, "steps": list(map(_step, funnel.steps))}
            for funnel in explained.groups
        ],
        "whole": list(map(_step, explained.whole)),
        "nearest_misses": list(map(_miss, explained.nearest)),
    }


def _step(step: Step) -> dict[str, Any]:
    return {"condition": step.condition, "wants": step.wants, "left": step.left, "removed": step.removed}


def _miss(miss: Miss) -> dict[str, Any]:
    return {
        "provider": {"uuid": miss.root.uuid, "name": miss.root.name},
        "lacks": list(map(_lack, miss.lacks)),
    }


def _lack(lack: Lack) -> dict[str, Any]:
    return {
        "provider": lack.provider,
        "condition": lack.condition,
        "wants": lack.wants,
        "has": lack.has,
        "text": str(lack),
    }
