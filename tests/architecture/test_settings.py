"""Every setting is described, and nothing is described that is not there."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
NAME = re.compile(r"CLAIMSITE_(?!TEST_)[A-Z][A-Z_]*[A-Z]")


def read_by_the_code():
    files = [ROOT / "gunicorn.conf.py", *(ROOT / "claimsite").rglob("*.py")]
    quoted = re.compile(rf"environment\.\w+\(\s*\"({NAME.pattern})\"")
    return {name for file in files for name in quoted.findall(file.read_text())}


def named_in(document):
    return set(NAME.findall((ROOT / document).read_text()))


class TestSettings:
    def test_all_of_them_are_described(self):
        assert read_by_the_code() == named_in("docs/settings.md")

    def test_the_readme_names_none_that_is_not_there(self):
        named = named_in("README.md")

        assert named
        assert named <= read_by_the_code()
