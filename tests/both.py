"""The whole suite on each database, closing with one line for both: ``python -m tests.both [pytest's arguments]``.

Each database is one run of pytest with its usual output. The last line is in the form of pytest's own closing line
and adds the two up; the exit status is that of the first run that failed.
"""

import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

from tests.postgres import CHOICE

WIDTH = 80
OUTCOMES = ("failed", "passed", "skipped", "errors")


def run(database: str, arguments: list[str]) -> tuple[int, Counter[str], float]:
    """One run of pytest: its exit status, how many tests ended how, and the seconds it took."""
    with tempfile.TemporaryDirectory(prefix="claimsite-report-") as folder:
        report = Path(folder, "junit.xml")
        done = subprocess.run(
            [sys.executable, "-m", "pytest", *arguments, f"--junitxml={report}"],
            env=os.environ | {CHOICE: database},
            check=False,
        )
        # pytest that never came to its end tells nothing: count that as an error.
        counts, seconds = read(report) if report.exists() else (Counter(errors=1), 0.0)
    return done.returncode, counts, seconds


def read(report: Path) -> tuple[Counter[str], float]:
    suite = ElementTree.parse(report).getroot()[0]
    total, failed, errors, skipped = (int(suite.get(name, 0)) for name in ("tests", "failures", "errors", "skipped"))
    passed = total - failed - errors - skipped
    return Counter(failed=failed, passed=passed, skipped=skipped, errors=errors), float(suite.get("time", 0))


def closing_line(counts: Counter[str], seconds: float) -> str:
    told = ", ".join(f"{counts[outcome]} {outcome}" for outcome in OUTCOMES if counts[outcome])
    return f" {told or 'no tests ran'} in {seconds:.2f}s ".center(WIDTH, "=")


def main(arguments: list[str]) -> int:
    status, total, seconds = 0, Counter[str](), 0.0
    told = []
    for database in ("sqlite", "postgres"):
        print(f"\n{f' The suite on {database} ':#^{WIDTH}}\n", flush=True)
        ended, counts, took = run(database, arguments)
        status = status or ended
        total += counts
        seconds += took
        told.append(f"{database:8} {closing_line(counts, took).strip('= ')}")
    print("", *told, closing_line(total, seconds), sep="\n", flush=True)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
