"""One PostgreSQL for both, with all the durability that a claim deserves; a database for each side and cloud."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

import psycopg2
from psycopg2.extensions import connection as Link  # noqa: N812

from bench import processes
from tests import postgres

__all__ = ["Database", "Link"]

OPTIONS = {
    **postgres.SERVER_OPTIONS,
    "fsync": "on",
    "synchronous_commit": "on",
    "full_page_writes": "on",
    "shared_buffers": "512MB",
    "max_wal_size": "2GB",
}


class Database:
    def __init__(self, ports: Sequence[int]) -> None:
        programs = postgres.programs()
        if programs is None:
            raise SystemExit("No PostgreSQL found: apt-get install postgresql")
        self.server = postgres.Server(programs, options=OPTIONS, ports=ports)

    def __enter__(self) -> Database:
        self.server.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.server.stop()

    @property
    def version(self) -> str:
        with self.connect("postgres") as connection, connection.cursor() as cursor:
            cursor.execute("SHOW server_version")
            return str(cursor.fetchone()[0])

    def address(self, name: str, scheme: str = "postgres") -> str:
        return f"{scheme}://claimsite@127.0.0.1:{self.server.port}/{name}"

    @contextlib.contextmanager
    def connect(self, name: str, *, autocommit: bool = False) -> Iterator[Link]:
        connection = psycopg2.connect(host="127.0.0.1", port=self.server.port, user="claimsite", dbname=name)
        connection.autocommit = autocommit
        try:
            yield connection
            if not autocommit:
                connection.commit()
        finally:
            connection.close()

    def execute(self, name: str, *statements: str) -> None:
        """Each statement in a transaction of its own."""
        with self.connect(name, autocommit=True) as connection, connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)

    def look_at(self, name: str) -> None:
        """Let the server know what is in the tables that were filled.

        Only those: a table that it has seen empty is read from end to end by every session that began before it filled.
        """
        filled = self.rows(
            name,
            "SELECT oid::regclass::text FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"
            " AND pg_relation_size(oid) > 0",
        )
        self.execute(name, f"VACUUM ANALYZE {', '.join(table for (table,) in filled)}")

    def rows(self, name: str, statement: str) -> list[tuple[Any, ...]]:
        with self.connect(name) as connection, connection.cursor() as cursor:
            cursor.execute(statement)
            return list(cursor.fetchall())

    def cpu_seconds(self) -> float:
        return processes.cpu_seconds(int((self.server.data / "postmaster.pid").read_text().split("\n", 1)[0]))
