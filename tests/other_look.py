"""The same tests once more in the look that this run doesn't wear.

Which templates and classes there are is settled when Django starts: it takes a process of its own.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings

_NESTED = "CLAIMSITE_TEST_OTHER_LOOK"

not_in_itself = pytest.mark.skipif(_NESTED in os.environ, reason="This is the other look's run.")


def passes(file: str) -> None:
    """Fails with what the other run said."""
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n0", file],
        cwd=Path(__file__).resolve().parents[1],
        env={
            **{name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")},
            "CLAIMSITE_ADMIN_LOOK": "plain" if settings.ADMIN_LOOK == "unfold" else "unfold",
            "CLAIMSITE_TEST_DATABASE": "sqlite",
            _NESTED: "1",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
