"""The suite over real HTTP.

``python -m tests.conformance.over_http``                          servers of its own, one for each way of settings
``python -m tests.conformance.over_http http://127.0.0.1:8000``    a running one with Placement at its root

A running server is emptied first, and again for each file. Files that need other settings than the old defaults of the
policy are left out, and named.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from tests.conformance import server, suite
from tests.conformance.scenes import OLD_DEFAULTS


def on_own_servers() -> Iterator[suite.Outcome]:
    def settings(file: Path) -> str:
        return repr(suite.scene_of(file).settings)

    for _, files in groupby(sorted(suite.files(), key=settings), key=settings):
        group = list(files)
        with server.serving(suite.scene_of(group[0]).settings) as address:
            for file in group:
                yield suite.run(file, suite.Site(address=address))


def on(address: str) -> Iterator[suite.Outcome]:
    for file in suite.files():
        if suite.scene_of(file).settings == OLD_DEFAULTS:
            yield suite.run(file, suite.Site(address=address))
        else:
            print(f"{file.name}: needs a server with {dict(suite.scene_of(file).settings)}")


def main(arguments: list[str]) -> int:
    outcomes = []
    for outcome in on(arguments[0]) if arguments else on_own_servers():
        print(outcome, flush=True)
        outcomes.append(outcome)
    tests, passed = sum(each.tests for each in outcomes), sum(each.passed for each in outcomes)
    print(f"{len(outcomes)} files: {passed} of {tests} tests passed")
    return 0 if tests == passed else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
