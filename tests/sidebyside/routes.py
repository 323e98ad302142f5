"""Every route with every method: at one version after the other, and by one caller after the other."""

from __future__ import annotations

from collections.abc import Iterator

from tests.sidebyside.cast import CONSUMERS, PROVIDERS, STRANGER, VERSIONS
from tests.sidebyside.exchange import Request

ONE = f"/resource_providers/{PROVIDERS[0]}"
PATHS = (
    "/",
    "/bogus",
    "/resource_providers",
    ONE,
    f"/resource_providers/{STRANGER}",
    f"{ONE}/inventories",
    f"{ONE}/inventories/VCPU",
    f"{ONE}/usages",
    f"{ONE}/aggregates",
    f"{ONE}/traits",
    f"{ONE}/allocations",
    "/resource_classes",
    "/resource_classes/VCPU",
    "/resource_classes/CUSTOM_GOLD",
    "/traits",
    "/traits/CUSTOM_A",
    "/allocations",
    f"/allocations/{CONSUMERS[0]}",
    "/allocation_candidates",
    "/usages",
    "/reshaper",
)
SEARCHES = {"/allocation_candidates": (("resources", "VCPU:1"),), "/usages": (("project_id", "project-a"),)}
# Deletions last: until then there is something to look at.
METHODS = ("GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "DELETE")

NOBODY = {"X-Auth-Token": ""}
CALLERS = (
    NOBODY,
    {"X-Auth-Token": "admin"},
    {"X-Auth-Token": "user"},
    {"X-Auth-Token": "user:project-a", "X-Roles": "reader"},
    {"X-Auth-Token": "user:project-b", "X-Roles": "member,reader"},
    {"X-Auth-Token": "user:project-a", "X-Roles": "admin,member,reader"},
    {"X-Auth-Token": "user:project-a", "X-Roles": "service"},
    {"X-Auth-Token": "user", "X-Roles": "reader", "X-Project-Id": "project-a"},
    {"X-Auth-Token": "user", "X-Roles": "admin,member,reader", "OpenStack-System-Scope": "all"},
    {"X-Auth-Token": "user", "X-Roles": "service", "OpenStack-System-Scope": "all"},
    {"X-Auth-Token": "user", "X-Roles": "reader", "OpenStack-System-Scope": "all"},
    {"X-Auth-Token": "admin:project-a", "X-Roles": "member"},
)


def at_version(number: int) -> Iterator[Request]:
    version = [*VERSIONS, None][number % (len(VERSIONS) + 1)]
    for method, path in _everywhere():
        query = SEARCHES.get(path, ())
        yield Request(method, path, query=query, body={} if method in {"POST", "PUT"} else b"", version=version)
        if method in {"POST", "PUT"}:
            yield Request(method, path, query=query, version=version)


def by_caller(number: int) -> Iterator[Request]:
    caller = CALLERS[number % len(CALLERS)]
    for method, path in _everywhere():
        body = {} if method in {"POST", "PUT"} else b""
        yield Request(method, path, query=SEARCHES.get(path, ()), body=body, headers=caller)
    for project in ("project-a", "project-b", ""):
        yield Request("GET", "/usages", query=(("project_id", project),), headers=caller)
    yield Request("GET", "/usages", headers=caller)


def _everywhere() -> Iterator[tuple[str, str]]:
    for method in METHODS:
        for path in reversed(PATHS) if method == "DELETE" else PATHS:
            yield method, path
