"""Hardware types and their interfaces: names that nodes may use. Behind all of them stand the same fake machines."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from django.conf import settings

from ironic_app import errors
from ironic_app.models import Conductor
from ironic_app.services import conductors

# Interface → the implementations that nodes may name, the default first.
INTERFACES: Mapping[str, Sequence[str]] = {
    "bios": ("fake", "ilo", "irmc", "no-bios", "redfish"),
    "boot": ("fake", "http", "http-ipxe", "ipxe", "pxe", "redfish-virtual-media"),
    "console": ("fake", "ipmitool-socat", "no-console"),
    "deploy": ("fake", "anaconda", "ansible", "autodetect", "custom-agent", "direct", "ramdisk"),
    "firmware": ("fake", "no-firmware", "redfish"),
    "inspect": ("fake", "agent", "no-inspect", "redfish"),
    "management": ("fake", "idrac-redfish", "ilo", "ipmitool", "irmc", "noop", "redfish"),
    "network": ("noop", "flat", "neutron"),
    "power": ("fake", "agent", "ilo", "ipmitool", "irmc", "redfish", "snmp"),
    "raid": ("fake", "agent", "irmc", "no-raid", "redfish"),
    "rescue": ("fake", "agent", "no-rescue"),
    "storage": ("noop", "cinder", "external", "fake"),
    "vendor": ("fake", "ipmitool", "no-vendor", "redfish"),
}


DEFAULT_INTERFACES: Mapping[str, str] = {f"{kind}_interface": known[0] for kind, known in INTERFACES.items()}


@dataclasses.dataclass(frozen=True, slots=True)
class Driver:
    name: str
    hosts: list[str]
    """The living conductors that work for it."""


def names() -> list[str]:
    return sorted(settings.BAREMETAL_DRIVERS)


def find() -> list[Driver]:
    """Every hardware type that nodes may name, by name."""
    alive = [conductor for conductor in conductors.find() if conductors.is_alive(conductor)]
    return [_driver(name, alive) for name in names()]


def get(*, name: str) -> Driver:
    """Raises DriverNotFound."""
    if name not in settings.BAREMETAL_DRIVERS:
        raise errors.DriverNotFound(driver=name)
    return next(driver for driver in find() if driver.name == name)


def _driver(name: str, alive: Sequence[Conductor]) -> Driver:
    return Driver(name, [conductor.hostname for conductor in alive if name in conductor.drivers])
