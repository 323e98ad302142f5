"""Fixtures for every test. Which database they run on is settled earlier, in ``tests/postgres.py``."""

import contextlib
import os
import signal
import uuid

import hypothesis
import psycopg2
import pytest
from django.db import connection

from tests.browser import chromium
from tests.clients import BaremetalClient, PlacementClient
from tests.postgres import ADDRESS

# No deadlines: how long an example takes says nothing on a busy machine. In CI the same examples every time, so that a
# change is judged by what it changes.
hypothesis.settings.register_profile("claimsite", deadline=None, derandomize="CI" in os.environ)
hypothesis.settings.load_profile("claimsite")

# What a shell starts in the background ignores Ctrl-C, and so would all commands that the tests start, and interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


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


@pytest.fixture
def database_url(tmp_path) -> str:
    """An empty database of the test's own, of the kind that this run is about, for sites in processes of their own."""
    if connection.vendor == "sqlite":
        return f"sqlite:///{tmp_path}/site.sqlite3"
    name = f"site_{uuid.uuid4().hex}"
    address = os.environ[ADDRESS].rpartition("/")[0]
    with contextlib.closing(psycopg2.connect(f"{address}/postgres")) as server:
        server.autocommit = True
        server.cursor().execute(f"CREATE DATABASE {name}")
    return f"{address}/{name}"
