"""One server for both sides: uWSGI behind its own HTTP router, which keeps connections without holding workers."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import signal
import subprocess
import time
from pathlib import Path

from bench import processes
from bench.wire import Connection, Request

PATIENCE_SECONDS = 60.0


@dataclasses.dataclass(frozen=True, slots=True)
class Application:
    home: Path
    """The virtual environment."""
    module: str
    folder: Path
    environ: dict[str, str]


class Server:
    """A master, its workers and the router."""

    def __init__(
        self, uwsgi: Path, application: Application, *, port: int, processes: int = 2, threads: int = 1
    ) -> None:
        self.uwsgi = uwsgi
        self.application = application
        self.port = port
        self.processes = processes
        self.threads = threads
        self.process: subprocess.Popen[bytes] | None = None
        self.start_seconds = 0.0
        """From the start of the process to the first answer."""

    def start(self, log: Path) -> None:
        """Raises RuntimeError with the end of the log if no answer comes."""
        command = [
            str(self.uwsgi),
            *("--virtualenv", str(self.application.home), "--pythonpath", ".", "--module", self.application.module),
            *("--http", f"127.0.0.1:{self.port}", "--http-keepalive", "--buffer-size", "65535"),
            # Between router and workers no TCP: there, too, one packet would wait for the acknowledgement of another.
            *("--socket", f"@claimsite-bench-{self.port}", "--http-to", f"@claimsite-bench-{self.port}"),
            *("--master", "--need-app", "--die-on-term", "--disable-logging", "--vacuum"),
            *("--processes", str(self.processes), "--enable-threads", "--threads", str(self.threads)),
        ]
        environ = {name: value for name, value in os.environ.items() if not name.startswith("CLAIMSITE_")}
        start = time.monotonic()
        with log.open("wb") as output:
            self.process = subprocess.Popen(
                command,
                stdout=output,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
                cwd=self.application.folder,
                env=environ | self.application.environ,
            )
        while not self._answers():
            if self.process.poll() is not None or time.monotonic() - start > PATIENCE_SECONDS:
                self.stop()
                raise RuntimeError(f"{self.application.module} does not start:\n{log.read_text()[-3000:]}")
            time.sleep(0.02)
        self.start_seconds = time.monotonic() - start

    def stop(self) -> None:
        if self.process is not None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                for pid in processes.family(self.process.pid):
                    os.kill(pid, signal.SIGKILL)
                self.process.wait()
            self.process = None

    def cpu_seconds(self) -> float:
        assert self.process is not None
        return processes.cpu_seconds(self.process.pid)

    def worker_memory(self) -> int:
        """Bytes of the largest worker."""
        assert self.process is not None
        return max(processes.own_memory(pid) for pid in processes.family(self.process.pid)[1:])

    def _answers(self) -> bool:
        with contextlib.closing(Connection(self.port, {})) as connection:
            try:
                return connection.send(Request("GET", "/")).status < 500
            except (OSError, ValueError):
                return False
