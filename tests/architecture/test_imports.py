"""Who may import whom (``pyproject.toml`` draws the layers; CONTRIBUTING.md says why)."""

import ast
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
APPS = ("placement_app", "ironic_app")

# These translate between HTTP and the services; nothing else knows what a request is.
WEB_DOORS = {"api", "admin"}
WEB = ("django.http", "django.shortcuts", "django.urls", "django.views", "rest_framework")


def imported_modules(path: Path) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def behind_the_doors() -> list[Path]:
    files = []
    for app in APPS:
        for path in (ROOT / app).rglob("*.py"):
            place = path.relative_to(ROOT / app).parts[0].removesuffix(".py")
            if place not in WEB_DOORS:
                files.append(path)
    return files


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

    def test_what_lies_behind_the_doors_knows_no_http(self):
        strays = {
            f"{path.relative_to(ROOT)} imports {name}"
            for path in behind_the_doors()
            for name in imported_modules(path)
            if any(name == web or name.startswith(f"{web}.") for web in WEB)
        }

        assert behind_the_doors()
        assert strays == set()
