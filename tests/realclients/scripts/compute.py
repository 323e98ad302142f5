"""A nova-compute without a cloud around it: Nova's own configuration, objects and database, and its ironic driver."""

import tempfile
import uuid
from unittest import mock

import nova.conf
import openstack
from keystoneauth1 import loading
from nova import context, objects
from nova.db.main import api as database
from nova.db.main import models
from nova.network import model as network
from nova.virt.ironic import driver

CONF = nova.conf.CONF
CONTEXT = context.RequestContext("a-user", "a-project", is_admin=True)
_folder = tempfile.TemporaryDirectory(prefix="claimsite-nova-")


def configure(address, host="compute-1"):
    """Must come first: Nova keeps its configuration in globals."""
    CONF([], project="nova", default_config_files=[], default_config_dirs=[])
    options = [option._to_oslo_opt() for option in loading.get_plugin_loader("none").get_options()]
    CONF.register_opts(options, group="ironic")
    loading.register_auth_conf_options(CONF, "ironic")
    for name, value in {
        "auth_type": "none",
        "endpoint": address,
        "endpoint_override": address,
        "api_retry_interval": 1,
    }.items():
        CONF.set_override(name, value, "ironic")
    CONF.set_override("host", host)
    objects.register_all()


def make_database():
    """Nova's own tables, in a file of this process."""
    CONF.set_override("connection", f"sqlite:///{_folder.name}/nova.sqlite", "database")
    database.configure(CONF)
    models.BASE.metadata.create_all(database.get_engine())


def baremetal(address):
    """The SDK, for what operators do."""
    connection = openstack.connection.Connection(
        auth={"endpoint": address}, auth_type="none", baremetal_endpoint_override=address
    )
    return connection.baremetal


def available_node(proxy, resource_class, number=0):
    node = proxy.create_node(
        driver="fake-hardware",
        name=f"{resource_class}-{number}",
        resource_class=resource_class,
        properties={"cpus": 4, "memory_mb": 4096, "local_gb": 40, "cpu_arch": "x86_64"},
    )
    proxy.set_node_provision_state(node, "manage", wait=True)
    proxy.set_node_provision_state(node, "provide", wait=True)
    return proxy.get_node(node.id)


def compute():
    """The driver as a compute service that has just started."""
    started = driver.IronicDriver(mock.MagicMock())
    started.init_host(CONF.host)
    return started


def instance(node):
    """A new instance that the scheduler has sent to this node."""
    flavor = objects.Flavor(
        CONTEXT, name="bm", flavorid="bm", memory_mb=4096, vcpus=4, root_gb=10, ephemeral_gb=0, swap=0, extra_specs={},
        rxtx_factor=1.0, vcpu_weight=0, disabled=False, is_public=True,
    )  # fmt: skip
    made = objects.Instance(
        CONTEXT, uuid=str(uuid.uuid4()), project_id="a-project", user_id="a-user", display_name="vm", hostname="vm",
        host=CONF.host, node=node.id, compute_id=1, flavor=flavor, old_flavor=None, new_flavor=None,
        image_ref=str(uuid.uuid4()), root_gb=10, ephemeral_gb=0, memory_mb=4096, vcpus=4, vm_state="building",
        task_state=None, power_state=0, config_drive="", launched_at=None, system_metadata={}, metadata={},
        info_cache=objects.InstanceInfoCache(network_info=network.NetworkInfo()),
    )  # fmt: skip
    made.create()
    return made


def image(of):
    return objects.ImageMeta(
        id=of.image_ref, name="an image", properties=objects.ImageMetaProps(), disk_format="raw",
        container_format="bare", min_ram=0, min_disk=0, size=1, status="active",
    )  # fmt: skip


def one_interface():
    net = network.Network(id=str(uuid.uuid4()), bridge="br", label="net", subnets=[])
    return network.NetworkInfo([network.VIF(id=str(uuid.uuid4()), address="fa:16:3e:00:00:01", network=net)])
