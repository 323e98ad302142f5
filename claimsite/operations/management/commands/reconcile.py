"""Find where nodes and claims tell different stories, and make them tell the same."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.core.management.base import CommandParser

from claimsite.foundation.cleanup import CleanupCommand, Scope
from claimsite.foundation.findings import Checked, Colour, Finding
from claimsite.foundation.origin import Origin
from claimsite.operations import findings, repairs
from claimsite.operations.findings import in_scope

_LEVELS = {"green": {Colour.GREEN}, "amber": {Colour.GREEN, Colour.AMBER}}


class Command(CleanupCommand):
    help = (
        "Compare every node with what is claimed of it in Placement. Each finding says what would put it right: green "
        "only adds protection, amber frees something, red is for people, since somebody may be using the machine."
    )
    verb = "fix"
    page = "ironic_app_node_changelist?mismatch=any"
    stale = repairs.STALE
    scopes = ("provider", "project")
    examples = """
  manage.py reconcile
  manage.py reconcile --fix green --reason cron
  manage.py reconcile --fix amber --provider rack2-n1 --reason "ticket 4711" --json | jq .summary
"""

    def add_verb(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--fix",
            dest="act",
            choices=sorted(_LEVELS, reverse=True),
            help="put right what is green; amber: and what frees something. Without it, only say what was found",
        )

    def find(self, scope: Scope, options: dict[str, Any], checked: Checked) -> Iterable[Finding]:
        found = findings.all_findings(grace=scope.older_than, checked=checked)
        return (finding for finding in found if in_scope(finding, scope.provider, scope.project))

    def is_selected(self, finding: Finding, options: dict[str, Any]) -> bool:
        return finding.colour in _LEVELS[options["act"]]

    def put_right(self, finding: Finding, options: dict[str, Any], origin: Origin) -> str:
        return repairs.put_right(finding=finding, origin=origin)
