"""Every clean-up command: what plants a fault for it, how it is told to act, whether it needs a list of the living."""

from django.apps import apps
from django.core.management import get_commands, load_command_class

from claimsite.foundation.uuids import new_uuid
from placement_app.models import Inventory
from tests import builders
from tests.commands import running
from tests.commands.faults import plant


def plant_empty_consumer():
    running.empty_consumer()


def plant_wrong_counter():
    running.hold(builders.provider(vcpu=8), vcpu=2)
    Inventory.objects.update(used=3)


def plant_dead_consumer():
    running.hold(builders.provider(vcpu=8), vcpu=2)


def plant_dead_instance():
    running.machine(instance_uuid=new_uuid())


COMMANDS = {
    "orphan_consumers": (plant_empty_consumer, ["--delete"], False),
    "check_data": (plant_wrong_counter, ["--fix"], False),
    "orphan_allocations": (plant_dead_consumer, ["--delete"], True),
    "stale_nodes": (plant_dead_instance, ["--delete"], True),
    "stale_reservations": (lambda: plant("stale_reservation"), ["--delete"], False),
    "orphan_providers": (lambda: plant("no_node"), ["--delete"], False),
    "reconcile": (lambda: plant("orphan_allocation"), ["--fix", "amber"], False),
}


def everything():
    """All rows but those of the sessions' own tables."""
    return {
        model._meta.label: list(model._default_manager.order_by("pk").values())
        for label in ("placement_app", "ironic_app")
        for model in apps.get_app_config(label).get_models()
    }


def running_command(name):
    return load_command_class(get_commands()[name], name)
