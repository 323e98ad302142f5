"""The private PostgreSQL of a test run: nothing of it may stay behind."""

import socket
import subprocess
import sys
import time
from pathlib import Path

import psycopg2
import pytest

from tests import postgres

ROOT = Path(__file__).resolve().parents[2]

needs_postgres = pytest.mark.skipif(postgres.programs() is None, reason="no PostgreSQL on this machine")

START_AND_WAIT = """
from tests.postgres import Server, programs
server = Server(programs())
server.start()
print(server.port, server.folder, flush=True)
input()
"""


def listens(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def within(seconds, condition):
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.05)
    return condition()


@needs_postgres
class TestServer:
    def test_takes_connections_and_leaves_nothing_behind(self):
        server = postgres.Server(postgres.programs() or Path())
        server.start()
        try:
            with psycopg2.connect(f"postgres://claimsite@127.0.0.1:{server.port}/postgres") as connection:
                connection.cursor().execute("SELECT 1")
            connection.close()
        finally:
            server.stop()

        assert server.port < 32768
        assert not listens(server.port)
        assert not server.folder.exists()

    def test_ends_with_whoever_started_it_even_by_force(self):
        process = subprocess.Popen(
            [sys.executable, "-c", START_AND_WAIT],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        port, folder = process.stdout.readline().split()
        was_up = listens(int(port))

        process.kill()
        process.communicate()

        assert was_up
        assert within(20, lambda: not listens(int(port)))
        assert within(20, lambda: not Path(folder).exists())


class TestChoice:
    def test_a_run_without_postgresql_fails_in_ci(self, monkeypatch):
        monkeypatch.setenv("CI", "true")
        monkeypatch.setattr(postgres, "programs", lambda: None)

        with pytest.raises(pytest.UsageError, match="No PostgreSQL found"):
            postgres._use_postgres(cleanup=lambda undo: None)

    def test_an_unknown_database_is_refused(self, monkeypatch, pytestconfig):
        monkeypatch.setenv(postgres.CHOICE, "oracle")

        with pytest.raises(pytest.UsageError, match="must be 'sqlite' or 'postgres'"):
            postgres.pytest_load_initial_conftests(pytestconfig)
