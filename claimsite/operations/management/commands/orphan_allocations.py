"""Find claims whose consumer is dead, and release them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.core.management.base import CommandParser

from claimsite.foundation.cleanup import CleanupCommand, Scope
from claimsite.foundation.findings import Checked, Finding
from claimsite.foundation.origin import Origin
from claimsite.operations import leftovers, living, repairs


class Command(CleanupCommand):
    help = (
        "Find consumers that hold something and are not alive, and release what they hold. Who is alive is said by a "
        "list, or by the nodes: then only claims of whole machines are judged. A consumer that a node has as its "
        "instance is never released: see stale_nodes."
    )
    stale = repairs.STALE
    examples = """
  openstack server list --all-projects -f value -c ID | manage.py orphan_allocations --living -
  manage.py orphan_allocations --living alive.txt --provider cmp-07 --older-than 1d
  manage.py orphan_allocations --living-from-nodes --delete --reason "nova was down, ticket 4711"
"""

    def add_own_arguments(self, parser: CommandParser) -> None:
        source = parser.add_mutually_exclusive_group(required=True)
        living.add_argument(source, "consumers (instances, migrations, …)")
        source.add_argument(
            "--living-from-nodes", action="store_true", help="the instances of nodes are alive, nobody else"
        )

    def find(self, scope: Scope, options: dict[str, Any], checked: Checked) -> Iterable[Finding]:
        return leftovers.claims_of_the_dead(
            living=living.uuids(options["living"]) if options["living"] else None,
            provider=scope.provider,
            project=scope.project,
            consumer_type=scope.consumer_type,
            grace=scope.older_than,
            checked=checked,
        )

    def put_right(self, finding: Finding, options: dict[str, Any], origin: Origin) -> str:
        return repairs.put_right(finding=finding, origin=origin)
