"""Each clean-up command in turn, with a fault for it."""

import io
import sys

import pytest

from claimsite.foundation.uuids import new_uuid
from tests.commands.cleanups import COMMANDS


@pytest.fixture(autouse=True)
def nobody_at_a_terminal(monkeypatch):
    """Also where somebody watches the tests run: commands would ask them."""
    monkeypatch.setattr(sys, "stdin", io.StringIO())


@pytest.fixture
def living(tmp_path, request):
    path = tmp_path / "living"
    path.write_text(f"{new_uuid()}\n")
    return ["--living", str(path)]


@pytest.fixture(params=COMMANDS)
def command(request, living):
    plant_it, acting, needs_list = COMMANDS[request.param]
    return request.param, plant_it, acting, living if needs_list else []
