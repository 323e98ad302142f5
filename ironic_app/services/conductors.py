"""Conductors as the rest of the site sees them: who is there, who is alive, and when they were last heard of.

A conductor's life is its heartbeat. Whoever has not been heard of for CONDUCTOR_TIMEOUT_SECONDS is dead, and what it
held may be taken over. Host names are compared without regard to case: hosts get renamed from Rack-1 to rack-1.
"""

from __future__ import annotations

import datetime

from django.conf import settings
from django.db.models import QuerySet
from django.db.models.functions import Lower
from django.utils import timezone

from claimsite.foundation.transactions import write_transaction
from ironic_app import errors
from ironic_app.models import Conductor


def find() -> QuerySet[Conductor]:
    """Every conductor that ever signed on, in that order."""
    return Conductor.objects.order_by("pk")


def get(*, hostname: str) -> Conductor:
    """Raises ConductorNotFound."""
    conductor = Conductor.objects.filter(hostname__iexact=hostname).first()
    if conductor is None:
        raise errors.ConductorNotFound(conductor=hostname)
    return conductor


def is_alive(conductor: Conductor) -> bool:
    return is_fresh(conductor.last_seen_at)


def is_fresh(last_seen_at: datetime.datetime | None) -> bool:
    """Whether a conductor that was last seen then counts as alive."""
    return last_seen_at is not None and last_seen_at > _deadline()


def known() -> set[str]:
    """The host names, in lower case, of all that ever signed on."""
    return set(Conductor.objects.values_list(Lower("hostname"), flat=True))


def alive(*, conductor_group: str | None = None) -> set[str]:
    """The host names, in lower case, of those that work (in the group, if one is named)."""
    conductors = Conductor.objects.filter(last_seen_at__gt=_deadline())
    if conductor_group is not None:
        conductors = conductors.filter(conductor_group=conductor_group.lower())
    return set(conductors.values_list(Lower("hostname"), flat=True))


def in_charge(*, driver: str, conductor_group: str) -> str | None:
    """The host name of a living conductor that works for this driver in this group; None if there is none."""
    working = Conductor.objects.filter(last_seen_at__gt=_deadline(), conductor_group=conductor_group).order_by("pk")
    return next((conductor.hostname for conductor in working if driver in conductor.drivers), None)


@write_transaction
def sign_on(*, hostname: str, conductor_group: str, drivers: list[str]) -> None:
    """The conductor is there and works. A second one of the same name takes the first one's place."""
    now = timezone.now()
    values = {"conductor_group": conductor_group.lower(), "drivers": drivers, "last_seen_at": now, "updated_at": now}
    if not Conductor.objects.filter(hostname__iexact=hostname).update(**values):
        Conductor.objects.create(hostname=hostname, **values)


@write_transaction
def heartbeat(*, hostname: str) -> bool:
    """Still there. False when nobody knows the conductor (any more): then it has to sign on again."""
    now = timezone.now()
    return bool(Conductor.objects.filter(hostname__iexact=hostname).update(last_seen_at=now, updated_at=now))


@write_transaction
def sign_off(*, hostname: str) -> None:
    """Gone on purpose: what it held may be taken over at once."""
    Conductor.objects.filter(hostname__iexact=hostname).update(last_seen_at=None, updated_at=timezone.now())


def _deadline() -> datetime.datetime:
    return timezone.now() - datetime.timedelta(seconds=settings.CONDUCTOR_TIMEOUT_SECONDS)
