"""Find providers whose node or host is gone, and delete them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.core.management.base import CommandParser

from claimsite.foundation.cleanup import CleanupCommand, Scope
from claimsite.foundation.findings import Checked, Finding
from claimsite.foundation.origin import Origin
from claimsite.operations import findings, leftovers, living, repairs
from claimsite.operations.findings import in_scope


class Command(CleanupCommand):
    help = (
        "Find providers that were machines and whose node is gone; with a list of living hosts, every tree whose root "
        "is not in it. One that is claimed is listed with who holds it, and never deleted."
    )
    page = "placement_app_resourceprovider_changelist?node=gone"
    stale = repairs.STALE
    scopes = ("provider",)
    examples = """
  manage.py orphan_providers
  openstack hypervisor list -f value -c "Hypervisor Hostname" | manage.py orphan_providers --living - --delete
"""

    def add_own_arguments(self, parser: CommandParser) -> None:
        living.add_argument(parser, "hosts (or their names)")

    def find(self, scope: Scope, options: dict[str, Any], checked: Checked) -> Iterable[Finding]:
        if options["living"]:
            alive = living.names(options["living"])
            return leftovers.hosts_of_the_dead(
                living=alive, provider=scope.provider, grace=scope.older_than, checked=checked
            )
        found = findings.without_nodes(grace=scope.older_than, checked=checked)
        return (finding for finding in found if in_scope(finding, scope.provider, None))

    def is_on_page(self, options: dict[str, Any]) -> bool:
        return super().is_on_page(options) and not options["living"]

    def put_right(self, finding: Finding, options: dict[str, Any], origin: Origin) -> str:
        return repairs.put_right(finding=finding, origin=origin)
