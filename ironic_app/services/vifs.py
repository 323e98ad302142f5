"""Virtual interfaces of some network service, bound to the ports of a node."""

from __future__ import annotations

from django.db.models import Q

from claimsite.foundation.origin import Origin
from claimsite.foundation.transactions import needs_transaction, write_transaction
from ironic_app import errors, locks
from ironic_app.locks import FULL, Access
from ironic_app.models import Node, Port, PortGroup, VifAttachment
from ironic_app.services.conflict_log import records_refusals

BOUND = "tenant_vif_port_id"
"""Where a port's or a group's ``internal_info`` says what is bound to it: Nova looks there."""


def find(*, node: Node) -> list[str]:
    """The ids of what is attached to the node, in the order in which it was attached."""
    return list(VifAttachment.objects.filter(node=node).order_by("pk").values_list("vif_id", flat=True))


@records_refusals("vifs.attach")
@locks.waits_for_node
@write_transaction
def attach(
    *,
    ident: str,
    vif_id: str,
    port_uuid: str | None = None,
    portgroup_uuid: str | None = None,
    origin: Origin,
    access: Access = FULL,
) -> None:
    """Bind the interface to the port or group that is named, else to the first free one: groups before ports.

    A node without any port, as one that is only kept in the books, takes every interface.

    Raises NodeNotFound, NodeLocked, VifAlreadyAttached, NoFreePort.
    """
    node = locks.node(ident, access=access)
    locks.ensure_free(node)
    present = VifAttachment.objects.filter(node=node, vif_id=vif_id).select_related("port", "portgroup").first()
    if present is not None:
        raise _already_attached(present)
    port, portgroup = _free_place(node, vif_id, port_uuid, portgroup_uuid)
    VifAttachment.objects.create(node=node, vif_id=vif_id, port=port, portgroup=portgroup)
    for place in (port, portgroup):
        if place is not None:
            place.internal_info[BOUND] = vif_id
            place.save(update_fields=["internal_info"])


@records_refusals("vifs.detach")
@locks.waits_for_node
@write_transaction
def detach(*, ident: str, vif_id: str, origin: Origin, access: Access = FULL) -> None:
    """Raises NodeNotFound, NodeLocked, VifNotAttached."""
    node = locks.node(ident, access=access)
    locks.ensure_free(node)
    if not _detach(node, Q(vif_id=vif_id)):
        raise errors.VifNotAttached(vif=vif_id, node=node.uuid)


@needs_transaction
def remember(*, place: Port | PortGroup) -> None:
    """Take down what a port or group from elsewhere says is bound to it."""
    vif_id = place.internal_info.get(BOUND)
    if isinstance(vif_id, str):
        name = "port" if isinstance(place, Port) else "portgroup"
        VifAttachment.objects.create(node_id=place.node_id, vif_id=vif_id, **{name: place})


@needs_transaction
def detach_all(*, node: Node) -> None:
    """Unbind everything from the (locked) node."""
    _detach(node, Q())


def _detach(node: Node, which: Q) -> int:
    """How many were unbound."""
    attachments = VifAttachment.objects.filter(which, node=node).select_related("port", "portgroup")
    for attachment in attachments:
        for place in (attachment.port, attachment.portgroup):
            if place is not None:
                place.internal_info.pop(BOUND, None)
                place.save(update_fields=["internal_info"])
    return attachments.delete()[0]


def _free_place(
    node: Node, vif_id: str, port_uuid: str | None, portgroup_uuid: str | None
) -> tuple[Port | None, PortGroup | None]:
    ports = Port.objects.filter(node=node).order_by("-pxe_enabled", "pk")
    portgroups = PortGroup.objects.filter(node=node).order_by("pk")
    if port_uuid is not None:
        port = ports.filter(uuid=port_uuid, vif=None).first()
        if port is None:
            raise errors.NoFreePort(vif=vif_id)
        return port, None
    if portgroup_uuid is not None:
        portgroup = portgroups.filter(uuid=portgroup_uuid, vif=None).first()
        if portgroup is None:
            raise errors.NoFreePort(vif=vif_id)
        return None, portgroup
    portgroup = portgroups.filter(vif=None, ports__isnull=False).first()
    if portgroup is not None:
        return None, portgroup
    port = ports.filter(vif=None, portgroup=None).first()
    if port is None and (ports.exists() or portgroups.exists()):
        raise errors.NoFreePort(vif=vif_id)
    return port, None


def _already_attached(attachment: VifAttachment) -> errors.VifAlreadyAttached:
    match attachment.port, attachment.portgroup:
        case Port() as port, _:
            return errors.VifAlreadyAttached(vif=attachment.vif_id, kind="Port", uuid=port.uuid)
        case _, PortGroup() as portgroup:
            return errors.VifAlreadyAttached(vif=attachment.vif_id, kind="Portgroup", uuid=portgroup.uuid)
    return errors.VifAlreadyAttached(vif=attachment.vif_id, kind="Node", uuid=attachment.node_id)
