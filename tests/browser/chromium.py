"""Where the browser is, if there is one."""

import shutil

MISSING = "No Chromium: `make test-browser` installs it (as root), or apt-get install chromium."
NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")

# Nothing but what a test asks for: a browser of its own accord looks for updates, syncs and reports.
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


def program() -> str | None:
    return next((path for name in NAMES if (path := shutil.which(name))), None)
