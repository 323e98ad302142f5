"""Take over what a running Ironic knows."""

from __future__ import annotations

from claimsite.operations.takeover.ironic import IronicTakeover
from claimsite.operations.takeover_command import TakeoverCommand
from claimsite.replay.client import Ironic


class Command(TakeoverCommand):
    help = (
        "Read nodes from a running Ironic (1.65 or newer) with their states, instances, owners and lessees, traits, "
        "ports, port groups, volume records, chassis and allocations, and write them here as they are there: nothing "
        "is set going. Nodes that are on their way are left out and told; once they have arrived, run it again. "
        "Nothing that is here already is changed. Broken off, it can be started again. In the end all nodes and "
        "what hangs on them are compared. Where claims are in a Placement, run import_placement first."
    )
    examples = """
  manage.py import_ironic http://127.0.0.1:6385 --dry-run
  manage.py import_ironic http://127.0.0.1:6385 --token $TOKEN --json | jq .waiting
"""
    takeover = IronicTakeover
    client = Ironic
