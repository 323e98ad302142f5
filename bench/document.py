"""The tables of docs/speed.md, written by the run that measured them."""

from __future__ import annotations

import statistics
from pathlib import Path

from bench import crowd, pages, report
from bench.results import Results
from bench.scenarios.claims import Claims

BEGIN = "<!-- measured: what stands from here to the next mark is written by make bench -->"
END = "<!-- /measured -->"


def text(results: Results) -> str:
    parts = [_run(results)]
    if results.rows:
        parts.append(report.markdown(report.COLUMNS, map(report.cells, results.rows)))
    parts += [_servers(results), _floor(results), _pages(results)]
    if results.missing:
        parts.append("Not measured:\n\n" + "".join(f"- {line}\n" for line in results.missing))
    return "\n".join(filter(None, parts))


def put(results: Results, page: Path) -> None:
    """Replace what stands between the marks. Raises ValueError if the page has none."""
    before, begin, rest = page.read_text().partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{page} lacks the lines between which the tables belong.")
    page.write_text(f"{before}{BEGIN}\n\n{text(results)}\n{END}{after}")


def _run(results: Results) -> str:
    facts = results.facts
    others = [one.others for row in results.rows for one in (*row.peer, *row.site)]
    lines = [
        ("date", f"{facts['date']}; {facts['minutes']:.0f} minutes"),
        (
            "machine",
            f"{facts['cores']} cores ({facts['processor']}), PostgreSQL {facts['postgresql']},"
            f" Python {facts['python']}",
        ),
        ("load average before and after", f"{facts['load_before'][0]:.1f}, {facts['load_after'][0]:.1f}"),
    ]
    if others:
        lines.append(("cores used by clients and others, median of rounds", f"{statistics.median(others):.1f}"))
    return report.markdown(("", ""), lines)


def _servers(results: Results) -> str:
    rows = []
    for name, seconds in results.start_seconds.items():
        memory = results.worker_memory.get(name, 0) / 2**20
        rows.append((name, f"{min(seconds):.1f} to {max(seconds):.1f} s", f"{memory:.0f} MiB"))
    columns = ("server", "first answer after the start", "largest worker (proportional share)")
    return report.markdown(columns, rows) if rows else ""


def _floor(results: Results) -> str:
    """Beside it, what the site made of claims over HTTP in the same run."""
    if not results.floors:
        return ""
    rows = [
        (floor.title, report.spread(floor.per_second), report.short(statistics.median(floor.cpu_milliseconds)))
        for floor in results.floors
    ]
    for row in results.rows:
        if row.title == Claims.title:
            rows += [
                (f"{name}, over HTTP", report.spread([one.per_second for one in rounds]), report.database_cpu(rounds))
                for name, rounds in (("claimsite", row.site), ("openstack-placement", row.peer))
            ]
    columns = ("the database alone (pgbench, 8 clients)", "a second, min / med / max", "CPU ms of PostgreSQL for each")
    return report.markdown(columns, rows)


def _pages(results: Results) -> str:
    if not results.pages:
        return ""
    rows = [
        (
            page.name,
            report.short(page.milliseconds),
            report.short(page.in_database),
            str(page.statements),
            "yes" if page.is_quick else "NO",
        )
        for page in results.pages
    ]
    most = f"within {pages.MOST_SECONDS:g} s and {pages.MOST_STATEMENTS} statements"
    columns = (f"operators' pages over {crowd.TITLE}", "ms", "of these in PostgreSQL", "statements", most)
    return report.markdown(columns, rows)
