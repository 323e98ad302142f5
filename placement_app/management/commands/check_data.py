"""Check what must be true of Placement's tables, whatever happened."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.utils import timezone

from claimsite.foundation.cleanup import CleanupCommand, Scope, ripe_or_grey
from claimsite.foundation.findings import Checked, Colour, Finding
from claimsite.foundation.origin import Origin
from placement_app import errors
from placement_app.services import cleanup


class Command(CleanupCommand):
    help = (
        "Check that counters say what the allocations add up to, that no provider gives more than it has, that trees "
        "have roots and no loops, that every name is known and every time is possible. With --fix, put right what can "
        "be told for certain: counters, roots, consumers that hold nothing. Everything else is by hand."
    )
    verb = "fix"
    scopes = ("provider",)
    stale = (errors.ProviderNotFound,)
    examples = """
  manage.py check_data
  manage.py check_data --provider cmp-07
  manage.py check_data --fix --limit 1000 --json | jq '.findings[] | select(.colour == "red")'
"""

    def find(self, scope: Scope, options: dict[str, Any], checked: Checked) -> Iterable[Finding]:
        now = timezone.now()
        for finding in cleanup.all_findings(checked=checked):
            facts = finding.facts
            about = {finding.subject, finding.name, facts.get("provider"), facts.get("provider_name")}
            if scope.provider is None or scope.provider in about:
                # A wrong counter is wrong at any age: only what may be a claim in the making waits.
                yield ripe_or_grey(finding, scope, now) if finding.colour is Colour.GREEN else finding

    def put_right(self, finding: Finding, options: dict[str, Any], origin: Origin) -> str:
        return cleanup.put_right(finding=finding, origin=origin)
