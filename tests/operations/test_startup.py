"""A server that is killed while it prepares its database: the next one starts as if nothing had been."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from placement_app.services import standards

ROOT = Path(__file__).resolve().parent.parent.parent

# Arguments: where the process is killed, and at which call.
KILLED = """
import os, pkgutil, signal, sys
from unittest import mock
import django
django.setup()
from claimsite.operations import startup
place, left = sys.argv[1], int(sys.argv[2])
real = pkgutil.resolve_name(place)
def last(*arguments, **options):
    global left
    left -= 1
    if not left:
        os.kill(os.getpid(), signal.SIGKILL)
    return real(*arguments, **options)
with mock.patch(place, last):
    startup.prepare()
"""

STARTS = """
import json
import django
django.setup()
from django.test import Client
from claimsite.operations import startup
startup.prepare()
from placement_app.models import ResourceClass, Trait
site = Client(SERVER_NAME="localhost", headers={"X-Auth-Token": "admin", "OpenStack-API-Version": "placement 1.39"})
paths = ("/placement/traits/HW_CPU_X86_AVX2", "/placement/resource_classes/VCPU")
print(json.dumps({
    "statuses": [site.get(path).status_code for path in paths],
    "classes": list(ResourceClass.objects.values_list("name", flat=True)),
    "traits": list(Trait.objects.values_list("name", flat=True)),
}))
"""


def run(script: str, database_url: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    environment = {"CLAIMSITE_DATABASE_URL": database_url, "DJANGO_SETTINGS_MODULE": "claimsite.settings"}
    return subprocess.run(
        [sys.executable, "-c", script, *map(str, arguments)],
        cwd=ROOT,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


class TestAServerKilledWhileItStarts:
    """LP #1760322, #1756151: what a first attempt had left undone stayed undone, and standard names unknown."""

    @pytest.mark.parametrize(
        ("place", "call"),
        [
            pytest.param("django.db.migrations.executor.MigrationExecutor.apply_migration", 9, id="among migrations"),
            pytest.param("placement_app.services.standards.sync", 1, id="with tables and no names"),
            pytest.param("placement_app.services.standards._add_missing", 2, id="with classes and no traits"),
        ],
    )
    def test_leaves_nothing_that_the_next_one_would_take_for_done(self, database_url, place, call):
        killed = run(KILLED, database_url, place, call)

        started = run(STARTS, database_url)

        assert killed.returncode == -signal.SIGKILL, killed.stderr
        assert started.returncode == 0, started.stderr
        told = json.loads(started.stdout)
        assert told["statuses"] == [204, 200]
        assert told["classes"] == list(standards.standard_resource_classes())
        assert told["traits"] == list(standards.standard_traits())
