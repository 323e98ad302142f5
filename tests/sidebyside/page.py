"""``docs/side-by-side.md``: every declared difference, and how often a real run met it (``make side-by-side``).

``python -m tests.sidebyside.page RESULTS`` writes it from the results that one or more runs have left in that file.
"""

from __future__ import annotations

import importlib.metadata
import itertools
import json
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from tests.sidebyside.differences import DECLARED

RESULTS = "CLAIMSITE_SIDE_BY_SIDE_RESULTS"
"""A file to which each test adds a line: what it sent, and what it met."""
PAGE = Path(__file__).parents[2] / "docs" / "side-by-side.md"
DATABASES = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}
KINDS = {
    "searches": "odd clouds (trees, pools, aggregates, tight stocks), and searches in them",
    "claims": "claims of few consumers on few providers, reshapes, changes of inventories",
    "everything": "all that can be written and read",
    "changes": "few searches, asked again and again while all that they look at changes",
    "faults": "requests spoilt in one place: body, path, query, headers",
    "versions": "every route with every method at every version",
    "callers": "every route with every method by every kind of caller, by the old and by the new rules",
}
ALL = "all"
COUNTS = ("sequences", "requests", "refusals")
HEAD = """# Side by side with openstack-placement

The same generated requests go to openstack-placement {version} and to this site, both in one process, and after each
the two must agree: on the status, the error's code, the body, the headers that clients rely on, and, after each
write, on every row of the database. What differs must be declared in `tests/sidebyside/differences.py`; anything else
fails and is shrunk to as few requests as show it. Where the peer's candidates are no measure, those of this site must
be all that there are by the definition, of which the tests have a second, naive form.

A few sequences run with the tests; `make side-by-side SEQUENCES=200` runs more, on both databases, and writes this
page. The databases are those of this site. The peer is always on SQLite: on PostgreSQL some of its own queries fail
with 500, those for forbidden traits and, from 1.38 on, for usages.

"""


def differences() -> list[tuple[str, str]]:
    return [(each.peer, each.here) for each in DECLARED]


def told() -> list[tuple[str, str]]:
    """The differences that the page tells now."""
    rows = [line.strip("| \n").split(" | ") for line in PAGE.read_text().splitlines() if line.startswith("| ")]
    start = rows.index(["openstack-placement", "this site", "met"])
    return [(peer, here) for peer, here, _ in rows[start + 2 :]]


def page(results: list[dict[str, Any]]) -> str:
    sums: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    met: Counter[str] = Counter()
    for result in results:
        for kind in (result["kind"], ALL):
            sums[kind, result["database"]].update({name: result[name] for name in COUNTS})
        met.update(result["declared"])
    lines = [
        _row("what is sent", "database", "sequences", "requests", "of these refused"),
        "| --- | --- | --: | --: | --: |",
    ]
    for kind, database in itertools.product([*KINDS, ALL], DATABASES):
        if counts := sums.get((kind, database)):
            figures = [f"{counts[name]:,}" for name in COUNTS]
            lines.append(_row(KINDS.get(kind, "**all**"), DATABASES[database], *figures))
    lines += ["", "## Where the two differ, and why", ""]
    lines += [_row("openstack-placement", "this site", "met"), "| --- | --- | --: |"]
    lines += [_row(peer, here, f"{met[peer]:,}") for peer, here in differences()]
    return HEAD.format(version=importlib.metadata.version("openstack-placement")) + "\n".join(lines) + "\n"


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def main(arguments: list[str]) -> int:
    file = Path(arguments[0])
    PAGE.write_text(page([json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []))
    print(f"{PAGE} is written.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
