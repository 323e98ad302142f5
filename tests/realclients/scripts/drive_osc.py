"""A host's life with ``openstack resource provider …``: reported, claimed, full, freed, deleted."""

import json
import subprocess
import sys
import uuid
from pathlib import Path

from verdict import check

ADDRESS = sys.argv[1]
NAME = f"osc-{uuid.uuid4().hex[:8]}"
CLASS, TRAIT = (f"CUSTOM_{NAME.replace('-', '_').upper()}{kind}" for kind in ("", "_FAST"))
HOST, AGGREGATE, ALICE, BOB = (str(uuid.uuid4()) for _ in range(4))


def call(*arguments):
    openstack = Path(sys.executable).parent / "openstack"
    command = [openstack, "--os-auth-type", "admin_token", "--os-token", "admin", "--os-endpoint", ADDRESS]
    return subprocess.run(
        [*command, "--os-placement-api-version", "1.29", *arguments], capture_output=True, text=True, check=False
    )


def run(*arguments):
    done = call(*arguments)
    if done.returncode:
        sys.exit(f"openstack {' '.join(arguments)}: {done.stderr}")
    return done.stdout


def told(*arguments):
    return json.loads(run(*arguments, "-f", "json"))


def claim(consumer, amount):
    return call(
        "resource", "provider", "allocation", "set", consumer, "--project-id", "a-project", "--user-id", "a-user",
        "--allocation", f"rp={HOST},{CLASS}={amount}",
    )  # fmt: skip


made = told("resource", "provider", "create", NAME, "--uuid", HOST)
check("a new provider is at generation 0", (made["uuid"], made["generation"]) == (HOST, 0))
run("resource", "class", "create", CLASS)
run("resource", "provider", "inventory", "set", HOST, "--resource", f"{CLASS}=4")
listed = told("resource", "provider", "inventory", "list", HOST)
check("its inventory is listed", [(row["resource_class"], row["total"]) for row in listed] == [(CLASS, 4)])
run("trait", "create", TRAIT)
run("resource", "provider", "trait", "set", HOST, "--trait", TRAIT)
run("resource", "provider", "aggregate", "set", HOST, "--aggregate", AGGREGATE, "--generation", "2")
found = told("resource", "provider", "list", "--member-of", AGGREGATE, "--required", TRAIT, "--resource", f"{CLASS}=4")
check("it is found by aggregate, trait and room", [row["uuid"] for row in found] == [HOST])
found = told("allocation", "candidate", "list", "--resource", f"{CLASS}=3", "--required", TRAIT)
check("it is a candidate", [row["resource provider"] for row in found] == [HOST])

check("it can be claimed", claim(ALICE, 3).returncode == 0)
refused = claim(BOB, 2)
check("but not beyond what there is", refused.returncode and "Unable to allocate inventory" in refused.stderr)
check("and whoever was refused holds nothing", told("resource", "provider", "allocation", "show", BOB) == [])
check("a smaller claim is taken", claim(BOB, 1).returncode == 0)
usage = told("resource", "provider", "usage", "show", HOST)
check("the usage is shown", [(row["resource_class"], row["usage"]) for row in usage] == [(CLASS, 4)])
check("so no candidate is left", told("allocation", "candidate", "list", "--resource", f"{CLASS}=1") == [])
kept = call("resource", "provider", "delete", HOST)
check("a provider in use is not deleted", kept.returncode and "has allocations" in kept.stderr)
for consumer in (ALICE, BOB):
    run("resource", "provider", "allocation", "delete", consumer)
run("resource", "provider", "delete", HOST)
check("a deleted provider is gone", call("resource", "provider", "show", HOST).returncode)
run("resource", "class", "delete", CLASS)
run("trait", "delete", TRAIT)
