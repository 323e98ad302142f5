"""Take over what a running Placement knows."""

from __future__ import annotations

from claimsite.operations.takeover.placement import PlacementTakeover
from claimsite.operations.takeover_command import TakeoverCommand
from claimsite.replay.client import Placement


class Command(TakeoverCommand):
    help = (
        "Read providers, inventories, traits, aggregates and allocations from a running Placement (1.39 or newer), and "
        "write them through the same checks as the API. Nothing that is here already is changed. Broken off, it can "
        "be started again. In the end what is used is compared, provider by provider."
    )
    examples = """
  manage.py import_placement http://127.0.0.1:8778 --dry-run
  manage.py import_placement http://127.0.0.1:8778 --token $TOKEN --json | jq .faults
"""
    takeover = PlacementTakeover
    client = Placement
