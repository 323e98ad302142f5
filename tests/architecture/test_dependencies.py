"""What is installed, and under which promise."""

import importlib.util
import re
from pathlib import Path

import pytest
from django.db.backends.postgresql.psycopg_any import is_psycopg3

ROOT = Path(__file__).resolve().parents[2]
EXACT = re.compile(r"[A-Za-z0-9._-]+==[0-9][A-Za-z0-9.]*")


def requirements(name: str) -> list[str]:
    lines = (line.partition("#")[0].strip() for line in (ROOT / name).read_text().splitlines())
    return [line for line in lines if line and not line.startswith("-r ")]


class TestDependencies:
    def test_postgresql_is_driven_by_psycopg2(self):
        """Django prefers psycopg 3 as soon as some package pulls it in, and the two name their errors differently."""
        assert not is_psycopg3
        assert importlib.util.find_spec("psycopg") is None

    @pytest.mark.parametrize("name", ["requirements.txt", "requirements-dev.txt"])
    def test_every_version_is_exact(self, name):
        loose = [line for line in requirements(name) if not EXACT.fullmatch(line)]

        assert requirements(name)
        assert loose == []

    def test_nothing_is_required_twice(self):
        names = [
            re.sub(r"[-_.]+", "-", line.partition("==")[0]).lower()
            for file in ("requirements.txt", "requirements-dev.txt")
            for line in requirements(file)
        ]

        assert len(names) == len(set(names))
