"""A node's life with ``openstack baremetal``."""

import json
import subprocess
import sys
import uuid
from pathlib import Path

from verdict import check, some_address

ADDRESS = sys.argv[1]
NAME = f"cli-{uuid.uuid4().hex[:8]}"


def call(*arguments):
    openstack = Path(sys.executable).parent / "openstack"
    command = [openstack, "--os-auth-type", "none", "--os-endpoint", ADDRESS, "baremetal", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def run(*arguments):
    done = call(*arguments)
    if done.returncode:
        sys.exit(f"openstack baremetal {' '.join(arguments)}: {done.stderr}")
    return done.stdout


def told(*arguments):
    return json.loads(run(*arguments, "-f", "json"))


def first(row):
    return next(iter(row.values()))


node = told("node", "create", "--driver", "fake-hardware", "--name", NAME, "--resource-class", NAME)
check("a new node is in enroll", node["provision_state"] == "enroll")
run("node", "manage", NAME, "--wait", "60")
run("node", "provide", NAME, "--wait", "60")
run("node", "add", "trait", NAME, "CUSTOM_A", "CUSTOM_B")
check("its traits are listed", [*map(first, told("node", "trait", "list", NAME))] == ["CUSTOM_A", "CUSTOM_B"])
port = told("port", "create", some_address(), "--node", node["uuid"])
check("its port is shown", told("port", "show", port["uuid"])["node_uuid"] == node["uuid"])
run("port", "set", port["uuid"], "--extra", "place=left")
check("its port is listed", [row["uuid"] for row in told("port", "list", "--node", NAME)] == [port["uuid"]])
check("it is fit", {row["Result"] for row in told("node", "validate", NAME)} == {True})

allocation = told("allocation", "create", "--resource-class", NAME, "--name", NAME, "--wait")
check("the allocation finds it", (allocation["state"], allocation["node_uuid"]) == ("active", node["uuid"]))
run("allocation", "set", NAME, "--extra", "for=me")
check("the allocation is shown", told("allocation", "show", NAME)["extra"] == {"for": "me"})
check("the allocation is listed", NAME in [row["name"] for row in told("allocation", "list")])
run("node", "vif", "attach", NAME, "vif-1")
check("a virtual interface is attached", [row["id"] for row in told("node", "vif", "list", NAME)] == ["vif-1"])
run("node", "deploy", NAME, "--wait", "60")
shown = told("node", "show", NAME)
check("it is deployed", (shown["provision_state"], shown["instance_uuid"]) == ("active", allocation["uuid"]))
check("it is found by its instance", told("node", "show", "--instance", allocation["uuid"])["uuid"] == node["uuid"])
check("it is listed as somebody's", NAME in [row["name"] for row in told("node", "list", "--associated")])
run("node", "power", "off", NAME, "--power-timeout", "5")
run("node", "reboot", NAME)
run("node", "maintenance", "set", NAME, "--reason", "a fan is loud")
check("it is in maintenance", NAME in [row["name"] for row in told("node", "list", "--maintenance")])
run("node", "maintenance", "unset", NAME)
run("node", "rebuild", NAME, "--wait", "60")
run("node", "vif", "detach", NAME, "vif-1")
refused = call("node", "delete", NAME)
check("it can't be deleted now", refused.returncode and "is associated with instance" in refused.stderr)
run("node", "undeploy", NAME, "--wait", "60")
shown = told("node", "show", NAME)
check("it is available and nobody's", (shown["provision_state"], shown["instance_uuid"]) == ("available", None))
check("the allocation is gone", NAME not in [row["name"] for row in told("allocation", "list")])

holder = str(uuid.uuid4())
run("node", "set", NAME, "--instance-uuid", holder, "--extra", "a=1")
check("it can be claimed by hand", told("node", "show", NAME)["instance_uuid"] == holder)
run("node", "unset", NAME, "--instance-uuid", "--extra", "a")
check("and released", told("node", "show", NAME)["instance_uuid"] is None)
check("its history tells", "undeploy_end" in run("node", "history", "list", NAME, "--long"))
check("the driver is listed", "fake-hardware" in run("driver", "list"))
check("the driver is shown", told("driver", "show", "fake-hardware")["type"] == "dynamic")
check("the conductor is shown", told("conductor", "show", "conductor-1")["alive"] is True)
chassis = told("chassis", "create", "--description", "a box")
run("node", "set", NAME, "--chassis-uuid", chassis["uuid"])
check("the chassis has it", NAME in run("node", "list", "--chassis", chassis["uuid"]))
run("node", "unset", NAME, "--chassis-uuid")
run("chassis", "delete", chassis["uuid"])
run("port", "delete", port["uuid"])
run("node", "delete", NAME)
check("a deleted node is gone", call("node", "show", NAME).returncode)
