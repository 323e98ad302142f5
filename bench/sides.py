"""The two that are compared, each with its virtual environment, its tables and its way to be started."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import orjson

from bench import loading
from bench.clients import Load
from bench.clouds import Cloud
from bench.database import Database
from bench.servers import Application, Server
from bench.wire import Answer, Connection, Request

ROOT = Path(__file__).resolve().parents[1]
CACHE = ROOT / ".cache" / "bench"
PEER_HOME = CACHE / "peer"
PEER_PACKAGES = ("openstack-placement==16.0.0", "psycopg2-binary==2.9.13", "uWSGI==2.0.31")
UWSGI = PEER_HOME / "bin" / "uwsgi"
VERSION = "1.39"
HEADERS = {"X-Auth-Token": "admin", "OpenStack-API-Version": f"placement {VERSION}", "Accept": "application/json"}
EMPTY = "empty"


@dataclasses.dataclass(slots=True)
class Side:
    """What a scenario sees of one of the two."""

    name: str
    prefix: str
    database: Database
    port: int
    server: Server | None = None
    held: list[str] = dataclasses.field(default_factory=list)
    """Consumers that a scenario has made and another may use."""

    @property
    def template(self) -> str:
        return f"{self.name}_{EMPTY}"

    def database_of(self, cloud: Cloud) -> str:
        return f"{self.name}_{cloud.name}"

    def make_template(self) -> None:
        """A database with tables and the standard names."""
        raise NotImplementedError

    def application(self, database: str) -> Application:
        raise NotImplementedError

    def statements(self) -> Sequence[str]:
        """How a staged cloud gets into the tables."""
        raise NotImplementedError

    def load(self, cloud: Cloud) -> None:
        name = self.database_of(cloud)
        self.database.execute("postgres", f"CREATE DATABASE {name} TEMPLATE {self.template}")
        with self.database.connect(name) as connection:
            loading.load(connection, cloud, self.statements())
        self.database.execute(name, "VACUUM ANALYZE")

    def start(self, cloud: Cloud, *, processes: int = 2, threads: int = 1) -> Server:
        application = self.application(self.database_of(cloud))
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

    def ask(self, request: Request) -> Answer:
        with contextlib.closing(Connection(self.port, HEADERS)) as connection:
            return connection.send(dataclasses.replace(request, path=self.prefix + request.path))

    def read(self, path: str, *, version: str = VERSION) -> Any:
        """The document there. Raises RuntimeError if the answer is a refusal."""
        connection = Connection(self.port, {**HEADERS, "OpenStack-API-Version": f"placement {version}"})
        with contextlib.closing(connection):
            answer = connection.send(Request("GET", self.prefix + path))
        if answer.status != 200:
            raise RuntimeError(f"{self.name}: GET {path} was answered with {answer.status}: {answer.body[:500]!r}")
        return orjson.loads(answer.body)

    def usage(self, provider: str, resource_class: str) -> int:
        return int(self.read(f"/resource_providers/{provider}/usages")["usages"][resource_class])

    def project_usage(self, project: str) -> dict[str, int]:
        """Resource class → amount, over all consumers of a project."""
        # From 1.38 on the peer answers this with 500 on PostgreSQL: its query lacks a column in GROUP BY.
        usages: dict[str, int] = self.read(f"/usages?project_id={project}", version="1.37")["usages"]
        return usages


class Peer(Side):
    def make_template(self) -> None:
        self.database.execute("postgres", f"CREATE DATABASE {self.template}")
        _run([PEER_HOME / "bin" / "placement-manage", "db", "sync"], self._environ(self.template))
        # The names are written when the service first starts.
        server = Server(UWSGI, self.application(self.template), port=self.port, processes=1)
        server.start(CACHE / f"{self.name}.log")
        server.stop()

    def application(self, database: str) -> Application:
        return Application(PEER_HOME, "placement.wsgi.api:application", CACHE, self._environ(database))

    def statements(self) -> Sequence[str]:
        return loading.INTO_PEER

    def _environ(self, database: str) -> dict[str, str]:
        return {
            "OS_PLACEMENT_DATABASE__CONNECTION": self.database.address(database, "postgresql+psycopg2"),
            "OS_PLACEMENT_DATABASE__SYNC_ON_STARTUP": "false",
            "OS_API__AUTH_STRATEGY": "noauth2",
            "OS_OSLO_POLICY__ENFORCE_NEW_DEFAULTS": "false",
            "OS_DEFAULT__DEBUG": "false",
        }


class Site(Side):
    def make_template(self) -> None:
        self.database.execute("postgres", f"CREATE DATABASE {self.template}")
        _run([Path(sys.executable), "manage.py", "migrate", "--verbosity", "0"], self._environ(self.template), cwd=ROOT)

    def application(self, database: str) -> Application:
        return Application(Path(sys.prefix), "claimsite.wsgi:application", ROOT, self._environ(database))

    def statements(self) -> Sequence[str]:
        return loading.INTO_SITE

    def _environ(self, database: str) -> dict[str, str]:
        return {"CLAIMSITE_DATABASE_URL": self.database.address(database), "CLAIMSITE_VAR_DIR": str(CACHE / "var")}


def prepare_peer() -> None:
    """The peer's virtual environment, with the server for both. Minutes the first time: uWSGI is compiled."""
    if UWSGI.exists():
        return
    CACHE.mkdir(parents=True, exist_ok=True)
    print(f"Installing {', '.join(PEER_PACKAGES)} into {PEER_HOME} …", flush=True)
    subprocess.run([sys.executable, "-m", "venv", PEER_HOME], check=True)
    subprocess.run([PEER_HOME / "bin" / "python", "-m", "pip", "install", "--quiet", *PEER_PACKAGES], check=True)


def _run(command: Sequence[Path | str], environ: dict[str, str], cwd: Path = CACHE) -> None:
    done = subprocess.run(
        [str(part) for part in command], env=os.environ | environ, cwd=cwd, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"{command[0]} failed:\n{done.stdout}{done.stderr}"[-3000:])


def refusals(load: Load) -> str:
    """The first few answers that were refusals, for a message."""
    texts = {f"{done.status}: {done.refusal[:300]}" for done in load.done if done.status >= 400 or not done.status}
    return "; ".join(sorted(texts)[:3])
