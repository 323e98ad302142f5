"""Tell whether this installation is well."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from django.core.management.base import CommandParser
from django.db import DatabaseError, InterfaceError

from claimsite.foundation.commands import Exit, OperatorCommand
from claimsite.operations import doctor
from claimsite.operations.doctor import Diagnosis, Verdict


class Command(OperatorCommand):
    help = (
        "Look at settings, database, migrations, clocks, open transactions and conductors, and say of each whether it "
        "is well, and what to do if not. Changes nothing. Whether the books add up is said by check_data and reconcile."
    )
    examples = """
  manage.py doctor
  manage.py doctor --json | jq '.diagnoses[] | select(.verdict != "ok")'
"""
    exits = "0 all is well, 3 something is not"
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="print one JSON document instead of text")

    def run(self, options: dict[str, Any]) -> Exit:
        told: list[Diagnosis] = []
        away: Exception | None = None
        try:
            for diagnosis in doctor.examine():
                told.append(diagnosis)
        except (DatabaseError, InterfaceError) as error:
            away = error
            told.append(Diagnosis(Verdict.ILL, "database", f"it can't be used: {str(error).strip()}"))
        is_well = all(diagnosis.verdict is Verdict.WELL for diagnosis in told)
        status = Exit.CRASHED if away else Exit.CLEAN if is_well else Exit.FOUND
        if options["json"]:
            diagnoses = [dataclasses.asdict(diagnosis) for diagnosis in told]
            document = {"command": self.name, "diagnoses": diagnoses, "exit": int(status)}
            self.stdout.write(json.dumps(document, indent=2))
            return status
        for diagnosis in told:
            cure = f"  → {diagnosis.cure}" if diagnosis.cure else ""
            self.stdout.write(f"{diagnosis.verdict:<4}  {diagnosis.subject:<12}  {diagnosis.text}{cure}")
        return status
