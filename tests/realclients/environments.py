"""Virtual environments for clients whose requirements must not mix with ours."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PLACE = ROOT / ".cache" / "realclients"

REQUIREMENTS = {
    "openstack": [
        "metalsmith==2.5.0",
        "openstacksdk==4.22.0",
        "osc-placement==4.9.1",
        "python-ironicclient==6.3.0",
        "python-openstackclient==10.5.0",
    ],
    "nova": ["nova==34.0.0", "openstacksdk==4.22.0"],
}


def python(name: str) -> Path:
    """The interpreter of the environment, which is built if it is not there or has other requirements."""
    folder = PLACE / name
    stamp = folder / "requirements.txt"
    wanted = "\n".join(REQUIREMENTS[name])
    interpreter = folder / "bin" / "python"
    if stamp.exists() and stamp.read_text() == wanted:
        return interpreter
    print(f"Building {folder} ({', '.join(REQUIREMENTS[name])}) …", flush=True)
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    install: list[str | Path] = [interpreter, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*install, *REQUIREMENTS[name]], check=True)
    stamp.write_text(wanted)
    return interpreter
