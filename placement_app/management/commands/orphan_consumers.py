"""Find consumers that hold nothing, and delete them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.utils import timezone

from claimsite.foundation.cleanup import CleanupCommand, Scope, ripe_or_grey
from claimsite.foundation.findings import Checked, Finding
from claimsite.foundation.origin import Origin
from placement_app.services import cleanup


class Command(CleanupCommand):
    help = (
        "Find consumers that hold nothing: leftovers of services that made a consumer before they refused its claim. "
        "Deleting one frees nothing and is taken from nobody."
    )
    page = "placement_app_consumer_changelist?holds=nothing"
    scopes = ("project", "consumer_type")
    examples = """
  manage.py orphan_consumers
  manage.py orphan_consumers --delete --older-than 1d --limit 500 --json | jq .summary
"""

    def find(self, scope: Scope, options: dict[str, Any], checked: Checked) -> Iterable[Finding]:
        now = timezone.now()
        for finding in cleanup.consumers_without_allocations(checked=checked):
            if scope.project not in (None, finding.facts["project"]):
                continue
            if scope.consumer_type not in (None, finding.facts["consumer_type"]):
                continue
            yield ripe_or_grey(finding, scope, now)

    def put_right(self, finding: Finding, options: dict[str, Any], origin: Origin) -> str:
        cleanup.delete_consumer(consumer_uuid=finding.subject, generation=finding.facts["generation"], origin=origin)
        return "deleted"
