"""How clean-ups end early, or do not begin."""

import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import OperationalError

from claimsite.foundation.alone import alone
from tests import racing
from tests.commands.cleanups import everything, running_command
from tests.commands.faults import plant
from tests.commands.running import report, run

pytestmark = pytest.mark.django_db

ROOT = Path(__file__).resolve().parents[2]


class TestASecondOfTheSameKind:
    @pytest.mark.django_db(transaction=True)
    def test_is_told_who_is_at_it(self, command):
        name, plant_it, acting, options = command
        plant_it()

        def second():
            with pytest.raises(CommandError) as refusal:
                run(name, *options, *acting)
            return refusal.value.returncode, str(refusal.value)

        with alone(name):
            [(status, text)] = racing.together([second])

        assert status == 1
        assert f"Another {name} is running: process {os.getpid()} on " in text
        assert run(name, *options, *acting)[0] == 4

    @pytest.mark.django_db(transaction=True)
    def test_may_look_at_any_time(self, command):
        name, plant_it, _, options = command
        plant_it()

        with alone(name):
            [status] = racing.together([lambda: run(name, *options)[0]])

        assert status == 3


class TestCtrlC:
    def test_ends_between_two_and_tells_what_was_done(self, command, monkeypatch):
        name, plant_it, acting, options = command
        for _ in range(3):
            plant_it()
        kind = type(running_command(name))
        put_right = kind.put_right

        def interrupted(self, *arguments):
            done = put_right(self, *arguments)
            os.kill(os.getpid(), signal.SIGINT)
            return done

        monkeypatch.setattr(kind, "put_right", interrupted)

        document = report(name, *options, *acting)

        assert document["exit"] == 130
        assert document["summary"]["fixed"] == 1
        assert document["summary"]["left"] == document["summary"]["found"] - 1 >= 1
        assert [each["result"] for each in document["findings"]].count("fixed") == 1

    def test_changes_nothing_while_it_looks(self, command, monkeypatch):
        name, plant_it, acting, options = command
        plant_it()
        before = everything()
        kind = type(running_command(name))

        def interrupted(*_):
            raise KeyboardInterrupt

        monkeypatch.setattr(kind, "find", interrupted)

        assert run(name, *options, *acting)[0] == 130
        assert everything() == before


class TestADatabaseThatGoesAwayMidway:
    def test_does_not_take_the_report_along(self, command, monkeypatch):
        name, plant_it, acting, options = command
        for _ in range(2):
            plant_it()
        kind = type(running_command(name))
        put_right = kind.put_right
        answers = iter([put_right])

        def gone_after_the_first(self, *arguments):
            if (answer := next(answers, None)) is None:
                raise OperationalError("the connection is gone")
            return answer(self, *arguments)

        monkeypatch.setattr(kind, "put_right", gone_after_the_first)
        output = io.StringIO()

        with pytest.raises(CommandError, match="the connection is gone") as crash:
            call_command(name, *options, *acting, "--json", stdout=output)

        document = json.loads(output.getvalue())
        assert crash.value.returncode == document["exit"] == 1
        assert document["summary"]["fixed"] == 1


class Terminal(io.StringIO):
    def isatty(self):
        return True


class TestSomebodyAtATerminal:
    """What frees something is asked for; what only adds protection, or frees nothing, is not."""

    @pytest.fixture
    def typed(self, monkeypatch):
        def types(text):
            monkeypatch.setattr(sys, "stdin", Terminal(text))

        return types

    @pytest.mark.parametrize("answer", ["", "\n", "y\n", "YES\n", "no\n"])
    def test_has_to_type_yes_in_full(self, typed, answer):
        plant("orphan_allocation")
        before = everything()
        typed(answer)

        status, output = run("reconcile", "--fix", "amber")

        assert status == 3
        assert "1 of them would free something. Type yes to do it: " in output
        assert "Nothing was changed." in output
        assert everything() == before

    def test_gets_what_was_asked_for(self, typed):
        plant("orphan_allocation")
        typed("yes\n")

        assert run("reconcile", "--fix", "amber")[0] == 4

    @pytest.mark.parametrize("options", [["--no-input"], ["--json"]])
    def test_can_ask_not_to_be_asked(self, typed, options):
        plant("orphan_allocation")
        typed("")

        assert run("reconcile", "--fix", "amber", *options)[0] == 4

    def test_is_not_asked_about_what_frees_nothing(self, typed):
        plant("no_allocation")
        typed("")

        assert run("reconcile", "--fix", "amber")[0] == 4


class TestAReaderWhoHasHeardEnough:
    def test_is_no_reason_for_a_traceback(self, tmp_path):
        """As with ``… | head -1``: the pipe is closed before the report is written."""
        site = os.environ | {
            "CLAIMSITE_DATABASE_URL": f"sqlite:///{tmp_path}/site.sqlite3",
            "CLAIMSITE_VAR_DIR": str(tmp_path),
        }
        subprocess.run([sys.executable, "manage.py", "migrate", "-v0"], cwd=ROOT, env=site, check=True)
        reading, writing = os.pipe()
        os.close(reading)

        done = subprocess.run(
            [sys.executable, "manage.py", "check_data"],
            cwd=ROOT,
            env=site,
            stdout=writing,
            stderr=subprocess.PIPE,
            check=False,
        )
        os.close(writing)

        assert done.returncode == 1
        assert done.stderr == b""
