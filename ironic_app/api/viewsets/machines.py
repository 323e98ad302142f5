"""What can be asked of the machine behind a node. There is none: so what fake hardware answers in the real service."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from django.http import HttpResponse
from rest_framework.request import Request

from claimsite.foundation.openstack.microversion import Microversion
from ironic_app.api import features
from ironic_app.api.errors import Refusal
from ironic_app.api.parse import lists
from ironic_app.api.parse import states as parse
from ironic_app.api.schemas import resources
from ironic_app.api.viewsets.nodes import NodesViewSet
from ironic_app.errors import NotFound
from ironic_app.models import Node
from ironic_app.services import history, nodes, pages, states

_BOOT_DEVICE = "pxe"


class MachineViewSet(NodesViewSet):
    arguments: ClassVar[Mapping[str, Microversion] | None] = {}
    """What may stand behind the question mark; None if anything may."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        if self.arguments is not None:
            self.query(self.arguments)

    def found(self, node: str, rule: str) -> Node:
        return nodes.get(ident=self.ident(node), access=self.access(rule))

    def switch(self, node: str, rule: str, **changes: Any) -> HttpResponse:
        states.switch(ident=self.ident(node), changes=changes, access=self.access(rule), origin=self.origin)
        return self.answer(status=202, location=f"nodes/{node}/states")

    def unsupported(self, node: str, rule: str, what: str) -> HttpResponse:
        driver = self.found(node, rule).driver
        raise Refusal(400, f"Driver {driver} does not support {what} (disabled or not implemented).")


class ConsoleViewSet(MachineViewSet):
    def retrieve(self, request: Request, node: str) -> HttpResponse:
        found = self.found(node, "node:get_console")
        return self.answer({"console_enabled": found.console_enabled, "console_info": None})

    def update(self, request: Request, node: str) -> HttpResponse:
        enabled = parse.switch(self.body(), "enabled")
        response = self.switch(node, "node:set_console_state", console_enabled=enabled)
        response.headers["Location"] += "/console"
        return response


class BootModeViewSet(MachineViewSet):
    since = {"PUT": features.CHANGE_BOOT_MODE}

    def update(self, request: Request, node: str) -> HttpResponse:
        body = self.body()
        target = body.get("target") if isinstance(body, dict) else None
        if target not in ("bios", "uefi"):
            raise Refusal(
                400, f"Invalid boot mode {target!s:.200} requested for node. Allowed boot modes are: bios, uefi"
            )
        return self.switch(node, "node:set_boot_mode", boot_mode=target)


class SecureBootViewSet(MachineViewSet):
    since = {"PUT": features.CHANGE_BOOT_MODE}

    def update(self, request: Request, node: str) -> HttpResponse:
        return self.switch(node, "node:set_secure_boot", secure_boot=parse.switch(self.body(), "target"))


class RaidViewSet(MachineViewSet):
    since = {"PUT": features.RAID_CONFIG}

    def update(self, request: Request, node: str) -> HttpResponse:
        body = self.body()
        disks = body.get("logical_disks") if isinstance(body, dict) else None
        if body != {} and (not isinstance(disks, list) or not disks):
            raise Refusal(400, "RAID config validation error: logical_disks should be non-empty")
        self.switch(node, "node:set_raid_state", target_raid_config=body)
        return self.answer(status=204)


class BootDeviceViewSet(MachineViewSet):
    arguments = {"persistent": features.BASE}

    def retrieve(self, request: Request, node: str) -> HttpResponse:
        self.found(node, "node:get_boot_device")
        return self.answer({"boot_device": _BOOT_DEVICE, "persistent": False})

    def supported(self, request: Request, node: str) -> HttpResponse:
        self.found(node, "node:get_boot_device")
        return self.answer({"supported_boot_devices": [_BOOT_DEVICE]})

    def update(self, request: Request, node: str) -> HttpResponse:
        self.found(node, "node:set_boot_device")
        body = self.body()
        device = body.get("boot_device") if isinstance(body, dict) else None
        if device != _BOOT_DEVICE:
            raise Refusal(400, f"Invalid boot device {device!s:.200} specified.")
        return self.answer(status=204)


