"""Find nodes whose instance is dead, and free them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.core.management.base import CommandParser

from claimsite.foundation.cleanup import CleanupCommand, Scope
from claimsite.foundation.findings import Checked, Colour, Finding
from claimsite.foundation.origin import Origin
from claimsite.operations import leftovers, living, repairs


class Command(CleanupCommand):
    help = (
        "Find nodes whose instance is not alive, and free them, with all that the instance holds in Placement. A node "
        "on which a machine may still run (active, deploying, …) is not freed without --force: undeploy it, which "
        "frees it as well."
    )
    stale = repairs.STALE
    scopes = ("provider", "project")
    examples = """
  openstack server list --all-projects -f json -c ID | manage.py stale_nodes --living -
  manage.py stale_nodes --living alive.txt --delete --reason "hosts were re-installed"
"""

    def add_own_arguments(self, parser: CommandParser) -> None:
        living.add_argument(parser, "instances", required=True)
        parser.add_argument("--force", action="store_true", help="free nodes in use too")

    def find(self, scope: Scope, options: dict[str, Any], checked: Checked) -> Iterable[Finding]:
        return leftovers.nodes_of_the_dead(
            living=living.uuids(options["living"]),
            provider=scope.provider,
            project=scope.project,
            even_in_use=options["force"],
            grace=scope.older_than,
            checked=checked,
        )

    def is_selected(self, finding: Finding, options: dict[str, Any]) -> bool:
        """Those in use as well: they were asked for, and are refused."""
        return finding.colour in {Colour.AMBER, Colour.RED}

    def put_right(self, finding: Finding, options: dict[str, Any], origin: Origin) -> str:
        repairs.free_node(
            node_uuid=finding.subject, held_by=finding.facts["instance"], even_in_use=options["force"], origin=origin
        )
        return f"freed from {finding.facts['instance']}"
