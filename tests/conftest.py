"""Fixtures for every test. Which database they run on is settled earlier, in ``tests/postgres.py``."""

import os

import hypothesis
import pytest

from tests.browser import chromium
from tests.clients import BaremetalClient, PlacementClient

# No deadlines: how long an example takes says nothing on a busy machine. In CI the same examples every time, so that a
# change is judged by what it changes.
hypothesis.settings.register_profile("claimsite", deadline=None, derandomize="CI" in os.environ)
hypothesis.settings.load_profile("claimsite")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if chromium.program() is None and any("browser" in str(path) for path in _left_out(terminalreporter)):
        terminalreporter.section("NOTHING WAS TESTED IN A BROWSER", red=True, bold=True)
        terminalreporter.line(chromium.MISSING)


def _left_out(terminalreporter: pytest.TerminalReporter) -> list[str]:
    return [report.nodeid for report in terminalreporter.getreports("skipped")]


@pytest.fixture
def api(db) -> PlacementClient:
    """Placement, as an administrator with the newest version: ``api.put(url, body, version="1.28")``."""
    return PlacementClient()


@pytest.fixture
def baremetal(db) -> BaremetalClient:
    """Ironic, as an administrator with the newest version: ``baremetal.patch("/v1/nodes/…", operations)``."""
    return BaremetalClient()
