"""Each clean-up command in turn, with a fault for it."""

import pytest

from claimsite.foundation.uuids import new_uuid
from tests.commands.cleanups import COMMANDS


@pytest.fixture
def living(tmp_path, request):
    path = tmp_path / "living"
    path.write_text(f"{new_uuid()}\n")
    return ["--living", str(path)]


@pytest.fixture(params=COMMANDS)
def command(request, living):
    plant_it, acting, needs_list = COMMANDS[request.param]
    return request.param, plant_it, acting, living if needs_list else []
