"""Ironic beside claimsite's bare-metal service."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import time
from pathlib import Path

from bench import fleets, processes
from bench.clouds import Cloud
from bench.database import Database, Link
from bench.fleets import Fleet
from bench.servers import Application, Server
from bench.sides import CACHE, Side, Site, install, run_command

HOME = CACHE / "ironic"
PACKAGES = ("ironic==39.0.0", "psycopg2-binary==2.9.13")
HEADERS = {"X-Auth-Token": "admin", "X-OpenStack-Ironic-API-Version": "1.65", "Accept": "application/json"}
PATIENCE_SECONDS = 90.0


class IronicPeer(Side):
    """Its API under the same server as everything else, and the conductor that it asks for every write by JSON-RPC.

    The conductor's own work (asking for power states, looking for time-outs) is put off: nobody needs it here.
    """

    label = "Ironic (worker and conductor)"
    conductor: subprocess.Popen[bytes] | None = None

    @property
    def template(self) -> str:
        return "ironic_empty"

    def make_template(self) -> None:
        install(HOME, PACKAGES)
        self.database.execute("postgres", f"CREATE DATABASE {self.template}")
        run_command([HOME / "bin" / "ironic-dbsync", "create_schema"], self._environ(self.template))

    def application(self, database: str) -> Application:
        return Application(HOME, "ironic.wsgi:application", CACHE, self._environ(database))

    def fill(self, connection: Link, cloud: Cloud | Fleet) -> None:
        assert isinstance(cloud, Fleet)
        fleets.load(connection, cloud, fleets.INTO_PEER)

    def start(self, cloud: Cloud | Fleet, *, processes: int = 2, threads: int = 1) -> Server:
        database = self.database_of(cloud)
        with (CACHE / "ironic-conductor.log").open("wb") as log:
            self.conductor = subprocess.Popen(
                [HOME / "bin" / "ironic-conductor"],
                stdout=log,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
                cwd=CACHE,
                env=os.environ | self._environ(database),
            )
        self._wait_for_conductor(database)
        return super().start(cloud, processes=processes, threads=threads)

    def stop(self) -> None:
        super().stop()
        if self.conductor is not None:
            self.conductor.terminate()
            try:
                self.conductor.wait(timeout=10)
            except subprocess.TimeoutExpired:
                for pid in processes.family(self.conductor.pid):
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, 9)
                self.conductor.wait()
            self.conductor = None

    def cpu_seconds(self) -> float:
        assert self.conductor is not None
        return super().cpu_seconds() + processes.cpu_seconds(self.conductor.pid)

    def worker_memory(self) -> int:
        assert self.conductor is not None
        return super().worker_memory() + max(map(processes.own_memory, processes.family(self.conductor.pid)))

    def _wait_for_conductor(self, database: str) -> None:
        assert self.conductor is not None
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not (self.database.rows(database, "SELECT 1 FROM conductors WHERE online") and _listens(self._rpc_port)):
            if self.conductor.poll() is not None or time.monotonic() > deadline:
                self.stop()
                log = Path(CACHE / "ironic-conductor.log").read_text()
                raise RuntimeError(f"Ironic's conductor does not start:\n{log[-3000:]}")
            time.sleep(0.05)

    @property
    def _rpc_port(self) -> int:
        return self.port + 5

    def _environ(self, database: str) -> dict[str, str]:
        kinds = {f"OS_DEFAULT__ENABLED_{kind.upper()}_INTERFACES": name for kind, name in fleets.INTERFACES.items()}
        seldom = ("SYNC_POWER_STATE", "CHECK_PROVISION_STATE", "CHECK_RESCUE_STATE", "SYNC_LOCAL_STATE")
        return {
            **kinds,
            **{f"OS_CONDUCTOR__{name}_INTERVAL": "86400" for name in seldom},
            "OS_DATABASE__CONNECTION": self.database.address(database, "postgresql+psycopg2"),
            "OS_DEFAULT__AUTH_STRATEGY": "noauth",
            "OS_DEFAULT__DEBUG": "false",
            "OS_DEFAULT__ENABLED_HARDWARE_TYPES": "fake-hardware",
            "OS_DEFAULT__HOST": "127.0.0.1",
            "OS_DEFAULT__RPC_TRANSPORT": "json-rpc",
            "OS_DEFAULT__STATE_PATH": str(CACHE / "ironic-state"),
            "OS_JSON_RPC__HOST_IP": "127.0.0.1",
            "OS_JSON_RPC__PORT": str(self._rpc_port),
        }


def sides(database: Database, first_port: int) -> tuple[IronicPeer, Site]:
    return (
        IronicPeer("peer", "", database, first_port, HEADERS),
        Site("site", "/baremetal", database, first_port + 1, HEADERS),
    )


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
