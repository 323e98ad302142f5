"""The production server: ``gunicorn`` in this folder serves the site, ``make serve`` does the same.

CLAIMSITE_BIND, CLAIMSITE_WORKERS and CLAIMSITE_THREADS say where and with how many; anything else of gunicorn can be
given in GUNICORN_CMD_ARGS.
"""

import ctypes
import os
import signal
import sys
from pathlib import Path

chdir = str(Path(__file__).resolve().parent)
sys.path.insert(0, chdir)
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "claimsite.settings")

from django.conf import settings  # noqa: E402
from django.db import DatabaseError  # noqa: E402

from claimsite import environment  # noqa: E402

# Of Linux: the signal that a process gets when its parent dies.
_PR_SET_PDEATHSIG = 1

_embedded = settings.DATABASES["default"]["ENGINE"] == "claimsite.foundation.sqlite3"

wsgi_app = "claimsite.wsgi:application"
bind = settings.BIND
worker_class = "gthread"
# SQLite has one writer at a time, and its writers queue up fairly only within a process.
workers = environment.number("CLAIMSITE_WORKERS", 1 if _embedded else min(4, os.cpu_count() or 1), minimum=1)
threads = environment.number("CLAIMSITE_THREADS", 8, minimum=1)
# Clients and proxies keep connections open longer than gunicorn's two seconds, and stumble when it closes first.
keepalive = 75
# What gunicorn can do at most, and as much as other servers take: `member_of` with 200 aggregates needs 7,500.
limit_request_line = 8190
# Loaded once and then forked: a bad setting stops the start, and workers share their memory.
preload_app = True
# Its socket would be the same file for every server of a user.
control_socket_disable = True
proc_name = "claimsite"


def on_starting(server: object) -> None:
    from claimsite.foundation.transactions import is_unavailable
    from claimsite.operations import startup

    try:
        startup.prepare()
    except (OSError, DatabaseError) as error:
        if isinstance(error, DatabaseError) and not is_unavailable(error):
            raise
        sys.exit(f"claimsite does not start. The database can't be used: {str(error).strip()}")


def post_fork(server: object, worker: object) -> None:
    """A worker whose master was killed ends as if asked to.

    Left to itself it serves the connections that it has for half a minute, and meanwhile no other server can listen.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
