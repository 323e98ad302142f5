"""From nothing to a full cluster: the site, real machines in it, real requests against it, and a report."""

from __future__ import annotations

import contextlib
import io
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import CommandError, call_command
from django.core.management.base import CommandParser

from claimsite.foundation.address import address
from claimsite.foundation.arguments import natural, positive
from claimsite.foundation.commands import Exit, OperatorCommand
from claimsite.machines.reading import DATA
from claimsite.operations import operator, replaying, server, startup
from claimsite.replay import trace
from claimsite.replay.client import Placement, Unreachable
from claimsite.replay.job import Job
from ironic_app.services import conductors

MACHINES = (DATA / "openb-nodes.csv", DATA / "grid5000-nodes.jsonl.gz")
REQUESTS = DATA / "openb-pods.csv.gz"


class Command(OperatorCommand):
    examples = """
  manage.py run                      what `make run` does: the site stays until Ctrl-C
  manage.py run --exit --limit 500   what `make replay LIMIT=500` does: stops the site again
"""
    exits = replaying.EXITS
    help = (
        "Bring the database up to date, load the 1,523 machines of a production GPU cluster and the 939 bare-metal "
        "nodes of a testbed, start the production server and a conductor, and replay the cluster's real requests over "
        "HTTP, from several clients at once. Ends with a report; the site keeps running until it is stopped. A site "
        "that runs already at this address is used as it is."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--machines", type=Path, nargs="+", default=MACHINES, metavar="FILE", help="(default: those of data/)"
        )
        parser.add_argument("--requests", type=Path, default=REQUESTS, help="(default: %(default)s)")
        parser.add_argument("--limit", type=natural, default=0, help="only the first so many requests; 0: all")
        parser.add_argument("--clients", type=positive, default=6, help="at the same time (default: %(default)s)")
        parser.add_argument("--exit", action="store_true", help="stop the site after the replay")
        parser.add_argument("--json", action="store_true", help="print the report as one JSON document, with --exit")

    def run(self, options: dict[str, Any]) -> Exit:
        if options["json"] and not options["exit"]:
            raise CommandError("--json needs --exit: the report is the only thing printed.", returncode=2)
        signal.signal(signal.SIGTERM, _stop)
        signal.signal(signal.SIGHUP, _stop)
        try:
            with replaying.alone():
                self._prepare(options)
            with self._site(options) as own:
                with replaying.alone():
                    report = self._replay(options)
                replaying.print_report(report, self.stdout, as_json=options["json"])
                self._tell_doors(options)
                if own and not options["exit"] and not report["interrupted"]:
                    self._stay(options, own)
        except (OSError, trace.BadTrace, Unreachable, server.DoesNotStart) as error:
            raise CommandError(str(error)) from error
        return replaying.exit_status(report)

    def _prepare(self, options: dict[str, Any]) -> None:
        if not server.is_ready():
            server.must_be_free()
        startup.prepare()
        for file in options["machines"]:
            told = io.StringIO()
            call_command("load_machines", str(file), stdout=told)
            self._say(options, f"{file.name}: {told.getvalue().strip()}")

    @contextlib.contextmanager
    def _site(self, options: dict[str, Any]) -> Iterator[server.Server | None]:
        """The site, running: None if somebody else runs it."""
        if server.is_ready():
            self._say(options, f"A site is running at {address()} already: using it.")
            if not conductors.alive():
                self._say(options, "No conductor works there: nodes change their states only with run_conductor.")
            yield None
        else:
            with server.Server() as own, server.Conductor():
                self._say(options, f"The site is up at {address()} (its log: {own.log}).")
                self._tell_login(options)
                yield own

    def _replay(self, options: dict[str, Any]) -> dict[str, Any]:
        everything = trace.read(options["requests"])
        placement = Placement(replaying.own_address(), connections=options["clients"])
        job = Job(
            placement=placement,
            requests=everything[: options["limit"] or None],
            everyone=[request.consumer for request in everything],
            clients=options["clients"],
        )
        self._say(
            options,
            f"Replaying {len(job.requests):,} of {len(everything):,} requests with {job.clients} clients …",
        )
        return replaying.run(job, shown=self.is_watched(options), look_into_database=True)

    def _tell_doors(self, options: dict[str, Any]) -> None:
        self._say(options, "")
        for name, path in (
            ("placement", settings.PLACEMENT_PREFIX),
            ("baremetal", settings.BAREMETAL_PREFIX),
            ("admin", "admin/"),
        ):
            self._say(options, f"{name:10} {address()}/{path}")
        self._tell_login(options)

    def _tell_login(self, options: dict[str, Any]) -> None:
        login = operator.ensure()
        known = f"password {login.password}" if login.password else "with the password that you gave it"
        self._say(options, f"{'login':10} {login.name}, {known} (kept in {login.file})")

    def _stay(self, options: dict[str, Any], own: server.Server) -> None:
        self._say(options, "\nThe site keeps running. Ctrl-C stops it.")
        with contextlib.suppress(KeyboardInterrupt):
            own.wait()
        self.stdout.write("Stopping.")

    def _say(self, options: dict[str, Any], text: str) -> None:
        if not options["json"]:
            self.stdout.write(text)
            self.stdout.flush()


def _stop(number: int, frame: object) -> None:
    """As Ctrl-C does: whatever is going on is finished in good order, the server too."""
    raise KeyboardInterrupt
