"""The peer and claimsite side by side: ``python -m bench`` (minutes), ``python -m bench --quick``."""

from __future__ import annotations

import argparse
import contextlib
import datetime
import os
import platform
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import orjson
from rich.console import Console

from bench import baremetal, clouds, crowd, document, floor, pages, report
from bench.clouds import Cloud
from bench.database import Database
from bench.fleets import Fleet
from bench.measuring import Scenario, measure
from bench.results import Results
from bench.scenarios import claims, nodes, reads, searches
from bench.sides import CACHE, PlacementPeer, Side, Site, prepare_peer

console = Console(width=None if sys.stdout.isatty() else 240)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer rounds, clouds of 100 and 1,000 providers only")
    parser.add_argument("--rounds", type=int, help="of each scenario (5; quick: 2)")
    parser.add_argument("--seconds", type=float, default=1.0, help="factor for the duration of every round")
    parser.add_argument("--sizes", type=int, nargs="*", help="providers of the flat clouds to search")
    parser.add_argument("--only", nargs="*", default=[], help="scenarios by their sign (S1 N2 …), floor, pages")
    parser.add_argument("--races", type=int, help="how many races for the last unit (50; quick: 3)")
    parser.add_argument("--first-port", type=int, default=22100, help="the first of a hundred that may be used")
    parser.add_argument("--json", type=Path, default=CACHE / "result.json", help="where the figures go")
    parser.add_argument("--document", type=Path, help="a page into which the tables of a whole run are put")
    chosen = parser.parse_args()
    chosen.rounds = chosen.rounds or (2 if chosen.quick else 5)
    chosen.races = chosen.races or (3 if chosen.quick else 50)
    chosen.sizes = (
        chosen.sizes if chosen.sizes is not None else [100, 1000] if chosen.quick else [100, 1000, 5000, 20000]
    )
    return chosen


class Bench:
    def __init__(self, options: argparse.Namespace, database: Database) -> None:
        first = options.first_port
        self.options = options
        self.database = database
        self.site = Site("site", "/placement", database, first + 1)
        self.placement: Sequence[Side] = (PlacementPeer("peer", "", database, first), self.site)
        self.baremetal: Sequence[Side] = baremetal.sides(database, first + 2)
        self.results = Results(machine(database))

    def run(self) -> None:
        parts = (
            (("S", "N", "floor", "pages"), self.site.make_template),
            (("S",), self.services),
            (("N",), self.ownership),
            (("floor",), self.floor),
            (("pages",), self.pages),
        )
        for keys, part in parts:
            if not any(self.wants(key) for key in keys):
                continue
            with self.going_on_after_failures(", ".join(keys)):
                part()

    def services(self) -> None:
        prepare_peer()
        self.placement[0].make_template()
        both = self.placement
        self.on(both, clouds.contended(1000), self.working_day())
        self.on(both, clouds.contended(1000), [claims.Race()], threads=4, rounds=self.options.races)
        for size in self.options.sizes:
            self.on(both, clouds.flat(size), searches.flat(size))
        self.on(both, clouds.trees(500), searches.nested(500))
        self.on(both, clouds.sharing(1000), searches.sharing(1000))

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

    def ownership(self) -> None:
        self.baremetal[0].make_template()
        sizes = [1000] if self.options.quick else [1000, 20000]
        for size in sizes:
            fleet = Fleet(size)
            self.on(self.baremetal, fleet, [*(nodes.owning() if size == sizes[0] else []), *nodes.lists(size)])

    def floor(self) -> None:
        """What the database alone does with claims."""
        console.print("floor …", style="dim")
        cloud = clouds.contended(1000)
        name = self.site.database_of(cloud)
        if name not in self.known_databases():
            self.site.load(cloud)
        self.results.floors = floor.measure(self.database, name)

    def pages(self) -> None:
        """The operators' pages over many rows."""
        console.print(f"pages over {crowd.TITLE} …", style="dim")
        self.results.pages = pages.measure(self.site)

    def on(
        self,
        sides: Sequence[Side],
        cloud: Cloud | Fleet,
        scenarios: Sequence[Scenario],
        *,
        threads: int = 1,
        rounds: int | None = None,
    ) -> None:
        """Measure those of the scenarios that are wanted, with both sides holding the cloud."""
        wanted = [scenario for scenario in scenarios if self.wants(scenario.key)]
        if not wanted:
            return
        keys = ", ".join(sorted({scenario.key for scenario in wanted}))
        with self.going_on_after_failures(f"{keys} on {cloud.name}"), self.serving(sides, cloud, threads):
            for scenario in wanted:
                console.print(f"{scenario.key} {scenario.title} …", style="dim")
                row = measure(scenario, sides, rounds=rounds or self.options.rounds, seconds=self.options.seconds)
                self.results.rows.append(row)
                console.print("   " + " | ".join(report.cells(row)[2:]))

    def known_databases(self) -> set[str]:
        return {name for (name,) in self.database.rows("postgres", "SELECT datname FROM pg_database")}

    def wants(self, key: str) -> bool:
        """``S`` or ``N``: any scenario that begins so."""
        only = self.options.only
        return not only or key in only or (len(key) == 1 and any(name.startswith(key) for name in only))

    @contextlib.contextmanager
    def going_on_after_failures(self, what: str) -> Iterator[None]:
        """What can't be measured is told at the end, and keeps nothing else from being measured."""
        try:
            yield
        except Exception as error:
            console.print_exception()
            self.results.missing.append(f"{what}: {' '.join(str(error).split())[:300]}")

    @contextlib.contextmanager
    def serving(self, sides: Sequence[Side], cloud: Cloud | Fleet, threads: int) -> Iterator[None]:
        known = self.known_databases()
        try:
            for side in sides:
                if side.database_of(cloud) not in known:
                    side.load(cloud)
                server = side.start(cloud, threads=threads)
                self.results.started(side.label, server.start_seconds)
            yield
            for side in sides:
                self.results.took(side.label, side.worker_memory())
        finally:
            for side in sides:
                side.stop()


def machine(database: Database) -> dict[str, Any]:
    models = [line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
    return {
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="minutes"),
        "cores": os.cpu_count(),
        "processor": models[0].partition(":")[2].strip() if models else platform.machine(),
        "python": platform.python_version(),
        "postgresql": database.version,
        "load_before": os.getloadavg(),
    }


def main(options: argparse.Namespace) -> int:
    start = time.monotonic()
    CACHE.mkdir(parents=True, exist_ok=True)
    # The server for all of them lives there.
    prepare_peer()
    with Database(range(options.first_port + 10, options.first_port + 100)) as database:
        bench = Bench(options, database)
        try:
            bench.run()
        finally:
            bench.results.facts |= {"minutes": (time.monotonic() - start) / 60, "load_after": os.getloadavg()}
            finish(bench.results, options)
    return int(bench.results.is_wrong)


def finish(results: Results, options: argparse.Namespace) -> None:
    """Whatever has been measured is shown and kept, also when the run was broken off."""
    report.show(results.rows, console)
    for line in results.missing:
        console.print(f"Not measured: {line}", style="red")
    file: Path = options.json
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(orjson.dumps(results.as_data(), option=orjson.OPT_INDENT_2 | orjson.OPT_NON_STR_KEYS))
    file.with_suffix(".md").write_text(document.text(results))
    console.print(f"The figures: {file} and {file.with_suffix('.md')}")
    if options.document and not options.only:
        document.put(results, options.document)
        console.print(f"Written into {options.document}.")


if __name__ == "__main__":
    sys.exit(main(arguments()))