class NmiViewSet(MachineViewSet):
    since = {"PUT": features.INJECT_NMI}

    def update(self, request: Request, node: str) -> HttpResponse:
        return self.unsupported(node, "node:inject_nmi", "inject_nmi")


class VirtualMediaViewSet(MachineViewSet):
    since = {"GET": features.VIRTUAL_MEDIA_STATUS} | dict.fromkeys(["POST", "DELETE"], features.VIRTUAL_MEDIA)

    def retrieve(self, request: Request, node: str) -> HttpResponse:
        return self.unsupported(node, "node:vmedia:get", "get_virtual_media")

    def attach(self, request: Request, node: str) -> HttpResponse:
        return self.unsupported(node, "node:vmedia:attach", "attach_virtual_media")

    def detach(self, request: Request, node: str) -> HttpResponse:
        return self.unsupported(node, "node:vmedia:detach", "detach_virtual_media")


class PassthruViewSet(MachineViewSet):
    arguments = None
    # Its methods would have arguments of their own.

    def methods(self, request: Request, node: str) -> HttpResponse:
        self.found(node, "node:vendor_passthru")
        return self.answer({})

    def call(self, request: Request, node: str, method: str = "") -> HttpResponse:
        self.found(node, "node:vendor_passthru")
        raise Refusal(400, f"No handler for method {method or request.query_params.get('method', '')}")


class BiosViewSet(MachineViewSet):
    since = {"GET": features.BIOS}

    def list(self, request: Request, node: str) -> HttpResponse:
        self.found(node, "node:bios:get")
        return self.answer({"bios": []})

    def retrieve(self, request: Request, node: str, setting: str) -> HttpResponse:
        uuid = self.found(node, "node:bios:get").uuid
        raise NotFound(text=f"Node {uuid} doesn't have a BIOS setting '{setting}'")


class FirmwareViewSet(MachineViewSet):
    since = {"GET": features.FIRMWARE}

    def list(self, request: Request, node: str) -> HttpResponse:
        self.found(node, "node:firmware:get")
        return self.answer({"firmware": []})


class IndicatorsViewSet(MachineViewSet):
    since = {"GET": features.INDICATORS}

    def list(self, request: Request, node: str) -> HttpResponse:
        self.found(node, "node:get_indicator_state")
        return self.answer({"indicators": []})


class InventoryViewSet(MachineViewSet):
    since = {"GET": features.INVENTORY}

    def retrieve(self, request: Request, node: str) -> HttpResponse:
        uuid = self.found(node, "node:inventory:get").uuid
        raise NotFound(text=f"Node inventory record for node {uuid} could not be found.")


class HistoryViewSet(MachineViewSet):
    arguments: ClassVar[Mapping[str, Microversion]] = dict.fromkeys(["limit", "marker", "detail"], features.HISTORY)
    since = {"GET": features.HISTORY}

    def list(self, request: Request, node: str) -> HttpResponse:
        query = self.query(self.arguments)
        found = self.found(node, "node:history:get")
        paging = lists.paging(query, sortable={}, since={}, version=self.microversion)
        names = None if lists.flag("detail", query.get("detail", "no")) else resources.HISTORY.short
        view = resources.HISTORY.view(self.microversion, names)
        page = pages.page(history.find(node=found), paging, columns=view.columns, noun="Node history record")
        place = f"{self.base_url}/v1/nodes/{found.uuid}/history"
        document: dict[str, Any] = {"history": [self.entry(view.document(row, ""), place) for row in page.rows]}
        if page.has_more:
            detail = "&detail=True" if names is None else ""
            document["next"] = f"{place}?limit={paging.limit}&marker={page.rows[-1]['uuid']}{detail}"
        return self.answer(document)

    def retrieve(self, request: Request, node: str, entry: str) -> HttpResponse:
        self.query({})
        found = self.found(node, "node:history:get")
        row = vars(history.get(node=found, uuid=entry))
        view = resources.HISTORY.view(self.microversion)
        return self.answer(self.entry(view.document(row, ""), f"{self.base_url}/v1/nodes/{found.uuid}/history"))

    def entry(self, document: dict[str, Any], place: str) -> dict[str, Any]:
        document["links"] = [{"href": f"{place}/{document['uuid']}", "rel": "self"}]
        return document
