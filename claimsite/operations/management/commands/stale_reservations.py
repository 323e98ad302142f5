"""Find locks of nodes whose holder is gone, and take them off."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from claimsite.foundation.cleanup import CleanupCommand, Scope
from claimsite.foundation.findings import Checked, Finding
from claimsite.foundation.origin import Origin
from claimsite.operations import findings, repairs
from claimsite.operations.findings import in_scope


class Command(CleanupCommand):
    help = (
        "Find nodes that are locked by a host which never was a conductor, or is one that has not been heard of, and "
        "take the lock off. Host names are the same in any case. A node on which there is work for another conductor "
        "to take over keeps its lock."
    )
    page = "ironic_app_node_changelist?mismatch=stale_reservation"
    stale = repairs.STALE
    scopes = ("provider", "project")
    examples = """
  manage.py stale_reservations
  manage.py stale_reservations --provider rack1-n3 --older-than 10m --delete --reason "rack1-c1 burnt down"
"""

    def find(self, scope: Scope, options: dict[str, Any], checked: Checked) -> Iterable[Finding]:
        found = findings.of_locks(grace=scope.older_than, checked=checked)
        return (finding for finding in found if in_scope(finding, scope.provider, scope.project))

    def put_right(self, finding: Finding, options: dict[str, Any], origin: Origin) -> str:
        return repairs.put_right(finding=finding, origin=origin)
