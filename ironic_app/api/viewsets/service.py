"""The service itself: its conductors, its drivers, and what it answers where others would have more."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from django.http import HttpResponse
from rest_framework.request import Request

from claimsite.foundation.openstack.microversion import Microversion
from ironic_app.api import features
from ironic_app.api.errors import Refusal
from ironic_app.api.parse import lists
from ironic_app.api.schemas.resources import CONDUCTORS
from ironic_app.api.viewsets.base import ALWAYS, IronicViewSet
from ironic_app.api.viewsets.collections import CollectionViewSet
from ironic_app.errors import NotFound
from ironic_app.services import conductors, drivers
from ironic_app.services.drivers import Driver


# --- conductors -------------------------------------------------------------------------------------------------------
class ConductorsViewSet(CollectionViewSet):
    resource = CONDUCTORS
    since = {"GET": features.CONDUCTORS}
    rules = {"GET": "baremetal:conductor:get"}


class ConductorListViewSet(ConductorsViewSet):
    def list(self, request: Request) -> HttpResponse:
        query = self.query(lists.PAGING | {"fields": features.CONDUCTORS, "detail": features.CONDUCTORS})
        return self.page(conductors.find(), query, self.names(query))


class ConductorViewSet(ConductorsViewSet):
    def retrieve(self, request: Request, hostname: str) -> HttpResponse:
        names = self.fields(self.query({"fields": features.CONDUCTORS}))
        found = conductors.get(hostname=hostname)
        return self.one(conductors.find().filter(pk=found.pk), names=names)


# --- drivers ----------------------------------------------------------------------------------------------------------
class DriversViewSet(IronicViewSet):
    rules = {"GET": "baremetal:driver:get"}

    def shown(self, driver: Driver, *, whole: bool) -> dict[str, Any]:
        document: dict[str, Any] = {
            "name": driver.name,
            "hosts": driver.hosts,
            "links": self.links(f"drivers/{driver.name}"),
        }
        if self.has(features.STATES_LINK):
            document["properties"] = self.links(f"drivers/{driver.name}/properties")
        if self.has(features.DYNAMIC_DRIVERS):
            document["type"] = "dynamic"
            if whole:
                document |= self.interfaces()
        return document

    def fields(self, query: Mapping[str, str]) -> tuple[str, ...] | None:
        """The fields that were asked for. Raises a 400 for what no driver has."""
        known = {"name": ALWAYS, "hosts": ALWAYS, "type": ALWAYS, "properties": ALWAYS}
        return lists.fields(query, since=known | dict.fromkeys(self.interfaces(), ALWAYS), version=self.microversion)

    def cut(self, document: dict[str, Any], names: tuple[str, ...] | None) -> dict[str, Any]:
        return document if names is None else {name: document[name] for name in (*names, "links") if name in document}

    def interfaces(self) -> dict[str, Any]:
        shown: dict[str, Any] = {}
        for name, implementations in drivers.INTERFACES.items():
            if self.has(_INTERFACES_SINCE.get(name, features.DYNAMIC_DRIVERS)):
                shown[f"default_{name}_interface"] = implementations[0]
                shown[f"enabled_{name}_interfaces"] = sorted(implementations)
        return shown


_INTERFACES_SINCE: Mapping[str, Microversion] = {
    "storage": features.STORAGE_INTERFACE,
    "rescue": features.RESCUE,
    "bios": features.BIOS,
    "firmware": features.FIRMWARE,
}


class DriverListViewSet(DriversViewSet):
    def list(self, request: Request) -> HttpResponse:
        query = self.query(
            {"type": features.DYNAMIC_DRIVERS, "detail": features.DYNAMIC_DRIVERS, "fields": features.DRIVER_FIELDS}
        )
        if query.get("type", "dynamic") not in {"classic", "dynamic"}:
            raise Refusal(400, '"type" filter must be one of "classic" or "dynamic", if specified.')
        found = [] if query.get("type") == "classic" else drivers.find()
        whole = lists.flag("detail", query.get("detail", "no"))
        names = self.fields(query)
        if whole and names is not None:
            raise Refusal(400, "Can not specify ?detail=True and fields in the same request.")
        return self.answer({"drivers": [self.cut(self.shown(driver, whole=whole), names) for driver in found]})


class DriverViewSet(DriversViewSet):
    def retrieve(self, request: Request, driver: str) -> HttpResponse:
        names = self.fields(self.query({"fields": features.DRIVER_FIELDS}))
        return self.answer(self.cut(self.shown(drivers.get(name=driver), whole=True), names))


class DriverPropertiesViewSet(DriversViewSet):
    """Fake machines have none; nor methods, nor disks."""

    rules = {"GET": "baremetal:driver:get_properties"}

    def retrieve(self, request: Request, driver: str) -> HttpResponse:
        self.query({})
        drivers.get(name=driver)
        return self.answer({})


class DriverDisksViewSet(DriverPropertiesViewSet):
    rules = {"GET": "baremetal:driver:get_raid_logical_disk_properties"}


class DriverMethodsViewSet(DriverPropertiesViewSet):
    rules = {"GET": "baremetal:driver:vendor_passthru"}


# --- what there is none of --------------------------------------------------------------------------------------------
class NoneViewSet(IronicViewSet):
    """Lists of what the service does not have. They are empty, and so is every address below them."""

    key: ClassVar[str]
    noun: ClassVar[str]

    def list(self, request: Request) -> HttpResponse:
        self.query(lists.PAGING | dict.fromkeys(["fields", "detail"], ALWAYS))
        return self.answer({self.key: []})

    def retrieve(self, request: Request, ident: str) -> HttpResponse:
        self.query({"fields": ALWAYS})
        raise NotFound(text=f"{self.noun} {ident} could not be found.")


class DeployTemplatesViewSet(NoneViewSet):
    key, noun = "deploy_templates", "Deploy template"
    rules = {"GET": "baremetal:deploy_template:get"}
    since = {"GET": features.DEPLOY_TEMPLATES}


class RunbooksViewSet(NoneViewSet):
    key, noun = "runbooks", "Runbook"
    rules = {"GET": "baremetal:runbook:list"}
    since = {"GET": features.RUNBOOKS}


class InspectionRulesViewSet(NoneViewSet):
    key, noun = "inspection_rules", "Inspection rule"
    rules = {"GET": "baremetal:inspection_rule:get"}
    since = {"GET": features.INSPECTION_RULES}


_EVENTS = ["network.bind_port", "network.unbind_port", "network.delete_port"]


class EventsViewSet(IronicViewSet):
    """Other services tell what happened to their part of a node. Nothing here depends on it."""

    since = {"POST": features.EVENTS}
    rules = {"POST": "baremetal:events:post"}

    def create(self, request: Request) -> HttpResponse:
        self.query({})
        body = self.body(default={})
        events = body.get("events") if isinstance(body, dict) else None
        if not isinstance(events, list) or not events or not all(isinstance(event, dict) for event in events):
            raise Refusal(400, "Schema error: events should be a non-empty list of objects")
        for event in events:
            if event.get("event") not in _EVENTS:
                raise Refusal(400, f"Schema error: {event.get('event')!r:.200} is not one of {_EVENTS}")
        return self.answer(status=204)
