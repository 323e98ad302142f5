"""The floor: what PostgreSQL alone does with a claim, in the site's own tables and without a web server (pgbench)."""

from __future__ import annotations

import dataclasses
import re
import subprocess
import tempfile
from pathlib import Path

from bench.database import Database

CLIENTS = 8
ROUNDS = 3
SECONDS = 2

_CONSUMER = "placement_app_consumer (uuid, generation, project_id, user_id, created_at, updated_at)"
_ALLOCATION = "placement_app_allocation (consumer_uuid, provider_id, resource_class, used, created_at, updated_at)"
_EVENT = """placement_app_claimevent (created_at, event, consumer_uuid, consumer_generation, project_id, user_id,
    provider_uuid, before, after, attempts, door, actor, request_id, reason)"""
_TOLD = """'{"VCPU": 1, "MEMORY_MB": 512, "DISK_GB": 10}', 1, 'placement', 'bench', 'req-1', ''"""
_WANTED = "(VALUES ('VCPU', 1), ('MEMORY_MB', 512), ('DISK_GB', 10)) wanted (class, amount)"
_ANY_HOST = "\\set host random(1, 1000)\n"
SCRIPTS = {
    "one INSERT and commit": "INSERT INTO floor (moment) VALUES (now());",
    "a claim of three classes, nine round trips": f"""{_ANY_HOST}
        BEGIN;
        INSERT INTO {_CONSUMER} VALUES (gen_random_uuid()::text, 1, 'project', 'bench', now(), now())
            RETURNING uuid AS consumer \\gset
        SELECT uuid AS provider FROM placement_app_resourceprovider WHERE id = :host FOR NO KEY UPDATE \\gset
        SELECT id, total, reserved, allocation_ratio, used FROM placement_app_inventory WHERE provider_id = :host;
        INSERT INTO {_ALLOCATION} SELECT :consumer::text, :host, class, amount, now(), now() FROM {_WANTED};
        UPDATE placement_app_inventory i SET used = used + amount FROM {_WANTED}
            WHERE provider_id = :host AND resource_class = class;
        INSERT INTO {_EVENT}
            VALUES (now(), 'claimed', :consumer, 1, 'project', 'bench', :provider, '{{}}', {_TOLD});
        UPDATE placement_app_resourceprovider SET generation = generation + 1, updated_at = now() WHERE id = :host;
        COMMIT;""",
    "the same claim, one statement": f"""{_ANY_HOST}
        WITH host AS (UPDATE placement_app_resourceprovider SET generation = generation + 1, updated_at = now()
                      WHERE id = :host RETURNING id, uuid),
        stock AS (UPDATE placement_app_inventory i SET used = used + amount FROM host, {_WANTED}
                  WHERE i.provider_id = host.id AND i.resource_class = class
                  AND i.used + amount <= (i.total - i.reserved) * i.allocation_ratio
                  RETURNING i.provider_id, class, amount),
        consumer AS (INSERT INTO {_CONSUMER} VALUES (gen_random_uuid()::text, 1, 'project', 'bench', now(), now())
                     RETURNING uuid),
        event AS (INSERT INTO {_EVENT} SELECT now(), 'claimed', consumer.uuid, 1, 'project', 'bench', host.uuid, '{{}}',
                  {_TOLD} FROM consumer, host)
        INSERT INTO {_ALLOCATION}
            SELECT consumer.uuid, stock.provider_id, class, amount, now(), now() FROM stock, consumer;""",
}


@dataclasses.dataclass(slots=True)
class Floor:
    title: str
    per_second: list[float] = dataclasses.field(default_factory=list)
    cpu_milliseconds: list[float] = dataclasses.field(default_factory=list)
    """PostgreSQL's, of one transaction."""


def measure(database: Database, name: str) -> list[Floor]:
    """``name``: a database of the site's with hosts in it. Raises FileNotFoundError without pgbench."""
    program = database.server.bin_folder / "pgbench"
    if not program.exists():
        raise FileNotFoundError(f"There is no pgbench beside PostgreSQL in {program.parent}.")
    database.execute(name, "CREATE TABLE IF NOT EXISTS floor (id bigserial PRIMARY KEY, moment timestamptz)")
    floors = [Floor(title) for title in SCRIPTS]
    for _ in range(ROUNDS):
        for floor in floors:
            count, per_second, cpu = _run(program, database, name, SCRIPTS[floor.title])
            floor.per_second.append(per_second)
            floor.cpu_milliseconds.append(cpu * 1000 / count)
    return floors


def _run(program: Path, database: Database, name: str, script: str) -> tuple[int, float, float]:
    """Transactions, how many a second, and the server's CPU seconds."""
    before = database.cpu_seconds()
    with tempfile.NamedTemporaryFile("w", suffix=".sql") as file:
        file.write(script)
        file.flush()
        options = ["-n", "-M", "prepared", "-c", str(CLIENTS), "-j", "2", "-T", str(SECONDS), "-f", file.name]
        where = ["-h", "127.0.0.1", "-p", str(database.server.port), "-U", "claimsite", name]
        done = subprocess.run([program, *options, *where], capture_output=True, text=True, check=False)
    count = re.search(r"actually processed: (\d+)", done.stdout)
    rate = re.search(r"tps = ([\d.]+) \(without", done.stdout)
    if done.returncode or not count or not rate:
        raise RuntimeError(f"pgbench failed:\n{done.stdout}{done.stderr}"[-2000:])
    return int(count[1]), float(rate[1]), database.cpu_seconds() - before
