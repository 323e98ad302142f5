"""The peer and claimsite side by side: ``python -m bench`` (minutes), ``python -m bench --quick``."""

from __future__ import annotations

import argparse
import contextlib
import datetime
import os
import platform
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import orjson
from rich.console import Console

from bench import clouds, report
from bench.clouds import Cloud
from bench.database import Database
from bench.measuring import Row, Scenario, measure
from bench.scenarios import claims, reads, searches
from bench.sides import CACHE, Peer, Side, Site, prepare_peer

console = Console(width=None if sys.stdout.isatty() else 240)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer rounds, clouds of 100 and 1,000 providers only")
    parser.add_argument("--rounds", type=int, help="of each scenario (5; quick: 2)")
    parser.add_argument("--seconds", type=float, default=1.0, help="factor for the duration of every round")
    parser.add_argument("--sizes", type=int, nargs="*", help="providers of the flat clouds to search")
    parser.add_argument("--only", nargs="*", default=[], help="scenarios by their sign: S1 S6 …")
    parser.add_argument("--races", type=int, help="how many races for the last unit (50; quick: 3)")
    parser.add_argument("--first-port", type=int, default=22100, help="the first of a hundred that may be used")
    parser.add_argument("--json", type=Path, default=CACHE / "result.json", help="where the figures go")
    chosen = parser.parse_args()
    chosen.rounds = chosen.rounds or (2 if chosen.quick else 5)
    chosen.races = chosen.races or (3 if chosen.quick else 50)
    chosen.sizes = (
        chosen.sizes if chosen.sizes is not None else [100, 1000] if chosen.quick else [100, 1000, 5000, 20000]
    )
    return chosen


class Bench:
    def __init__(self, options: argparse.Namespace, sides: Sequence[Side]) -> None:
        self.options = options
        self.sides = sides
        self.rows: list[Row] = []
        self.facts: dict[str, Any] = {}

    def run(self) -> None:
        sizes = self.options.sizes
        self.on(clouds.contended(1000), self.working_day())
        self.on(clouds.contended(1000), [claims.Race()], threads=4, rounds=self.options.races)
        for size in sizes:
            self.on(clouds.flat(size), searches.flat(size))
        self.on(clouds.trees(500), searches.nested(500))
        self.on(clouds.sharing(1000), searches.sharing(1000))

    def working_day(self) -> list[Scenario]:
        return [
            claims.Claims(),
            claims.Releases(self.options.rounds),
            claims.OneProvider(),
            claims.SeveralProviders(),
            claims.Moves(),
            *reads.reads(),
            claims.InventoryUpdates(),
        ]

    def on(self, cloud: Cloud, scenarios: Sequence[Scenario], *, threads: int = 1, rounds: int | None = None) -> None:
        """Measure those of the scenarios that are wanted, with both sides holding the cloud."""
        wanted = [scenario for scenario in scenarios if self.wants(scenario)]
        if not wanted:
            return
        with self.serving(cloud, threads):
            for scenario in wanted:
                console.print(f"{scenario.key} {scenario.title} …", style="dim")
                row = measure(scenario, self.sides, rounds=rounds or self.options.rounds, seconds=self.options.seconds)
                self.rows.append(row)
                console.print("   " + " | ".join(report.cells(row)[2:]))

    def wants(self, scenario: Scenario) -> bool:
        return not self.options.only or scenario.key in self.options.only

    @contextlib.contextmanager
    def serving(self, cloud: Cloud, threads: int) -> Iterator[None]:
        known = {name for (name,) in self.sides[0].database.rows("postgres", "SELECT datname FROM pg_database")}
        try:
            for side in self.sides:
                if side.database_of(cloud) not in known:
                    side.load(cloud)
                server = side.start(cloud, threads=threads)
                self.facts.setdefault(side.name, {"start_seconds": server.start_seconds})
            yield
            for side in self.sides:
                assert side.server is not None
                memory = self.facts[side.name].setdefault("worker_memory_bytes", {})
                memory[f"{cloud.name}, {threads} threads"] = side.server.worker_memory()
        finally:
            for side in self.sides:
                side.stop()


def machine(database: Database) -> dict[str, Any]:
    models = [line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
    return {
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="minutes"),
        "cores": os.cpu_count(),
        "processor": models[0].partition(":")[2].strip() if models else platform.machine(),
        "python": platform.python_version(),
        "postgresql": database.version,
        "load_average_before": os.getloadavg(),
    }


def main(options: argparse.Namespace) -> int:
    prepare_peer()
    first = options.first_port
    with Database(range(first + 10, first + 100)) as database:
        sides: list[Side] = [Peer("peer", "", database, first), Site("site", "/placement", database, first + 1)]
        with ThreadPoolExecutor() as both:
            list(both.map(lambda side: side.make_template(), sides))
        bench = Bench(options, sides)
        bench.facts |= machine(database)
        try:
            bench.run()
        finally:
            finish(bench, options.json)
    return int(any(one.fault for row in bench.rows for one in row.site))


def finish(bench: Bench, file: Path) -> None:
    """Whatever has been measured is shown and kept, also when the run was broken off."""
    if not bench.rows:
        return
    bench.facts["load_average_after"] = os.getloadavg()
    report.show(bench.rows, console)
    for side in bench.sides:
        facts = bench.facts[side.name]
        memory = max(facts.get("worker_memory_bytes", {"": 0}).values()) / 2**20
        console.print(f"{side.name}: up after {facts['start_seconds']:.1f} s, a worker takes at most {memory:.0f} MiB")
    file.parent.mkdir(parents=True, exist_ok=True)
    data = report.as_data(bench.rows, bench.facts)
    file.write_bytes(orjson.dumps(data, option=orjson.OPT_INDENT_2 | orjson.OPT_NON_STR_KEYS))
    file.with_suffix(".md").write_text(report.markdown(bench.rows))
    console.print(f"The figures: {file} and {file.with_suffix('.md')}")


if __name__ == "__main__":
    sys.exit(main(arguments()))
