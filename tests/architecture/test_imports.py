"""Who may import whom (``pyproject.toml`` draws the layers; CONTRIBUTING.md says why)."""

import ast
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
APPS = ("placement_app", "ironic_app")

API_ONLY = ("rest_framework", "claimsite.foundation.openstack")
WEB = ("django.http", "django.shortcuts", "django.urls", "django.views")


def imported_modules(path: Path) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def forbidden_to(place: str) -> tuple[str, ...]:
    """What a package of an app may not import: requests are for the doors, the tools of the API for the API."""
    return {"api": (), "admin": API_ONLY}.get(place, API_ONLY + WEB)


class TestImports:
    def test_the_layers_hold(self):
        checked = subprocess.run(
            [sys.executable, "-c", "from importlinter.cli import lint_imports_command; lint_imports_command()"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )

        assert checked.returncode == 0, checked.stdout + checked.stderr

    def test_http_stays_in_the_doors(self):
        strays = {
            f"{path.relative_to(ROOT)} imports {name}"
            for app in APPS
            for path in (ROOT / app).rglob("*.py")
            for name in imported_modules(path)
            for forbidden in forbidden_to(path.relative_to(ROOT / app).parts[0].removesuffix(".py"))
            if name == forbidden or name.startswith(f"{forbidden}.")
        }

        assert strays == set()
