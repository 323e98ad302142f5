"""A version number is written in ``features.py`` of an app and nowhere else."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("claimsite", "placement_app", "ironic_app")
MAKERS = {"Microversion", "minor"}


def literal_versions(source: str) -> list[int]:
    """The lines on which a version is made from numbers written in the code."""
    return [
        node.lineno
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call)
        and (getattr(node.func, "id", None) or getattr(node.func, "attr", None)) in MAKERS
        and any(isinstance(argument, ast.Constant) and isinstance(argument.value, int) for argument in node.args[:2])
    ]


def may_write_versions(path: Path) -> bool:
    # microversion.py is where ``minor`` itself is defined: it says once that these APIs are at their first major.
    return path.name == "features.py" or path == ROOT / "claimsite/foundation/openstack/microversion.py"


class TestVersions:
    def test_numbers_are_written_in_features_only(self):
        strays = [
            f"{path.relative_to(ROOT)}:{line}"
            for package in PACKAGES
            for path in (ROOT / package).rglob("*.py")
            if not may_write_versions(path)
            for line in literal_versions(path.read_text())
        ]

        assert strays == []

    @pytest.mark.parametrize("source", ["SINCE = minor(28, 'x')", "version >= Microversion(1, 28)", "a.minor(3)"])
    def test_a_stray_is_found(self, source):
        assert literal_versions(source) == [1]

    @pytest.mark.parametrize("source", ["Microversion(parsed.major, parsed.minor)", "1.28", "version.minor"])
    def test_what_only_passes_numbers_on_is_none(self, source):
        assert literal_versions(source) == []
