from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from tests.realclients import environments
from tests.realclients.site import running_site

SCRIPTS = Path(__file__).parent / "scripts"
# Client → its script, the environment in which that runs, and the service that it speaks to.
CLIENTS = {
    "osc": ("drive_osc.py", "openstack", "placement"),
    "sdk": ("drive_sdk.py", "openstack", "baremetal"),
    "cli": ("drive_cli.py", "openstack", "baremetal"),
    "metalsmith": ("drive_metalsmith.py", "openstack", "baremetal"),
    "nova": ("drive_nova.py", "nova", "baremetal"),
    "nova-race": ("race_nova.py", "nova", "baremetal"),
    "nova-report": ("drive_report.py", "nova", "placement"),
}


def main(names: Sequence[str]) -> int:
    unknown = set(names) - CLIENTS.keys()
    if unknown:
        sys.exit(f"No such client: {', '.join(sorted(unknown))}. There are {', '.join(CLIENTS)}.")
    chosen = list(names) or list(CLIENTS)
    pythons = {name: environments.python(CLIENTS[name][1]) for name in chosen}
    with running_site() as address:
        results = {name: run(name, pythons[name], address) for name in chosen}
    print()
    for name, (passed, seconds) in results.items():
        print(f"{name:12} {'passed' if passed else 'FAILED'}  {seconds:6.1f} s")
    return 0 if all(passed for passed, _ in results.values()) else 1


def run(name: str, python: Path, address: str) -> tuple[bool, float]:
    print(f"\n--- {name}", flush=True)
    script, _, service = CLIENTS[name]
    began = time.monotonic()
    done = subprocess.run(
        [python, "-W", "ignore", SCRIPTS / script, f"{address}/{service}"],
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
        check=False,
        timeout=900,
    )
    return done.returncode == 0, time.monotonic() - began


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
