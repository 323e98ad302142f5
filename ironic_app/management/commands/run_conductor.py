from __future__ import annotations

import signal
import socket
import threading
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError

from claimsite.foundation.commands import OperatorCommand
from ironic_app import hardware
from ironic_app.hardware import BadSetting, FakeHardware
from ironic_app.services import conductor
from ironic_app.services.transitions import Orphans, Worker


class Command(OperatorCommand):
    examples = """
  manage.py run_conductor
  manage.py run_conductor --hostname rack1-c1 --group rack1 --delay deploying=5 --fail cleaning=0.1
  manage.py run_conductor --once
"""
    exits = "0 it was stopped and has signed off; with --once: what was due is done"
    help = (
        "Take bare-metal nodes from state to state, and allocations to nodes, until stopped. Any number of conductors "
        "may run at once, on one machine or many; each needs a host name of its own. The machines are not real: how "
        "long their work takes and how often it fails is set here, so that clients can be tried against it."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--hostname",
            default=socket.gethostname(),
            help="the name under which nodes are reserved and the conductor is listed (default: this host's)",
        )
        parser.add_argument("--group", default="", help="work for the nodes of this conductor group only")
        parser.add_argument("--workers", type=int, default=2, help="so many nodes at the same time (default: 2)")
        parser.add_argument(
            "--poll", type=float, default=0.2, metavar="SECONDS", help="how often to look for work (default: 0.2)"
        )
        parser.add_argument(
            "--delay",
            action="append",
            default=[],
            metavar="STATE=SECONDS",
            help='how long work takes, e.g. --delay deploying=5 --delay power=1; a waiting state ("wait call-back") is '
            "passed through only if it has a delay. On top of CLAIMSITE_CONDUCTOR_DELAYS",
        )
        parser.add_argument(
            "--fail",
            action="append",
            default=[],
            metavar="STATE=RATE",
            help="how often work fails, e.g. --fail deploying=0.1. On top of CLAIMSITE_CONDUCTOR_FAILURE_RATES",
        )
        parser.add_argument(
            "--orphans",
            choices=[choice.value for choice in Orphans],
            default=Orphans.RESUME.value,
            help="what becomes of work whose conductor died: carry it on, or let it end as failed (default: resume)",
        )
        parser.add_argument("--once", action="store_true", help="do what is due now, then end")

    def run(self, options: dict[str, Any]) -> None:
        worker = _worker(options)
        if options["once"]:
            steps = conductor.run_once(worker=worker)
            self.stdout.write(f"{steps} steps done")
            return
        if options["workers"] < 1 or options["poll"] <= 0:
            raise CommandError("--workers must be at least 1, and --poll more than 0.")
        stop = threading.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: stop.set())
        self.stdout.write(f"conductor {worker.hostname} works; Ctrl-C ends it")
        conductor.ConductorProcess(
            worker=worker, threads=options["workers"], poll_seconds=options["poll"], stop=stop
        ).run()
        self.stdout.write(f"conductor {worker.hostname} has signed off")


def _worker(options: dict[str, Any]) -> Worker:
    hostname = options["hostname"].strip().lower()
    if not 0 < len(hostname) <= 255:
        raise CommandError("--hostname must have 1 to 255 characters.")
    try:
        machines = FakeHardware(
            delays=hardware.delays([*settings.CONDUCTOR_DELAYS, *options["delay"]]),
            failure_rates=hardware.failure_rates([*settings.CONDUCTOR_FAILURE_RATES, *options["fail"]]),
        )
    except BadSetting as error:
        raise CommandError(str(error)) from None
    return Worker(
        hostname=hostname,
        machines=machines,
        orphans=Orphans(options["orphans"]),
        conductor_group=options["group"].strip().lower(),
    )
