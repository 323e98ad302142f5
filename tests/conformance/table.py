"""``docs/conformance.md``, from real runs of the suite: ``make conformance``."""

from __future__ import annotations

import importlib.metadata
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from tests.conformance import over_http, suite
from tests.conformance.test_suite import RESULTS
from tests.postgres import CHOICE

PAGE = Path(__file__).parents[2] / "docs" / "conformance.md"
HEAD = """# Placement's own tests

openstack-placement {version} carries {files} files of HTTP tests, {tests} in all. They run here unchanged, read from
the installed package: in the site's own process on each database (also part of `make test`), and over HTTP against
gunicorn. `make conformance` runs them all and writes this page.

| file | tests | passed on SQLite | passed on PostgreSQL | passed over HTTP |
| --- | --: | --: | --: | --: |
"""
FOOT = """
Over HTTP one request of `basic-http.yaml` cannot be made: a client refuses to send `Content-Length: hi mom`. What the
files start with (providers, claims, settings) is in `tests/conformance/`.
"""

Passed = Mapping[str, int]


def in_process(database: str) -> Passed:
    with tempfile.TemporaryDirectory(prefix="claimsite-conformance-") as folder:
        results = Path(folder, "results")
        subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "tests/conformance"],
            env=os.environ | {CHOICE: database, RESULTS: str(results)},
            check=False,
        )
        outcomes = [json.loads(line) for line in results.read_text().splitlines()] if results.exists() else []
    return {outcome["file"]: outcome["passed"] for outcome in outcomes}


def on_servers() -> Passed:
    passed = {}
    for outcome in over_http.on_own_servers():
        print(outcome, flush=True)
        passed[outcome.file] = outcome.passed
    return passed


def page(ways: list[Passed]) -> str:
    counts = {file.name: suite.count(file) for file in suite.files()}
    version = importlib.metadata.version("openstack-placement")
    rows = [[name, tests, *(way.get(name, 0) for way in ways)] for name, tests in counts.items()]
    total = ["**all**", *(sum(row[i] for row in rows) for i in range(1, len(ways) + 2))]  # type: ignore[misc]
    lines = [f"| {' | '.join(str(cell) for cell in row)} |\n" for row in (*rows, total)]
    return HEAD.format(version=version, files=len(counts), tests=sum(counts.values())) + "".join(lines) + FOOT


def main() -> int:
    ways = [in_process("sqlite"), in_process("postgres"), on_servers()]
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(page(ways))
    tests = sum(suite.count(file) for file in suite.files())
    print(f"{PAGE}: {', '.join(str(sum(way.values())) for way in ways)} of {tests}")
    return 0 if all(sum(way.values()) == tests for way in ways[:2]) else 1


if __name__ == "__main__":
    sys.exit(main())
