"""What else belongs to nodes, to be looked at: allocations, ports, conductors, who was refused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString

from claimsite.foundation.admin import show
from claimsite.foundation.admin.lists import ChoiceFilter, TimeFilter, choice_filter, text_filter
from claimsite.foundation.admin.pages import ReadOnlyModelAdmin
from claimsite.operations.admin import nodes
from claimsite.operations.admin.finding_acts import DeleteLostAllocation
from ironic_app.models import Allocation, Conductor, ConflictRecord, Node, OwnershipEvent, Port
from ironic_app.services import conductors
from placement_app.admin import links


class AllocationStateFilter(ChoiceFilter):
    title = "state"
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> Sequence[tuple[str, str]]:
        return [*Allocation.State.choices, ("lost", "active, without a node")]

    def narrow(self, queryset: QuerySet, value: str) -> QuerySet:
        if value == "lost":
            return queryset.filter(state=Allocation.State.ACTIVE, node=None)
        return queryset.filter(state=value)


def _node_link(uuid: str | None, name: str | None = None) -> SafeString:
    return nodes.link(uuid, name or "")


@admin.register(Allocation)
class NodeAllocationAdmin(ReadOnlyModelAdmin):
    menu_name = "Node allocations"
    menu_position = 2
    acts = (DeleteLostAllocation,)
    list_display = ("shown_name", "shown_state", "resource_class", "shown_node", "owner", "why", "made")
    list_display_links = ("shown_name",)
    list_select_related = ("node",)
    list_filter = (AllocationStateFilter, text_filter("owner", "owner", is_uuid=True), TimeFilter)
    search_uuids = ("uuid",)
    search_texts = ("name",)
    ordering = ("-pk",)
    empty_text = "An allocation asks for some node of a class; once it is active it is the claim on that node."

    @admin.display(description="allocation", ordering="name")
    def shown_name(self, row: Any) -> str:
        return str(row)

    @admin.display(description="state", ordering="state")
    def shown_state(self, row: Any) -> SafeString:
        tones = {Allocation.State.ACTIVE: "good", Allocation.State.ERROR: "bad"}
        return show.chip(row.state, tones.get(row.state, "info"))

    @admin.display(description="node")
    def shown_node(self, row: Any) -> SafeString:
        node = getattr(row, "node", None)
        return _node_link(node.uuid, node.name) if node else show.NOTHING

    @admin.display(description="last error")
    def why(self, row: Any) -> str:
        return (row.last_error or "")[:120]

    @admin.display(description="made", ordering="created_at")
    def made(self, row: Any) -> SafeString:
        return show.ago(row.created_at)


@admin.register(Port)
class PortAdmin(ReadOnlyModelAdmin):
    menu_position = 3
    list_display = ("address", "shown_node", "physical_network", "pxe_enabled")
    list_select_related = ("node",)
    list_filter = (text_filter("node", "node__uuid", is_uuid=True), text_filter("network", "physical_network"))
    search_uuids = ("uuid", "node__uuid")
    search_texts = ("address", "name")
    empty_text = "A port is a network card's plug, known by its MAC address."

    @admin.display(description="node")
    def shown_node(self, row: Any) -> SafeString:
        return _node_link(row.node.uuid, row.node.name)


@admin.register(Conductor)
class ConductorAdmin(ReadOnlyModelAdmin):
    menu_position = 4
    list_display = ("hostname", "is_alive", "conductor_group", "heard", "locked")
    search_texts = ("hostname",)
    ordering = ("hostname",)
    empty_text = "Conductors take nodes from state to state: manage.py run_conductor starts one."

    def enrich(self, rows: Sequence[Any]) -> None:
        holders = Node.objects.exclude(reservation=None).order_by().values_list("reservation", flat=True)
        locked: list[str] = [str(holder).lower() for holder in holders]
        for row in rows:
            row.locked_nodes = locked.count(row.hostname.lower())

    @admin.display(description="alive", boolean=True)
    def is_alive(self, row: Any) -> bool:
        return conductors.is_alive(row)

    @admin.display(description="last heard of", ordering="last_seen_at")
    def heard(self, row: Any) -> SafeString:
        return show.ago(row.last_seen_at)

    @admin.display(description="locked nodes")
    def locked(self, row: Any) -> int:
        return int(row.locked_nodes)


@admin.register(OwnershipEvent)
class OwnershipEventAdmin(ReadOnlyModelAdmin):
    menu_name = "History of nodes"
    menu_position = 5
    list_display = ("when", "event", "shown_node", "change", "actor", "door", "reason")
    list_display_links = ("when",)
    list_filter = (
        choice_filter("event", "event", OwnershipEvent.Event.values),
        text_filter("node", "node_uuid", is_uuid=True),
        text_filter("actor", "actor"),
        TimeFilter,
    )
    search_uuids = ("node_uuid", "before", "after")
    search_texts = ("request_id",)
    ordering = ("-pk",)
    empty_text = "Every node that is taken, given back, or refused to somebody leaves a line here."

    @admin.display(description="when", ordering="pk")
    def when(self, row: Any) -> SafeString:
        return show.ago(row.created_at)

    @admin.display(description="node")
    def shown_node(self, row: Any) -> SafeString:
        return _node_link(row.node_uuid, row.node_name)

    @admin.display(description="who had it, who has it")
    def change(self, row: Any) -> SafeString:
        # Of an instance Placement has the story; owners and lessees are words of other services.
        shown = links.consumer if row.subject == OwnershipEvent.Subject.INSTANCE else show.uuid
        digits = show.digits([row.before, row.after])
        return format_html(
            "{} {} → {}", row.subject, shown(row.before or "", digits=digits), shown(row.after or "", digits=digits)
        )


@admin.register(ConflictRecord)
class NodeConflictAdmin(ReadOnlyModelAdmin):
    menu_name = "Refused writes of nodes"
    menu_position = 6
    list_display = ("when", "reason", "operation", "shown_node", "actor", "text")
    list_display_links = ("when",)
    list_filter = (text_filter("node", "node_uuid", is_uuid=True), text_filter("reason", "reason"), TimeFilter)
    search_uuids = ("node_uuid",)
    search_texts = ("request_id",)
    ordering = ("-pk",)
    empty_text = (
        "A write that was refused because of what others did leaves a record here. Who was refused a node that "
        "somebody else has is told in the history of nodes."
    )

    @admin.display(description="when", ordering="pk")
    def when(self, row: Any) -> SafeString:
        return show.ago(row.created_at)

    @admin.display(description="node")
    def shown_node(self, row: Any) -> SafeString:
        return _node_link(row.node_uuid)
