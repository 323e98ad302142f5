"""What the nodes have to say on the pages of Placement: the same machine, the same instance."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest

from claimsite.foundation.admin.pages import Panel
from claimsite.operations import findings
from claimsite.operations.admin import nodes
from ironic_app.models import Node

MOST = 20


def of_provider(request: HttpRequest, provider: Any) -> Panel | None:
    return _panel("The same machine as a node", Node.objects.filter(uuid=provider.uuid))


def of_consumer(request: HttpRequest, consumer: Any) -> Panel | None:
    return _panel("Nodes that have it as their instance", Node.objects.filter(instance_uuid=consumer.uuid))


def _panel(title: str, rows: Any) -> Panel | None:
    found = list(rows.order_by("pk")[:MOST])
    if not found:
        return None
    wrong = findings.of_nodes(found)
    told = [(node, [nodes.chip(finding) for finding in wrong.get(node.uuid, [])]) for node in found]
    return Panel("admin/operations/nodes_panel.html", {"title": title, "nodes": told})
