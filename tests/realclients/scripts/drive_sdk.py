"""A node's life with openstacksdk: enrolled, claimed, deployed, fought over, torn down, deleted."""

import sys
import time
import uuid

import openstack
from openstack import exceptions
from verdict import check, some_address

ADDRESS = sys.argv[1]
CLASS = f"sdk-{uuid.uuid4().hex[:8]}"


connection = openstack.connection.Connection(
    auth={"endpoint": ADDRESS}, auth_type="none", baremetal_endpoint_override=ADDRESS
)
baremetal = connection.baremetal

# --- a node is enrolled ---
node = baremetal.create_node(driver="fake-hardware", name=CLASS, resource_class=CLASS, properties={"cpus": 4})
check("a new node is in enroll", node.provision_state == "enroll")
baremetal.set_node_provision_state(node, "manage", wait=True)
baremetal.set_node_provision_state(node, "provide", wait=True)
node = baremetal.get_node(node.id)
check(
    "it becomes available, its power is known", (node.provision_state, node.power_state) == ("available", "power off")
)
mac = some_address()
port = baremetal.create_port(address=mac, node_id=node.id)
check("its port is found by node", [found.address for found in baremetal.ports(node=node.id)] == [mac])
check("its port is found by address", [found.id for found in baremetal.ports(details=True, address=mac)] == [port.id])
baremetal.set_node_traits(node, ["CUSTOM_A"])
baremetal.add_node_trait(node, "CUSTOM_B")
baremetal.remove_node_trait(node, "CUSTOM_A")
check("its traits are as set", baremetal.get_node(node.id).traits == ["CUSTOM_B"])
check("it is fit to be deployed", baremetal.validate_node(node)["deploy"].result)
group = baremetal.create_port_group(node_id=node.id, name=CLASS)
check("its port group is listed", [found.name for found in baremetal.port_groups(node=node.id)] == [CLASS])
baremetal.delete_port_group(group)

# --- claimed by an allocation ---
allocation = baremetal.create_allocation(name=CLASS, resource_class=CLASS, traits=["CUSTOM_B"])
allocation = baremetal.wait_for_allocation(allocation)
check("the allocation finds the node", (allocation.state, allocation.node_id) == ("active", node.id))
second = baremetal.create_allocation(name=f"{CLASS}-2", resource_class=CLASS)
second = baremetal.wait_for_allocation(second, ignore_error=True)
check("a second one finds none and says so", second.state == "error" and CLASS in second.last_error)
baremetal.delete_allocation(second)
baremetal.attach_vif_to_node(node, "vif-1")
check("a virtual interface is attached", baremetal.list_node_vifs(node) == ["vif-1"])
baremetal.set_node_provision_state(node, "active", wait=True, config_drive={"meta_data": {"name": CLASS}})
node = baremetal.get_node(node.id)
check("it is deployed and running", (node.provision_state, node.power_state) == ("active", "power on"))
check("the allocation has it", node.instance_id == node.allocation_id == allocation.id)
try:
    baremetal.update_node(node, retry_on_conflict=False, instance_id=str(uuid.uuid4()))
    check("nobody else gets it", False)
except exceptions.ConflictException as refusal:
    check("nobody else gets it", f"is associated with instance {allocation.id}" in str(refusal))
check("it still belongs to the allocation", baremetal.get_node(node.id).instance_id == allocation.id)
try:
    baremetal.delete_allocation(allocation.id, ignore_missing=False)
    check("what is deployed is not released", False)
except exceptions.ConflictException as refusal:
    check("what is deployed is not released", "because the node is active" in str(refusal))

# --- used ---
baremetal.set_node_power_state(node, "rebooting", wait=True)
check("it is running after a reboot", baremetal.get_node(node.id).power_state == "power on")
baremetal.set_node_maintenance(node, "a fan is loud")
check("maintenance has a reason", baremetal.get_node(node.id).maintenance_reason == "a fan is loud")
baremetal.unset_node_maintenance(node)
baremetal.set_node_provision_state(node, "rebuild", wait=True)
baremetal.set_node_provision_state(node, "rescue", wait=True, rescue_password="x")
check("it can be rescued", baremetal.get_node(node.id).provision_state == "rescue")
baremetal.set_node_provision_state(node, "unrescue")
while baremetal.get_node(node.id).provision_state != "active":
    time.sleep(0.5)

# --- torn down ---
baremetal.set_node_provision_state(node, "deleted", wait=True)
node = baremetal.get_node(node.id)
check("it is available again", node.provision_state == "available")
check("it is nobody's", (node.instance_id, node.allocation_id, node.instance_info) == (None, None, {}))
check("the allocation is gone", baremetal.find_node(CLASS) and not list(baremetal.allocations(resource_class=CLASS)))
check("the virtual interface is gone", baremetal.list_node_vifs(node) == [])

# --- the rest ---
check("the node is listed by class", [found.id for found in baremetal.nodes(resource_class=CLASS)] == [node.id])
check("conductors are listed", [found.hostname for found in baremetal.conductors()] == ["conductor-1"])
check("drivers are listed", "fake-hardware" in [found.name for found in baremetal.drivers()])
chassis = baremetal.create_chassis(description="a box")
check(
    "a chassis is described", baremetal.update_chassis(chassis, description="another box").description == "another box"
)
baremetal.delete_chassis(chassis)
check("there are no volumes", [*baremetal.volume_connectors(), *baremetal.volume_targets()] == [])
check("there are no templates", list(baremetal.deploy_templates()) == [])
check("the boot device is told", baremetal.get_node_boot_device(node)["boot_device"] == "pxe")
baremetal.delete_port(port)
baremetal.delete_node(node)
check("a deleted node is gone", baremetal.find_node(CLASS) is None)
