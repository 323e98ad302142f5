import json
from datetime import UTC, datetime, timedelta

import pytest
from django.db import OperationalError, connection
from django.utils import timezone

from claimsite.operations import doctor
from ironic_app.models import Conductor, Transition
from tests.commands.running import run
from tests.ironic.builders import make_node

pytestmark = pytest.mark.django_db

is_postgresql = connection.vendor == "postgresql"


def verdicts():
    return {diagnosis.subject: diagnosis.verdict.value for diagnosis in doctor.examine()}


class TestDoctor:
    def test_finds_a_fresh_site_well(self):
        status, output = run("doctor")

        assert status == 0
        assert all(line.startswith("ok ") for line in output.splitlines())
        assert "migrations" in output

    def test_tells_what_is_wrong_with_the_cure(self, settings):
        settings.AUTH_STRATEGY = "trust"

        status, output = run("doctor")

        assert status == 3
        assert "FAIL  settings      claimsite.E005" in output

    def test_prints_one_document_for_programs(self):
        make_node()

        status, output = run("doctor", "--json")

        document = json.loads(output)
        assert status == document["exit"] == 3
        [found] = [each for each in document["diagnoses"] if each["verdict"] != "ok"]
        assert found["subject"] == "conductors"
        assert found["cure"].startswith("manage.py run_conductor")

    def test_misses_migrations(self, monkeypatch):
        from django.db.migrations.recorder import MigrationRecorder

        applied = MigrationRecorder(connection).applied_migrations()
        monkeypatch.setattr(
            MigrationRecorder,
            "applied_migrations",
            lambda self: {key: row for key, row in applied.items() if key[0] != "ironic_app"},
        )

        status, output = run("doctor")

        assert status == 3
        assert "FAIL  migrations    missing: ironic_app.0001_initial" in output
        assert "→ manage.py migrate" in output

    def test_says_that_the_database_is_away_and_what_was_seen_before(self, monkeypatch):
        def away(*_):
            raise OperationalError("could not connect")

        monkeypatch.setattr(doctor, "_migrations", away)

        status, output = run("doctor")

        assert status == 1
        assert output.splitlines()[-1] == "FAIL  database      it can't be used: could not connect"
        assert output.startswith("ok    settings")


class TestConductors:
    def test_that_are_alive_are_well(self):
        make_node()
        Conductor.objects.create(hostname="c1", drivers=["fake-hardware"], last_seen_at=timezone.now())

        assert verdicts()["conductors"] == "ok"

    def test_are_missed_where_nodes_wait_for_one(self):
        Transition.objects.create(
            node=make_node(), kind="provision", verb="manage", due_at=timezone.now() - timedelta(hours=1), door="d"
        )

        assert verdicts()["conductors"] == "FAIL"


@pytest.mark.skipif(is_postgresql, reason="About SQLite.")
class TestSqlite:
    def test_misses_the_journal_that_lets_readers_be(self, monkeypatch):
        monkeypatch.setattr(doctor, "_ask", lambda sql: [("delete",)])

        assert verdicts()["database"] == "warn"

    def test_misses_room_on_the_disk(self, monkeypatch):
        full = type("Usage", (), {"free": 1, "total": 100})
        monkeypatch.setattr("shutil.disk_usage", lambda path: full)

        assert verdicts()["disk"] == "warn"


@pytest.mark.skipif(not is_postgresql, reason="About PostgreSQL.")
class TestPostgresql:
    @pytest.mark.parametrize(
        ("look", "answer", "verdict"),
        [
            (doctor._primary, [(True, True)], "FAIL"),
            (doctor._primary, [(False, True)], "FAIL"),
            (doctor._clock, [(datetime(2000, 1, 1, tzinfo=UTC),)], "warn"),
            (doctor._sessions, [(90, 100)], "warn"),
            (doctor._idle_transactions, [(7, "psql")], "warn"),
            (doctor._statistics, [("ironic_app_node",)], "warn"),
        ],
        ids=lambda value: getattr(value, "__name__", ""),
    )
    def test_is_judged_by_what_it_says(self, monkeypatch, look, answer, verdict):
        monkeypatch.setattr(doctor, "_ask", lambda *_: answer)

        assert look().verdict == verdict

    @pytest.mark.django_db(transaction=True)
    def test_shows_who_leaves_a_transaction_open(self, monkeypatch):
        monkeypatch.setattr(doctor, "LONGEST_IDLE", timedelta())
        other = connection.copy()
        try:
            with other.cursor() as cursor:
                cursor.execute("SET application_name = 'sleeper'")
                cursor.execute("BEGIN")

            assert "(sleeper)" in doctor._idle_transactions().text
        finally:
            other.close()
