"""An instance's life with Nova's ironic driver: claimed, spawned, switched, rescued, rebuilt, destroyed."""

import sys
import uuid

import compute
from nova import exception, objects
from nova.compute import power_state, task_states
from verdict import check, some_address

ADDRESS = sys.argv[1]
CLASS = f"nova-{uuid.uuid4().hex[:8]}"

compute.configure(ADDRESS)
compute.make_database()
baremetal = compute.baremetal(ADDRESS)
node = compute.available_node(baremetal, CLASS)
port = baremetal.create_port(node_id=node.id, address=some_address())
driver = compute.compute()


def now():
    return baremetal.get_node(node.id)


check("the node is offered", node.id in driver.get_available_nodes(refresh=True))
instance, image, interfaces = (made := compute.instance(node)), compute.image(made), compute.one_interface()
driver.prepare_for_spawn(instance)
check("the claim is stored", now().instance_id == instance.uuid)
driver.prepare_networks_before_block_device_mapping(instance, interfaces)
check("the interface is attached", baremetal.list_node_vifs(node) == [interfaces[0]["id"]])
check("its port says so", baremetal.get_port(port.id).internal_info["tenant_vif_port_id"] == interfaces[0]["id"])
driver.spawn(compute.CONTEXT, instance, image, [], None, {}, network_info=interfaces)
check("it is deployed", now().provision_state == "active")
check("what is deployed is noted", now().instance_info["display_name"] == "vm")
check("it runs", driver.get_info(instance, use_cache=False).state == power_state.RUNNING)
driver.power_off(instance)
check("it is switched off", now().power_state == "power off")
driver.power_on(compute.CONTEXT, instance, interfaces)
check("it is switched on", now().power_state == "power on")
for kind in ("HARD", "SOFT"):
    driver.reboot(compute.CONTEXT, instance, interfaces, kind)
check("it runs after reboots", now().power_state == "power on")
driver.rescue(compute.CONTEXT, instance, interfaces, image, "secret", None, objects.ShareMappingList(objects=[]))
check("it is rescued", now().provision_state == "rescue")
driver.unrescue(compute.CONTEXT, instance)
check("it is back", now().provision_state == "active")
instance.task_state = task_states.REBUILDING
instance.save()
no_disks = objects.BlockDeviceMappingList(objects=[])
driver.rebuild(compute.CONTEXT, instance, image, [], None, {}, no_disks, None, None, network_info=interfaces)
check("it is rebuilt", now().provision_state == "active")
check("it has no volumes", driver.get_volume_connector(instance)["host"] == "vm")

other = compute.instance(node)
try:
    driver.prepare_for_spawn(other)
    check("nobody else is sent there", False)
except exception.ComputeResourcesUnavailable:
    check("nobody else is sent there", True)
try:
    driver._set_instance_id(now(), other)
    check("nor can take it", False)
except exception.InstanceDeployFailure:
    check("nor can take it", now().instance_id == instance.uuid)

check("it exists", driver.instance_exists(instance))
driver.destroy(compute.CONTEXT, instance, interfaces)
baremetal.wait_for_nodes_provision_state([node.id], "available")
check("it is gone, with all it had", (now().instance_id, now().instance_info) == (None, {}))
check("its interface is detached", baremetal.list_node_vifs(node) == [])
check("it does not exist any more", not driver.instance_exists(instance))
driver.destroy(compute.CONTEXT, instance, interfaces)
check("destroying it once more does no harm", now().provision_state == "available")

driver.prepare_for_spawn(other)
driver.failed_spawn_cleanup(other)
check("a claim that was not used is released", (now().instance_id, now().instance_info) == (None, {}))
baremetal.delete_node(node)
check("a deleted node is deleted to Nova too", driver.is_node_deleted(node.id))
