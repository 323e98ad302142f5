"""Tell why a search for candidates finds what it finds."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

from django.core.management.base import CommandError, CommandParser

from claimsite.foundation.commands import Exit, OperatorCommand
from claimsite.foundation.errors import DomainError
from claimsite.operations import explaining
from placement_app.api.render import explain as render
from placement_app.candidates import explain
from placement_app.candidates.explain import Explanation, Step


class Command(OperatorCommand):
    examples = """
  manage.py explain 'resources=VCPU:4,MEMORY_MB:8192&required=HW_CPU_X86_AVX2'
  manage.py explain 'resources=CUSTOM_BAREMETAL:1&in_tree=4f6e78e1-3a3a-4f6c-9d0c-2f5d8a4f7a01' --json
"""
    exits = "0 something fits, 3 nothing does"
    help = (
        "Take the query of GET /allocation_candidates, and tell how many providers are left after each of its "
        "conditions, and what the nearest misses lack."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("query", metavar="QUERY", help="as after the ? of GET /allocation_candidates")
        parser.add_argument("--json", action="store_true", help="print one JSON document instead of text")

    def run(self, options: dict[str, Any]) -> Exit:
        text = quote(options["query"].rpartition("?")[2], safe="=&%+:,!;-_ ")
        try:
            explained = explain.explain(explaining.request_of(text))
        except (explaining.Unreadable, DomainError) as error:
            raise CommandError(str(error), returncode=Exit.USAGE) from error
        document = render.explanation(explained)
        self.stdout.write(json.dumps(document, indent=2) if options["json"] else _text(explained))
        return Exit.CLEAN if explained.roots_with_candidates else Exit.FOUND


def _text(explained: Explanation) -> str:
    lines = [f"{explained.providers:,} providers in {explained.roots:,} trees"]
    for funnel in explained.groups:
        lines += ["", f"{funnel.wants}, over all providers:", *map(_step, funnel.steps)]
    lines += ["", "All together, over all roots:", *map(_step, explained.whole)]
    if explained.nearest:
        lines += ["", "Nearest misses:"]
        lines += [f"  {miss}" for miss in explained.nearest]
        lines += ["", f"The most that one provider has free: {explained.most_free_in_words or 'nobody has any'}"]
    lines += ["", f"{explained.roots_with_candidates:,} of {explained.roots:,} trees fit."]
    return "\n".join(lines)


def _step(step: Step) -> str:
    removed = f"   without {', '.join(step.removed)}" if step.removed else ""
    return f"  {step.left:>8,} left after {step.condition} {step.wants}{removed}".rstrip()
