"""Rules about the files themselves."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LONGEST = 400

# What only means something at one desk: put together here, so that this file doesn't hold what it looks for.
ELSEWHERE = re.compile(
    "|".join(
        (
            r"(?<![\w.])/" + r"work/",
            r"/" + r"root/",
            r"(?<!\w)\." + r"library\b",
            r"\bsub-?" + r"agents?\b",
            r"\bshared/" + r"[\w-]+\.md\b",
            r"\bco-authored" + r"-by\b",
        )
    ),
    re.IGNORECASE,
)


def tracked() -> list[Path]:
    """The files that git knows or would add."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return [path for name in listed.stdout.split("\0") if name and (path := ROOT / name).is_file()]


class TestFiles:
    def test_none_is_longer_than_a_reader_can_hold(self):
        lines = {
            str(path.relative_to(ROOT)): len(path.read_text().splitlines())
            for path in tracked()
            if path.suffix == ".py" and path.parent.name != "migrations"
        }

        too_long = {name: count for name, count in lines.items() if count > LONGEST}

        assert lines
        assert too_long == {}

    def test_none_speaks_of_the_place_it_was_written_at(self):
        strays = [
            f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
            for path in tracked()
            for number, line in enumerate(path.read_text(errors="ignore").splitlines(), start=1)
            if ELSEWHERE.search(line)
        ]

        assert strays == []

    @pytest.mark.parametrize(
        "line", ["cd /" + "work/venv", "see ." + "library/env", "the sub" + "agent", "shared/" + "bugs.md"]
    )
    def test_such_words_are_found(self, line):
        assert ELSEWHERE.search(line)

    @pytest.mark.parametrize("line", ["/framework/", "https://example.org/network/", "a shared/exclusive lock"])
    def test_innocent_words_are_not(self, line):
        assert not ELSEWHERE.search(line)
