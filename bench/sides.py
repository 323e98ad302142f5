"""The two that are compared, each with its virtual environment, its tables and its way to be started."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import orjson

from bench import fleets, loading
from bench.clients import Load
from bench.clouds import Cloud
from bench.database import Database, Link
from bench.fleets import Fleet
from bench.servers import Application, Server
from bench.wire import Answer, Connection, Request

ROOT = Path(__file__).resolve().parents[1]
CACHE = ROOT / ".cache" / "bench"
PEER_HOME = CACHE / "peer"
PEER_PACKAGES = ("openstack-placement==16.0.0", "psycopg2-binary==2.9.13", "uWSGI==2.0.31")
UWSGI = PEER_HOME / "bin" / "uwsgi"
HEADERS = {"X-Auth-Token": "admin", "OpenStack-API-Version": "placement 1.39", "Accept": "application/json"}
EMPTY = "empty"


@dataclasses.dataclass(slots=True)
class Side:
    """What a scenario sees of one of the two."""

    label: ClassVar[str]
    """What the report calls it."""

    name: str
    prefix: str
    database: Database
    port: int
    headers: dict[str, str] = dataclasses.field(default_factory=lambda: HEADERS)
    server: Server | None = None
    serving: str = ""
    """The database of the running server."""
    held: list[str] = dataclasses.field(default_factory=list)
    """Consumers that a scenario has made and another may use."""

    @property
    def template(self) -> str:
        return f"{self.name}_{EMPTY}"

    def database_of(self, cloud: Cloud | Fleet) -> str:
        return f"{self.name}_{cloud.name}"

    def make_template(self) -> None:
        """A database with tables and the standard names."""
        raise NotImplementedError

    def application(self, database: str) -> Application:
        raise NotImplementedError

    def fill(self, connection: Link, cloud: Cloud | Fleet) -> None:
        """Write the cloud into the tables."""
        raise NotImplementedError

    def load(self, cloud: Cloud | Fleet) -> None:
        name = self.database_of(cloud)
        self.database.execute("postgres", f"CREATE DATABASE {name} TEMPLATE {self.template}")
        with self.database.connect(name) as connection:
            self.fill(connection, cloud)
        self.database.look_at(name)

    def start(self, cloud: Cloud | Fleet, *, processes: int = 2, threads: int = 1) -> Server:
        self.serving = self.database_of(cloud)
        application = self.application(self.serving)
        self.server = Server(UWSGI, application, port=self.port, processes=processes, threads=threads)
        self.server.start(CACHE / f"{self.name}.log")
        self.held = []
        return self.server

    def stop(self) -> None:
        if self.server is not None:
            self.server.stop()
            self.server = None

    def send(self, method: str, path: str, body: object = None) -> Answer:
        return self.ask(Request(method, path, None if body is None else orjson.dumps(body)))

    def ask(self, request: Request, headers: dict[str, str] | None = None) -> Answer:
        with contextlib.closing(Connection(self.port, self.headers | (headers or {}))) as connection:
            return connection.send(dataclasses.replace(request, path=self.prefix + request.path))

    def read(self, path: str, headers: dict[str, str] | None = None) -> Any:
        """The document there. Raises RuntimeError if the answer is a refusal."""
        answer = self.ask(Request("GET", path), headers)
        if answer.status != 200:
            raise RuntimeError(f"{self.name}: GET {path} was answered with {answer.status}: {answer.body[:500]!r}")
        return orjson.loads(answer.body)

    def cpu_seconds(self) -> float:
        assert self.server is not None
        return self.server.cpu_seconds()

    def worker_memory(self) -> int:
        """Bytes of the largest worker."""
        assert self.server is not None
        return self.server.worker_memory()


class PlacementPeer(Side):
    label = "openstack-placement"

    def make_template(self) -> None:
        self.database.execute("postgres", f"CREATE DATABASE {self.template}")
        run_command([PEER_HOME / "bin" / "placement-manage", "db", "sync"], self._environ(self.template))
        # The names are written when the service first starts.
        server = Server(UWSGI, self.application(self.template), port=self.port, processes=1)
        server.start(CACHE / f"{self.name}.log")
        server.stop()

    def application(self, database: str) -> Application:
        return Application(PEER_HOME, "placement.wsgi.api:application", CACHE, self._environ(database))

    def fill(self, connection: Link, cloud: Cloud | Fleet) -> None:
        assert isinstance(cloud, Cloud)
        loading.load(connection, cloud, loading.INTO_PEER)

    def _environ(self, database: str) -> dict[str, str]:
        return {
            "OS_PLACEMENT_DATABASE__CONNECTION": self.database.address(database, "postgresql+psycopg2"),
            "OS_PLACEMENT_DATABASE__SYNC_ON_STARTUP": "false",
            "OS_API__AUTH_STRATEGY": "noauth2",
            "OS_OSLO_POLICY__ENFORCE_NEW_DEFAULTS": "false",
            "OS_DEFAULT__DEBUG": "false",
        }


class Site(Side):
    """claimsite, asked for one of its two services."""

    label = "claimsite"

    def make_template(self) -> None:
        self.database.execute("postgres", f"CREATE DATABASE {self.template}")
        run_command(
            [Path(sys.executable), "manage.py", "migrate", "--verbosity", "0"], self._environ(self.template), cwd=ROOT
        )

    def application(self, database: str) -> Application:
        return Application(Path(sys.prefix), "claimsite.wsgi:application", ROOT, self._environ(database))

    def fill(self, connection: Link, cloud: Cloud | Fleet) -> None:
        if isinstance(cloud, Fleet):
            fleets.load(connection, cloud, fleets.INTO_SITE)
        else:
            loading.load(connection, cloud, loading.INTO_SITE)

    def _environ(self, database: str) -> dict[str, str]:
        return {"CLAIMSITE_DATABASE_URL": self.database.address(database), "CLAIMSITE_VAR_DIR": str(CACHE / "var")}


def install(home: Path, packages: Sequence[str]) -> None:
    """A virtual environment with these packages, unless it is there."""
    done = home / "installed"
    if done.exists():
        return
    home.parent.mkdir(parents=True, exist_ok=True)
    print(f"Installing {', '.join(packages)} into {home} …", flush=True)
    subprocess.run([sys.executable, "-m", "venv", "--clear", home], check=True)
    subprocess.run([home / "bin" / "python", "-m", "pip", "install", "--quiet", *packages], check=True)
    done.touch()


def prepare_peer() -> None:
    """Placement's virtual environment, with the server for all. Minutes the first time: uWSGI is compiled."""
    install(PEER_HOME, PEER_PACKAGES)


def run_command(command: Sequence[Path | str], environ: dict[str, str], cwd: Path = CACHE) -> None:
    done = subprocess.run(
        [str(part) for part in command], env=os.environ | environ, cwd=cwd, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"{command[0]} failed:\n{done.stdout}{done.stderr}"[-3000:])


def refusals(load: Load) -> str:
    """The first few answers that were refusals, for a message."""
    texts = {f"{done.status}: {done.refusal[:300]}" for done in load.done if done.status >= 400 or not done.status}
    return "; ".join(sorted(texts)[:3])
