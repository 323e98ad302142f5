"""Print the rules of who may call what as the beginning of a policy file."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from claimsite.foundation.openstack.policy import Enforcer, Rule, of_all_services

EXAMPLES = """
examples:
  manage.py sample_policy > policy.yaml
  manage.py sample_policy --service placement | less

Take the "#" from the rules that shall differ, change them, and name the file in CLAIMSITE_POLICY_FILE. What stays
behind a "#" keeps its default. manage.py check says whether the file makes sense; docs/policy.md explains its language.
"""


class Command(BaseCommand):
    help = (
        "Print every rule of who may call what, with what it guards and who may by default: the beginning of a policy "
        "file. Nothing is in force that stands behind a '#'."
    )
    requires_system_checks = []

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        return super().create_parser(
            prog_name, subcommand, epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter, **kwargs
        )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--service", choices=sorted(of_all_services()), help="only the rules of this one (default: of all)"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        for service, enforcer in of_all_services().items():
            if options["service"] in {None, service}:
                self.stdout.write("\n".join(_page(service, enforcer)))


def _page(service: str, enforcer: Enforcer) -> Iterator[str]:
    yield f"# --- {service} ".ljust(120, "-")
    yield ""
    for rule in enforcer.rules.values():
        yield from _paragraph(rule)


def _paragraph(rule: Rule) -> Iterator[str]:
    yield f"# {rule.description}"
    if rule.operations:
        yield f"# {', '.join(rule.operations)}"
    yield f"# for tokens of: {', '.join(rule.scopes)}"
    if rule.formerly is not None:
        yield f"# without CLAIMSITE_POLICY_ENFORCE_NEW_DEFAULTS also: {rule.formerly}"
    yield f'#"{rule.name}": "{rule.check}"'
    yield ""
