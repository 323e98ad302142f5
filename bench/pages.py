"""How long the operators' pages take over many rows, and how many statements they need."""

from __future__ import annotations

import dataclasses
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator

import orjson

from bench import crowd
from bench.sides import ROOT, Site

MOST_SECONDS = 1.0
MOST_STATEMENTS = 60
TIMES = 3


@dataclasses.dataclass(frozen=True, slots=True)
class Page:
    name: str
    milliseconds: float
    in_database: float
    statements: int

    @property
    def is_quick(self) -> bool:
        return self.milliseconds <= MOST_SECONDS * 1000 and self.statements <= MOST_STATEMENTS


def measure(site: Site) -> list[Page]:
    """In a process of their own, with the settings of the site, over a database that is filled for it."""
    name = f"{site.name}_crowd"
    site.database.execute("postgres", f"CREATE DATABASE {name} TEMPLATE {site.template}")
    with site.database.connect(name) as link:
        crowd.fill(link)
    site.database.look_at(name)
    environ = os.environ | site.application(name).environ
    command = [sys.executable, "-m", "bench.pages"]
    done = subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, check=False)
    if done.returncode:
        raise RuntimeError(f"A page failed:\n{done.stderr.decode()[-2000:]}")
    return [Page(**orjson.loads(line)) for line in done.stdout.splitlines()]


# --- in that process ------------------------------------------------------------------------------------------------
def pages() -> Iterator[tuple[str, str, dict[str, str]]]:
    """Name, address, query."""
    from django.urls import reverse

    from claimsite.foundation.admin.site import OperatorSite
    from placement_app.models import Consumer, ResourceProvider

    def rows(name: str, app: str = "placement_app") -> str:
        return reverse(f"admin:{app}_{name}_changelist")

    consumer = Consumer.objects.order_by("-created_at")[1000:1001].get()
    provider = ResourceProvider.objects.order_by("pk")[17:18].get()
    yield "home", reverse("admin:index"), {}
    yield "find: a consumer", reverse("admin:find"), {"q": consumer.uuid.upper()}
    yield "find: the beginning of a uuid", reverse("admin:find"), {"q": consumer.uuid[:6]}
    yield "find: a word", reverse("admin:find"), {"q": "host-17"}
    for page in OperatorSite.pages:
        yield page.title.lower(), reverse(f"admin:{page.name}"), {}
    yield "consumers", rows("consumer"), {}
    yield "consumers, page 2,000", rows("consumer"), {"p": "2000"}
    yield "consumers, the last page", rows("consumer"), {"p": "4000"}
    yield "consumers by generation, page 2,000", rows("consumer"), {"o": "6", "p": "2000"}
    yield "consumers: search", rows("consumer"), {"q": consumer.uuid[:5]}
    yield "consumers: of a project", rows("consumer"), {"project": consumer.project_id}
    yield "consumers: of a user", rows("consumer"), {"user": consumer.user_id}
    yield "consumers: on a provider", rows("consumer"), {"provider": provider.name}
    yield "consumers: migrations", rows("consumer"), {"type": "MIGRATION"}
    yield "consumers: generation > 2", rows("consumer"), {"generation": ">2"}
    yield "consumers: of the last hour", rows("consumer"), {"age": "1h"}
    yield "consumers: older than 7 days", rows("consumer"), {"age": "-7d"}
    yield "consumers: holding nothing", rows("consumer"), {"holds": "nothing"}
    yield "a consumer", reverse("admin:placement_app_consumer_change", args=[consumer.pk]), {}
    yield "allocations", rows("allocation"), {}
    yield "allocations, page 5,000", rows("allocation"), {"p": "5000"}
    yield "claims' history", rows("claimevent"), {}
    yield "claims' history, page 2,000", rows("claimevent"), {"p": "2000"}
    yield "conflicts", rows("conflictrecord"), {}
    yield "conflicts, page 900", rows("conflictrecord"), {"p": "900"}
    yield "conflicts: search", rows("conflictrecord"), {"q": consumer.uuid[:5]}
    yield "providers", rows("resourceprovider"), {}
    yield "providers, page 90", rows("resourceprovider"), {"p": "90"}
    yield "providers: search", rows("resourceprovider"), {"q": "host-49"}
    yield "a provider", reverse("admin:placement_app_resourceprovider_change", args=[provider.pk]), {}
    yield "inventories", rows("inventory"), {}
    yield "resource classes", rows("resourceclass"), {}
    yield "traits", rows("trait"), {}
    yield "nodes", rows("node", "ironic_app"), {}
    yield "nodes, page 390", rows("node", "ironic_app"), {"p": "390"}
    yield "nodes: search", rows("node", "ironic_app"), {"q": "node-199"}
    yield "nodes' history", rows("ownershipevent", "ironic_app"), {}


def look_at(name: str, url: str, query: dict[str, str]) -> Page:
    """Medians."""
    from django.contrib.auth.models import User
    from django.db import connection
    from django.test import Client
    from django.test.utils import CaptureQueriesContext

    user, _ = User.objects.get_or_create(username="bench", defaults={"is_staff": True, "is_superuser": True})
    client = Client(headers={"host": "127.0.0.1"})
    client.force_login(user)
    milliseconds, in_database = [], []
    for number in range(TIMES + 1):
        start = time.perf_counter()
        with CaptureQueriesContext(connection) as captured:
            response = client.get(url, query)
        # The first one loads templates.
        if number:
            milliseconds.append((time.perf_counter() - start) * 1000)
            in_database.append(sum(float(statement["time"]) for statement in captured) * 1000)
        if response.status_code not in {200, 302}:
            raise RuntimeError(f"{url} {query} was answered with {response.status_code}.")
    return Page(name, statistics.median(milliseconds), statistics.median(in_database), len(captured))


def main() -> None:
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "claimsite.settings")
    django.setup()
    for name, url, query in pages():
        sys.stdout.buffer.write(orjson.dumps(look_at(name, url, query)) + b"\n")


if __name__ == "__main__":
    main()
