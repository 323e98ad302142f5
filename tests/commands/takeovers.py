"""An Ironic to take over: this site's own API, as it answered before the site was wiped."""

import copy

from django.core.management import call_command
from django.utils import timezone

from claimsite.foundation.uuids import new_uuid
from claimsite.operations.takeover.ironic import IronicTakeover
from claimsite.replay.client import Answer
from ironic_app import states
from ironic_app.models import (
    Chassis,
    PortGroup,
    VolumeConnector,
    VolumeTarget,
)
from ironic_app.services import arrivals
from tests.commands import running
from tests.ironic.builders import make_allocation, make_node, make_port


class Service:
    """The site's own API, asked as another service."""

    def __init__(self, baremetal):
        self.client = baremetal
        self.version = "1.1"
        self.answers = {}

    def get(self, path):
        response = self.client.get(path, version=self.version)
        self.answers[path] = Answer(response.status_code, response.json(), 0.0)
        return copy.deepcopy(self.answers[path])


class Recorded:
    """A service as it answered when it was asked about everything."""

    def __init__(self, answers):
        self.version = "1.1"
        self.answers = answers

    def get(self, path):
        return copy.deepcopy(self.answers[path])

    def rows(self, start):
        """Those of the list whose address begins so."""
        [answer] = [answer for path, answer in self.answers.items() if path.startswith(start)]
        [rows] = [value for value in answer.document.values() if isinstance(value, list)]
        return rows

    def node(self, name):
        [row] = [row for row in self.rows("/v1/nodes?detail") if row["name"] == name]
        return row


def build():
    """Nodes wherever they may stay, with everything that can hang on one."""
    chassis = Chassis.objects.create(uuid=new_uuid(), description="rack 1", extra={"row": 7})
    for state in sorted(arrivals.SETTLED):
        is_failure = state in states.FAILED - states.STABLE
        make_node(
            name=f"in-{state.replace(' ', '-')}",
            provision_state=state,
            target_provision_state="available" if is_failure else None,
            last_error="it broke" if is_failure else None,
            power_state="power off",
        )
    allocation = make_allocation(name="a1", state="active", owner="team-a", traits=["CUSTOM_FAST"])
    node = make_node(
        name="rack1-n3",
        provision_state="active",
        power_state="power on",
        instance_uuid=allocation.uuid,
        allocation=allocation,
        owner="team-a",
        lessee="team-b",
        resource_class="baremetal",
        traits=["CUSTOM_FAST", "HW_CPU_X86_AVX2"],
        properties={"cpus": 4, "nested": {"list": [1, None, "x"]}},
        driver_info={"ipmi_address": "10.0.0.1", "ipmi_password": "hush"},
        driver_internal_info={"clean_steps": []},
        instance_info={"image_source": "x", "configdrive": "hush"},
        chassis=chassis,
        protected=True,
        protected_reason="it is mine",
        description="Größe 4",
        provision_updated_at=timezone.now() - running.DAYS,
        created_at=timezone.now() - 3 * running.DAYS,
        updated_at=timezone.now() - running.DAYS,
    )
    group = PortGroup.objects.create(uuid=new_uuid(), node=node, name="bond", address="52:54:00:00:00:01")
    vif = new_uuid()
    make_port(node, address="52:54:00:00:00:02", portgroup=group, created_at=timezone.now() - running.DAYS)
    make_port(node, address="52:54:00:00:00:03", internal_info={"tenant_vif_port_id": vif})
    VolumeConnector.objects.create(uuid=new_uuid(), node=node, type="iqn", connector_id="iqn.1")
    VolumeTarget.objects.create(
        uuid=new_uuid(), node=node, volume_type="iscsi", volume_id="v1", boot_index=0, properties={"lun": 1}
    )
    make_node(name="locked", provision_state="manageable", reservation="conductor-1")
    make_node(name="child", parent=node)
    make_allocation(name="a2", state="error", last_error="nothing free")


def wiped(baremetal):
    service = Service(baremetal)
    take(service)
    call_command("flush", interactive=False, verbosity=0)
    return Recorded(service.answers)


def take(remote, **options):
    return IronicTakeover(remote=remote, origin=running.ORIGIN, **options).run()
