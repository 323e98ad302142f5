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
# Client → its script, and the environment in which that runs.
CLIENTS = {
    "sdk": ("drive_sdk.py", "openstack"),
    "cli": ("drive_cli.py", "openstack"),
    "metalsmith": ("drive_metalsmith.py", "openstack"),
    "nova": ("drive_nova.py", "nova"),
    "nova-race": ("race_nova.py", "nova"),
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
    began = time.monotonic()
    done = subprocess.run(
        [python, "-W", "ignore", SCRIPTS / CLIENTS[name][0], f"{address}/baremetal"],
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
        check=False,
        timeout=900,
    )
    return done.returncode == 0, time.monotonic() - began


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
