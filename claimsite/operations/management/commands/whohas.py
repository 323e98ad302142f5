"""Tell all that is known of a uuid or a name."""

from __future__ import annotations

import json
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.core.serializers.json import DjangoJSONEncoder

from claimsite.foundation.commands import Exit, OperatorCommand
from claimsite.operations import knowledge


class Command(OperatorCommand):
    examples = """
  manage.py whohas 4f6e78e1-3a3a-4f6c-9d0c-2f5d8a4f7a01
  manage.py whohas rack1-n3
  manage.py whohas req-9f2c7d1e-5b0f-4a55-8a39-77d1c3a0f5be --json | jq '.[].kind'
"""
    exits = "0 it is known, 3 nobody knows it"
    help = (
        "Tell everything that is known of a consumer, instance, node, provider, node allocation or port, by its uuid "
        "in any spelling or by its name; or what one request did, by its request id. Also of what is gone. A part of a "
        "name, or the beginning of a uuid or a request id, will do: if it fits several, they are listed."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("term", metavar="UUID|NAME|REQUEST")
        parser.add_argument("--json", action="store_true", help="print one JSON document instead of text")

    def run(self, options: dict[str, Any]) -> Exit:
        term = options["term"].strip()
        if not term:
            raise CommandError("Say whom to look for: a uuid, a name or a request id.", returncode=Exit.USAGE)
        known = knowledge.meant_by(term.replace("\0", ""))
        if options["json"]:
            document = [{"kind": kind, **facts} for kind, facts in known]
            self.stdout.write(json.dumps(document, indent=2, cls=DjangoJSONEncoder))
        else:
            self.stdout.write("\n\n".join(_text(kind, facts) for kind, facts in known) or "Nobody knows it.")
        return Exit.CLEAN if known else Exit.FOUND


def _text(kind: str, facts: dict[str, Any]) -> str:
    shown = {name: value for name, value in facts.items() if value not in (None, "", [], {})}
    return "\n".join([kind.upper(), *(f"  {name:<16} {_value(value)}" for name, value in shown.items())])


def _value(value: Any) -> str:
    if isinstance(value, list):
        return ("\n" + " " * 19).join(map(str, value))
    if isinstance(value, dict):
        return ", ".join(f"{name} {_value(each)}" for name, each in value.items())
    return f"{value:%Y-%m-%dT%H:%M:%SZ}" if hasattr(value, "isoformat") else str(value)
