"""Delete old history."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from claimsite.operations import prunings
from claimsite.operations.pruning_command import PruningCommand
from claimsite.operations.prunings import Pile


class Command(PruningCommand):
    help = (
        "Say how much history of claims, providers and nodes is older than a time; with --delete, forget it. Nothing "
        "that is held now is touched: only the story of how it came to that."
    )
    default_age = timedelta(days=365)
    examples = """
  manage.py prune_history
  manage.py prune_history --delete --older-than 90d --json | jq .rows
"""

    def piles(self, before: datetime) -> Sequence[Pile]:
        return prunings.history(before)
