"""A database that is not there, or not yet: one line says so, whatever was started."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent


class TestADatabaseThatIsAway:
    @pytest.mark.parametrize(
        "command",
        [
            ["-m", "gunicorn"],
            ["manage.py", "run", "--exit", "--limit=1"],
            ["manage.py", "load_machines", "data/openb-nodes.csv"],
            ["manage.py", "check_data"],
            ["manage.py", "migrate"],
        ],
        ids=lambda command: command[1],
    )
    @pytest.mark.parametrize(
        "address",
        ["postgres://nobody:hush@127.0.0.1:1/nothing", "sqlite:////proc/nowhere/at-all.sqlite3"],
        ids=["postgres", "sqlite"],
    )
    def test_is_told_in_a_line_or_two(self, tmp_path, command, address):
        site = os.environ | {"CLAIMSITE_DATABASE_URL": address, "CLAIMSITE_VAR_DIR": str(tmp_path)}

        done = subprocess.run(
            [sys.executable, *command], cwd=ROOT, env=site, capture_output=True, text=True, check=False
        )

        told = [line for line in done.stderr.splitlines() if "[INFO]" not in line]
        assert done.returncode == 1
        assert "The database can't be used" in told[0] or "No such file" in told[0]
        assert len(told) <= 3
        assert "hush" not in done.stderr
