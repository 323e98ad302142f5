"""Nodes: who has which machine, what both services say of it, and where they differ."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from claimsite.foundation.admin import show
from claimsite.foundation.admin.lists import ChoiceFilter, TextFilter, text_filter
from claimsite.foundation.admin.pages import ReadOnlyModelAdmin
from claimsite.foundation.findings import Colour, Finding
from claimsite.foundation.uuids import canonical_uuid
from claimsite.operations import findings, sights
from claimsite.operations.admin import node_acts, node_story
from claimsite.operations.admin.finding_acts import fix_command
from claimsite.operations.findings import CODES
from ironic_app import secrets, states
from ironic_app.models import Node
from placement_app.admin import links

TONES = {Colour.RED: "bad", Colour.AMBER: "warn", Colour.GREEN: "info", Colour.GREY: "plain"}
"""Worst first."""
OF_NODES = [code for code in CODES if code not in {"no_node", "allocation_without_node"}]

FREE = Q(
    provision_state=states.AVAILABLE,
    instance_uuid=None,
    allocation=None,
    maintenance=False,
    reservation=None,
)


class HoldingFilter(ChoiceFilter):
    title = "holding"
    parameter_name = "holding"
    conditions = {
        "free": FREE,
        "held": Q(instance_uuid__isnull=False) | Q(allocation__isnull=False),
        "locked": Q(reservation__isnull=False),
        "maintenance": Q(maintenance=True),
    }

    def lookups(self, request: HttpRequest, model_admin: Any) -> Sequence[tuple[str, str]]:
        return [
            ("free", "free: can be had at once"),
            ("held", "held by somebody"),
            ("locked", "locked: somebody is at work"),
            ("maintenance", "in maintenance"),
        ]

    def narrow(self, queryset: QuerySet, value: str) -> QuerySet:
        return queryset.filter(self.conditions[value]) if value in self.conditions else queryset.none()


class MismatchFilter(ChoiceFilter):
    title = "mismatch"
    parameter_name = "mismatch"

    def lookups(self, request: HttpRequest, model_admin: Any) -> Sequence[tuple[str, str]]:
        return [("any", "any, older than an hour"), *((code, CODES[code]) for code in OF_NODES)]

    def narrow(self, queryset: QuerySet, value: str) -> QuerySet:
        if value != "any" and value not in OF_NODES:
            return queryset.none()
        return queryset.filter(pk__in=findings.mismatched(code="" if value == "any" else value))


class StateFilter(TextFilter):
    title = "state"
    parameter_name = "state"

    def narrow(self, queryset: QuerySet, value: str) -> QuerySet:
        return queryset.filter(provision_state=value)


@admin.register(Node)
class NodeAdmin(ReadOnlyModelAdmin):
    menu_position = 1
    page_template = "admin/ironic_app/node.html"
    acts = (
        node_acts.Adopt,
        node_acts.Reserve,
        node_acts.ReleaseOrphan,
        node_acts.Offer,
        node_acts.CreateProvider,
        node_acts.BreakLock,
        node_acts.Release,
    )
    list_display = ("shown_name", "whose", "state", "instance", "placement", "mismatch", "changed")
    list_display_links = None
    list_filter = (
        HoldingFilter,
        MismatchFilter,
        StateFilter,
        text_filter("owner", "owner", is_uuid=True),
        text_filter("lessee", "lessee", is_uuid=True),
        text_filter("class", "resource_class"),
    )
    list_select_related = ("allocation",)
    ordering = ("pk",)
    search_uuids = ("uuid", "instance_uuid")
    search_texts = ("name",)
    search_help_text = "name or uuid of the node, or uuid of its instance"
    list_command = "manage.py reconcile"
    empty_text = (
        "Nodes are machines that can be owned as a whole. With CLAIMSITE_MIRROR_NODES each is a provider in Placement "
        "as well, and what the two say of it is compared here."
    )
    export_fields = (
        "uuid",
        "name",
        "owner",
        "lessee",
        "resource_class",
        "provision_state",
        "power_state",
        "maintenance",
        "instance_uuid",
        "allocation_id",
        "reservation",
        "reserved_at",
    )

    # --- the list ----------------------------------------------------------------------------------------------------
    def enrich(self, rows: Sequence[Any]) -> None:
        seen = {sight.node.uuid: sight for sight in sights.see(rows)}
        found = findings.judge(list(seen.values()))
        for row in rows:
            row.findings = found.get(row.uuid, [])
            row.sight = seen[row.uuid]
            row.digits = show.digits([row.instance_uuid, *row.sight.holders])

    @admin.display(description="node", ordering="name")
    def shown_name(self, row: Any) -> SafeString:
        url = self.url_of(row)
        name = format_html('<a class="cs-name" href="{}" title="{}">{}</a><br>', url, row.name, row.name)
        return format_html("{}{}", name if row.name else "", show.uuid(row.uuid, url))

    @admin.display(description="owner / lessee", ordering="owner")
    def whose(self, row: Any) -> SafeString:
        return format_html("{} / {}", show.uuid(row.owner), show.uuid(row.lessee))

    @admin.display(description="state", ordering="provision_state")
    def state(self, row: Any) -> SafeString:
        chips = [show.chip(row.provision_state, "good" if row.provision_state == states.AVAILABLE else "plain")]
        if row.maintenance:
            chips.append(show.chip("maintenance", "warn"))
        if row.reservation:
            locked = show.chip(f"locked by {row.reservation}"[: show.LONGEST_WORD], "info")
            chips.append(
                format_html('<span title="{}">{}</span><br>{}', row.reservation, locked, show.ago(row.reserved_at))
            )
        return show.lines(chips)

    @admin.display(description="instance", ordering="instance_uuid")
    def instance(self, row: Any) -> SafeString:
        if row.instance_uuid is None:
            return show.NOTHING
        by = format_html("<br>by allocation {}", row.allocation) if row.allocation_id else ""
        return format_html("{}{}", links.consumer(row.instance_uuid, row.digits), by)

    @admin.display(description="Placement says")
    def placement(self, row: Any) -> Any:
        if row.sight.provider is None:
            return format_html('<span class="cs-quiet">{}</span>', "no such provider")
        if not row.sight.holders:
            return show.chip("nothing to claim", "plain") if not row.sight.offers else show.chip("free", "good")
        return show.lines([links.consumer(consumer, row.digits) for consumer in row.sight.holders])

    @admin.display(description="mismatch")
    def mismatch(self, row: Any) -> SafeString:
        return show.lines([_told(finding) for finding in row.findings])

    @admin.display(description="changed", ordering="updated_at")
    def changed(self, row: Any) -> SafeString:
        return show.ago(row.updated_at or row.created_at)

    # --- the page ----------------------------------------------------------------------------------------------------
    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Node | None:
        """By key or by uuid in any spelling."""
        rows = Node.objects.select_related("allocation")
        if uuid := canonical_uuid(object_id):
            return rows.filter(uuid=uuid).first()
        return rows.filter(pk=int(object_id)).first() if object_id.isdecimal() and len(object_id) < 19 else None

    def page_context(self, request: HttpRequest, row: Any) -> Mapping[str, Any]:
        [sight] = sights.see([row])
        row.findings = findings.judge([sight]).get(row.uuid, [])
        return {
            "title": f"Node {row}",
            "sight": sight,
            "holders": [
                (consumer, {each.resource_class_id: each.used for each in held})
                for consumer, held in sight.holders.items()
            ],
            "findings": [(finding, chip(finding), cure(finding), fix_command(finding)) for finding in row.findings],
            "is_free": not sight.holders and Node.objects.filter(FREE, pk=row.pk).exists(),
            "fields": list(self.fields_of(row)),
            "timeline": node_story.of_node(row.uuid, request.GET.get("older", "")),
            "side": "provider",
        }

    def fields_of(self, row: Any) -> Iterator[tuple[str, Any]]:
        """As the API shows them: without passwords."""
        shown = copy.copy(row)
        for field in self.opts.concrete_fields:
            value = getattr(shown, field.attname)
            if isinstance(value, dict):
                hide = secrets.instance_info if field.name == "instance_info" else secrets.driver_info
                setattr(shown, field.attname, hide(value))
        return super().fields_of(shown)

    def commands(self, row: Any) -> Sequence[str]:
        return [f"manage.py whohas {row.uuid}", f"openstack baremetal node show {row.uuid}"]


def chip(finding: Finding) -> SafeString:
    return format_html('<span title="{}">{}</span>', finding.text, show.chip(finding.code, TONES[finding.colour]))


def _told(finding: Finding) -> SafeString:
    """In a list: the code; of what is too young to tell also since when, what it will be and when."""
    if "becomes" not in finding.facts:
        return chip(finding)
    at = show.ago(datetime.fromisoformat(finding.facts["at"]))
    return format_html(
        "{} since {}: counts as {} {}", chip(finding), show.ago(finding.since), finding.facts["becomes"], at
    )


def cure(finding: Finding) -> SafeString | str:
    """What would put it right; of what is too young to tell, what it will be and when."""
    if "becomes" not in finding.facts:
        return finding.fix
    at = show.ago(datetime.fromisoformat(finding.facts["at"]))
    return format_html("{}: it counts as <strong>{}</strong> {}", finding.fix, finding.facts["becomes"], at)


def link(uuid: str | None, name: str = "") -> SafeString:
    """To the page of a node, which is found by its uuid too."""
    if not uuid:
        return show.NOTHING
    return show.uuid(uuid, reverse("admin:ironic_app_node_change", args=[uuid]), label=name)
