"""What the API calls a node's history: changes of state and errors, as they happened."""

from __future__ import annotations

from django.db.models import QuerySet

from claimsite.foundation.transactions import needs_transaction
from claimsite.foundation.uuids import new_uuid
from ironic_app import errors
from ironic_app.models import Node, NodeHistory

INFO = "INFO"
ERROR = "ERROR"
KEPT_ENTRIES = 300
"""So many entries of a node are kept: the newest."""


def find(*, node: Node) -> QuerySet[NodeHistory]:
    """The node's history, oldest entry first."""
    return NodeHistory.objects.filter(node=node).order_by("pk")


def get(*, node: Node, uuid: str) -> NodeHistory:
    """Raises HistoryEntryNotFound."""
    entry = NodeHistory.objects.filter(node=node, uuid=uuid).first()
    if entry is None:
        raise errors.HistoryEntryNotFound(entry=uuid)
    return entry


@needs_transaction
def record(
    *, node: Node, event_type: str, event: str, severity: str = INFO, conductor: str = "", user: str = ""
) -> None:
    """One more entry, in the transaction of what it tells. The oldest beyond KEPT_ENTRIES go."""
    NodeHistory.objects.create(
        uuid=new_uuid(),
        node=node,
        severity=severity,
        event_type=event_type,
        event=event,
        conductor=conductor,
        user=user,
    )
    newest = NodeHistory.objects.filter(node=node).order_by("-pk")
    oldest_kept = newest.values_list("pk", flat=True)[KEPT_ENTRIES - 1 : KEPT_ENTRIES].first()
    if oldest_kept is not None:
        NodeHistory.objects.filter(node=node, pk__lt=oldest_kept).delete()
