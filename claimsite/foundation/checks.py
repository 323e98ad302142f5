"""Start-up checks: settings under which claims would not be safe, or the door would stand open, do not start."""

from __future__ import annotations

import re
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning, register, run_checks
from django.core.management.base import SystemCheckError
from django.db import connections

AUTH_STRATEGIES = {"noauth2"}
TAG = "claimsite"
_ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://([a-z0-9.-]+|\[[0-9a-f:.]+\])(:[0-9]+)?")


def refuse_unsafe_settings() -> None:
    """For servers: Django runs the checks for commands only. Raises SystemCheckError."""
    faults = [message for message in run_checks(tags=[TAG]) if message.is_serious()]
    if faults:
        raise SystemCheckError("claimsite does not start:\n" + "\n".join(map(str, faults)))


# Not tagged as a database check: those only run when asked for, and this one looks at settings alone.
@register(TAG)
def transactions_are_ours(**_: Any) -> list[CheckMessage]:
    """A request-wide transaction would swallow conflict records, and durable verbs would refuse to run in it."""
    return [
        Error(
            f"Database {alias!r} has ATOMIC_REQUESTS on.",
            hint="Remove it: every write opens its own durable transaction.",
            id="claimsite.E001",
        )
        for alias in connections
        if connections[alias].settings_dict["ATOMIC_REQUESTS"]
    ]


@register(TAG)
def sqlite_writes_are_immediate(**_: Any) -> list[CheckMessage]:
    """Deferred transactions read first and lock later: most concurrent claims would fail, and none would wait."""
    messages: list[CheckMessage] = []
    for alias in connections:
        connection = connections[alias]
        if connection.vendor != "sqlite":
            continue
        if connection.settings_dict["OPTIONS"].get("transaction_mode") != "IMMEDIATE":
            messages.append(
                Error(
                    f"SQLite database {alias!r} does not use IMMEDIATE transactions.",
                    hint='Set OPTIONS["transaction_mode"] = "IMMEDIATE".',
                    id="claimsite.E002",
                )
            )
        if connection.settings_dict["ENGINE"] != "claimsite.foundation.sqlite3":
            messages.append(
                Error(
                    f"SQLite database {alias!r} does not use the backend that queues writers.",
                    hint='Set ENGINE = "claimsite.foundation.sqlite3".',
                    id="claimsite.E003",
                )
            )
    return messages


@register(TAG)
def postgresql_is_driven_by_psycopg2(**_: Any) -> list[CheckMessage]:
    """Django prefers psycopg 3 as soon as it can be imported, and the two name their errors differently."""
    if not any(connections[alias].vendor == "postgresql" for alias in connections):
        return []
    from django.db.backends.postgresql.psycopg_any import is_psycopg3

    if not is_psycopg3:
        return []
    return [Error("psycopg 3 is installed and has taken over from psycopg2.", id="claimsite.E004")]


@register(TAG)
def the_door_is_closed(**_: Any) -> list[CheckMessage]:
    """Without authentication everybody who reaches the port may take every machine: loopback only, or say so."""
    if settings.AUTH_STRATEGY not in AUTH_STRATEGIES:
        return [
            Error(
                f"CLAIMSITE_AUTH_STRATEGY is {settings.AUTH_STRATEGY!r}; known: {', '.join(sorted(AUTH_STRATEGIES))}.",
                id="claimsite.E005",
            )
        ]
    messages: list[CheckMessage] = []
    if (
        settings.AUTH_STRATEGY == "noauth2"
        and not settings.TESTING
        and not settings.ALLOW_UNAUTHENTICATED
        and exposed()
    ):
        messages.append(
            Error(
                "No authentication, and the site can be reached from other machines "
                f"(CLAIMSITE_BIND={settings.BIND}, CLAIMSITE_ALLOWED_HOSTS={','.join(settings.ALLOWED_HOSTS)}).",
                hint="Bind to loopback and allow only loopback hosts, choose another CLAIMSITE_AUTH_STRATEGY, or set "
                "CLAIMSITE_ALLOW_UNAUTHENTICATED=yes if everybody on the network may claim and release everything.",
                id="claimsite.E006",
            )
        )
    if settings.SECRET_KEY == settings.INSECURE_SECRET_KEY and not settings.TESTING and exposed():
        messages.append(
            Error(
                "The site can be reached from other machines and CLAIMSITE_SECRET_KEY is the public default.",
                hint="Set CLAIMSITE_SECRET_KEY to a long random string.",
                id="claimsite.E007",
            )
        )
    return messages


@register(TAG)
def policy_file_is_sound(**_: Any) -> list[CheckMessage]:
    """A faulty rule would otherwise show as a refusal, or as an open door, in the middle of a request."""
    if not settings.POLICY_FILE:
        return []
    from claimsite.foundation.openstack import policy, policy_file

    defaults = policy.defaults()
    try:
        file = policy_file.read(settings.POLICY_FILE, defaults)
    except policy_file.BrokenPolicyFile as error:
        return [
            Error(
                f"{error.path} {fault}",
                hint="Mend the rule, or take it out: the default holds where the file says nothing.",
                id="claimsite.E008",
            )
            for fault in error.faults
        ]
    return [
        Warning(
            f"{file.path} line {file.lines[name]}: {name} guards nothing.",
            hint="A rule of this name is not known. Is it misspelt?",
            id="claimsite.W001",
        )
        for name in file.rules
        if ":" in name and name not in defaults
    ]


@register(TAG)
def origins_are_origins(**_: Any) -> list[CheckMessage]:
    """An origin is compared as browsers send it: with a path, or without its scheme, it would never match."""
    return [
        Error(
            f"CLAIMSITE_CORS_ALLOWED_ORIGIN holds {origin!r}, which no browser sends as its origin.",
            hint='Write scheme, host and port only, in lower case: "https://horizon.example.com"; or "*" for any.',
            id="claimsite.E009",
        )
        for origin in settings.CORS_ALLOWED_ORIGINS
        if origin != "*" and not _ORIGIN.fullmatch(origin)
    ]


def exposed() -> bool:
    """Whether anybody but this machine may reach the site, as far as the settings tell."""
    host = settings.BIND.rpartition(":")[0] if not settings.BIND.startswith("unix:") else "127.0.0.1"
    return host not in settings.LOOPBACK_HOSTS or not set(settings.ALLOWED_HOSTS) <= set(settings.LOOPBACK_HOSTS)
