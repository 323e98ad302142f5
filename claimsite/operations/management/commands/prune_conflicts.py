"""Delete old records of refusals."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from claimsite.operations import prunings
from claimsite.operations.pruning_command import PruningCommand
from claimsite.operations.prunings import Pile


class Command(PruningCommand):
    help = "Say how many refusals are older than a time, of claims and of nodes; with --delete, forget them."
    default_age = timedelta(days=14)
    examples = """
  manage.py prune_conflicts
  manage.py prune_conflicts --delete --older-than 7d
"""

    def piles(self, before: datetime) -> Sequence[Pile]:
        return prunings.conflicts(before)
