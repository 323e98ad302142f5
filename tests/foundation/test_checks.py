"""The start-up checks: settings under which claims would not be safe, or the door would stand open, do not start."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import SystemCheckError
from django.db import connection, connections

from claimsite import environment
from claimsite.foundation import checks

PROJECT = Path(__file__).resolve().parents[2]


def ids(messages) -> list[str]:
    return [message.id for message in messages]


@pytest.fixture
def database(monkeypatch):
    """The default database's settings, to be changed for one test."""
    default = connections["default"]
    changed = {**default.settings_dict, "OPTIONS": dict(default.settings_dict["OPTIONS"])}
    monkeypatch.setattr(default, "settings_dict", changed)
    return changed


@pytest.fixture
def served(settings):
    """The settings as a server has them."""
    settings.TESTING = False
    settings.SECRET_KEY = "a key of one's own, long enough for anything that is signed with it"
    settings.ALLOWED_HOSTS = settings.LOOPBACK_HOSTS
    return settings


class TestTransactions:
    def test_a_transaction_around_each_request_is_refused(self, database):
        database["ATOMIC_REQUESTS"] = True

        assert ids(checks.transactions_are_ours()) == ["claimsite.E001"]

    def test_the_settings_as_they_are_pass(self):
        assert checks.transactions_are_ours() == []

    def test_the_check_is_part_of_every_check(self, database):
        database["ATOMIC_REQUESTS"] = True

        with pytest.raises(SystemCheckError, match=r"claimsite\.E001"):
            call_command("check")


@pytest.mark.skipif(connection.vendor != "sqlite", reason="About SQLite.")
class TestSqlite:
    @pytest.mark.parametrize("mode", [None, "DEFERRED", "EXCLUSIVE"])
    def test_transactions_that_lock_late_are_refused(self, database, mode):
        database["OPTIONS"]["transaction_mode"] = mode

        assert ids(checks.sqlite_writes_are_immediate()) == ["claimsite.E002"]

    def test_the_backend_without_a_queue_of_writers_is_refused(self, database):
        database["ENGINE"] = "django.db.backends.sqlite3"

        assert ids(checks.sqlite_writes_are_immediate()) == ["claimsite.E003"]

    def test_the_settings_as_they_are_pass(self):
        assert checks.sqlite_writes_are_immediate() == []


@pytest.mark.skipif(connection.vendor != "postgresql", reason="About PostgreSQL.")
class TestPostgresql:
    def test_psycopg_3_is_refused(self, monkeypatch):
        monkeypatch.setattr("django.db.backends.postgresql.psycopg_any.is_psycopg3", True)

        assert ids(checks.postgresql_is_driven_by_psycopg2()) == ["claimsite.E004"]

    def test_the_settings_as_they_are_pass(self):
        assert checks.postgresql_is_driven_by_psycopg2() == []
        assert checks.sqlite_writes_are_immediate() == []


class TestTheDoor:
    def test_an_unknown_strategy_is_refused_and_the_known_ones_are_named(self, served):
        served.AUTH_STRATEGY = "keystne"

        (refused,) = checks.the_door_is_closed()

        assert refused.id == "claimsite.E005"
        assert "'keystne'" in refused.msg
        assert "noauth2" in refused.msg

    @pytest.mark.parametrize("bind", ["127.0.0.1:8000", "localhost:8000", "[::1]:8000", "unix:/run/claimsite.sock"])
    def test_without_authentication_loopback_is_fine(self, served, bind):
        served.BIND = bind

        assert checks.the_door_is_closed() == []

    @pytest.mark.parametrize(
        "bind", ["0.0.0.0:8000", "[::]:8000", ":8000", "8000", "192.0.2.1:80", "claims.example.com:80"]
    )
    def test_without_authentication_other_addresses_are_refused(self, served, bind):
        served.BIND = bind

        assert ids(checks.the_door_is_closed()) == ["claimsite.E006"]

    @pytest.mark.parametrize("host", ["*", ".example.com", "claims.example.com"])
    def test_without_authentication_other_names_are_refused(self, served, host):
        served.ALLOWED_HOSTS = [*served.LOOPBACK_HOSTS, host]

        assert ids(checks.the_door_is_closed()) == ["claimsite.E006"]

    def test_whoever_wants_it_open_says_so(self, served):
        served.BIND = "0.0.0.0:8000"
        served.ALLOW_UNAUTHENTICATED = True

        assert checks.the_door_is_closed() == []

    def test_the_public_key_is_for_loopback_only(self, served):
        served.SECRET_KEY = served.INSECURE_SECRET_KEY
        at_home = checks.the_door_is_closed()
        served.BIND = "0.0.0.0:8000"
        served.ALLOW_UNAUTHENTICATED = True
        outside = checks.the_door_is_closed()

        assert at_home == []
        assert ids(outside) == ["claimsite.E007"]


