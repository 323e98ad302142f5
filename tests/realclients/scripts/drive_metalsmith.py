"""Deploying and undeploying with metalsmith: by class, by capability and candidates, several at once."""

import sys
import threading
import uuid

import metalsmith
import openstack
from metalsmith import instance_config, sources
from verdict import check

ADDRESS = sys.argv[1]
CLASS = f"metalsmith-{uuid.uuid4().hex[:8]}"
NODES = 4


connection = openstack.connection.Connection(
    auth={"endpoint": ADDRESS}, auth_type="none", baremetal_endpoint_override=ADDRESS
)
baremetal = connection.baremetal
nodes = []
for number in range(NODES):
    made = baremetal.create_node(
        driver="fake-hardware",
        name=f"{CLASS}-{number}",
        resource_class=CLASS,
        properties={"capabilities": "boot_mode:uefi", "local_gb": 40},
    )
    nodes.append(made.id)
for target in ("manage", "provide"):
    for node in nodes:
        baremetal.set_node_provision_state(node, target)
    baremetal.wait_for_nodes_provision_state(nodes, {"manage": "manageable", "provide": "available"}[target])

provisioner = metalsmith.Provisioner(cloud_region=connection.config)
node = provisioner.reserve_node(CLASS, hostname=CLASS, capabilities={"boot_mode": "uefi"}, candidates=nodes[:2])
check("a candidate is reserved", node.id in nodes[:2])
instance = provisioner.provision_node(
    node,
    image=sources.HttpWholeDiskImage("http://127.0.0.1/image", checksum="0" * 64),
    nics=[],
    root_size_gb=10,
    wait=120,
    config=instance_config.GenericConfig(),
)
check("it is deployed under its host name", (instance.state.name, instance.hostname) == ("ACTIVE", CLASS))
check("its notes are kept", "metalsmith_created_ports" in baremetal.get_node(node.id).extra)
check("it is undeployed", provisioner.unprovision_node(node, wait=120).provision_state == "available")
check("its allocation is gone", not list(baremetal.allocations(resource_class=CLASS)))

reserved, refused = [], []


def reserve():
    own = metalsmith.Provisioner(cloud_region=connection.config)
    try:
        reserved.append(own.reserve_node(CLASS).id)
    except metalsmith.exceptions.ReservationFailed as error:
        refused.append(error)


threads = [threading.Thread(target=reserve) for _ in range(NODES + 3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
check("of many at once each gets a node of its own", sorted(reserved) == sorted(nodes))
check("and the rest are told that there is none", len(refused) == 3)
for allocation in baremetal.allocations(resource_class=CLASS):
    baremetal.delete_allocation(allocation)
for node in nodes:
    baremetal.delete_node(node)
check("all is gone again", not list(baremetal.nodes(resource_class=CLASS)))