class TestThePolicyFile:
    @pytest.fixture
    def policy_file(self, settings, tmp_path):
        path = tmp_path / "policy.yaml"
        settings.POLICY_FILE = str(path)
        return path

    def test_none_is_needed(self):
        assert checks.policy_file_is_sound() == []

    def test_a_sound_one_passes(self, policy_file):
        policy_file.write_text('"on_call": "user_id:grace"\n"placement:traits:list": "rule:on_call"\n')

        assert checks.policy_file_is_sound() == []

    def test_every_fault_is_named_with_file_line_and_rule(self, policy_file):
        policy_file.write_text('"placement:traits:list": "role:admin or"\n"placement:usages": "rule:nobody_knows"\n')

        refused = checks.policy_file_is_sound()

        assert ids(refused) == ["claimsite.E008"] * 2
        assert [message.msg for message in refused] == [
            f"{policy_file} line 1: placement:traits:list: cannot understand role:admin or",
            f"{policy_file} line 2: placement:usages: there is no rule 'nobody_knows'",
        ]

    def test_one_that_is_missing_is_refused(self, policy_file):
        (refused,) = checks.policy_file_is_sound()

        assert refused.id == "claimsite.E008"
        assert "cannot be read" in refused.msg

    def test_a_name_that_guards_nothing_is_only_warned_of(self, policy_file):
        policy_file.write_text('"placement:trait:list": "!"\n')

        (warned,) = checks.policy_file_is_sound()

        assert warned.id == "claimsite.W001"
        assert not warned.is_serious()
        assert "placement:trait:list" in warned.msg


class TestOrigins:
    @pytest.mark.parametrize(
        "origin", ["*", "https://horizon.example.com", "http://127.0.0.1:8080", "http://[::1]:80", "app://x"]
    )
    def test_as_browsers_send_them_pass(self, settings, origin):
        settings.CORS_ALLOWED_ORIGINS = [origin]

        assert checks.origins_are_origins() == []

    @pytest.mark.parametrize(
        "origin",
        ["horizon.example.com", "https://horizon.example.com/", "https://Horizon.example.com", "https://*", "null"],
    )
    def test_that_would_never_match_are_refused(self, settings, origin):
        settings.CORS_ALLOWED_ORIGINS = ["https://good.example.com", origin]

        (refused,) = checks.origins_are_origins()

        assert refused.id == "claimsite.E009"
        assert repr(origin) in refused.msg


class TestServers:
    """Django checks before commands only; a server that loads ``claimsite.wsgi`` must not be the way around."""

    def load(self, **variables: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-W", "error", "-c", "import claimsite.wsgi"],
            cwd=PROJECT,
            env={**os.environ, **variables},
            capture_output=True,
            text=True,
            check=False,
        )

    def test_do_not_start_with_the_door_open(self):
        started = self.load(CLAIMSITE_BIND="0.0.0.0:8000")

        assert started.returncode != 0
        assert "claimsite.E006" in started.stderr
        assert "CLAIMSITE_ALLOW_UNAUTHENTICATED" in started.stderr

    def test_start_without_a_warning(self):
        started = self.load()

        assert started.returncode == 0
        assert started.stderr == ""


class TestEnvironment:
    """What is written wrongly in the environment is refused, not guessed."""

    @pytest.mark.parametrize(
        ("value", "meant"), [("yes", True), ("TRUE", True), ("1", True), ("on", True), ("no", False), ("", False)]
    )
    def test_flags(self, monkeypatch, value, meant):
        monkeypatch.setenv("CLAIMSITE_X", f" {value} ")

        assert environment.flag("CLAIMSITE_X") is meant

    @pytest.mark.parametrize("value", ["maybe", "2", "yes please"])
    def test_flags_that_are_neither(self, monkeypatch, value):
        monkeypatch.setenv("CLAIMSITE_X", value)

        with pytest.raises(Exception, match="CLAIMSITE_X must be yes or no"):
            environment.flag("CLAIMSITE_X")

    @pytest.mark.parametrize(
        ("value", "complaint"),
        [("ten", "must be an integer"), ("1.5", "must be an integer"), ("", "must be an int"), ("0", "at least 1")],
    )
    def test_numbers(self, monkeypatch, value, complaint):
        monkeypatch.setenv("CLAIMSITE_X", value)

        with pytest.raises(Exception, match=complaint):
            environment.number("CLAIMSITE_X", 5, minimum=1)

    def test_lists(self, monkeypatch):
        monkeypatch.setenv("CLAIMSITE_X", " a, b ,,c,")

        assert environment.words("CLAIMSITE_X") == ["a", "b", "c"]
