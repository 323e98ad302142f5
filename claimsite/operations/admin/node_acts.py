"""What operators can do about a node: what its findings offer, and release it if whom they see still has it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

from claimsite.foundation.admin import show
from claimsite.foundation.admin.acts import Act, ChangedSinceSeen, Colour, Evidence
from claimsite.foundation.errors import DomainError
from claimsite.foundation.findings import ChangedMeanwhile, Finding
from claimsite.foundation.origin import Origin
from claimsite.operations import findings, repairs
from claimsite.operations.admin import node_story
from claimsite.operations.admin.finding_acts import FindingAct
from claimsite.operations.findings import RELEASABLE
from ironic_app.models import Node
from placement_app.admin import who
from placement_app.models import Allocation


class NodeAct(Act):
    stale: ClassVar[tuple[type[DomainError], ...]] = (ChangedMeanwhile, *repairs.STALE)

    def passwords_of(self, target: Any) -> Sequence[str]:
        return [password for password in (target.name, target.uuid[-4:]) if password]

    def what_changed(self, target: Any, seen: str) -> str:
        node = Node.objects.filter(pk=target.pk).first()
        if node is None:
            return f"node {target} is gone."
        what = f"node {node} is {node.provision_state}, its instance {node.instance_uuid or 'nobody'}"
        event = node_story.last_change(node.uuid)
        return f"{what}{f'; {event.event} {who.by(event.actor, event.door, event.created_at)}' if event else ''}."


class Release(NodeAct):
    """For a claim whose instance is dead. Whoever took the node meanwhile keeps it."""

    name = "release"
    label = "Release from its instance"
    colour = Colour.AMBER

    def applies_to(self, target: Any) -> bool:
        return target.instance_uuid is not None

    def blockers(self, target: Any) -> Sequence[str]:
        if target.instance_uuid is None:
            return ["No instance has it any more."]
        if target.reservation is not None:
            return [f"It is locked by {target.reservation}: wait until the work on it is done."]
        if target.provision_state not in RELEASABLE:
            return [f"It is {target.provision_state}: undeploy it first, which gives it back."]
        return []

    def evidence(self, target: Any) -> Evidence:
        held = Allocation.objects.filter(consumer=target.instance_uuid).select_related("provider").order_by("pk")
        told = [f"{row.resource_class_id} {row.used} on {row.provider.name}" for row in held[:20]]
        event = node_story.last_change(target.uuid)
        return Evidence(
            title=f"Node {target}",
            seen=target.instance_uuid or "",
            facts=[
                ("Instance now", target.instance_uuid),
                ("Instance afterwards", show.NOTHING),
                ("Its claims in Placement now", show.lines(told) if told else show.NOTHING),
                ("Its claims afterwards", show.NOTHING),
                ("State", _state(target)),
                ("Owner, lessee", f"{target.owner or '–'}, {target.lessee or '–'}"),
                ("Last change", f"{event.event} {who.by(event.actor, event.door, event.created_at)}" if event else "–"),
            ],
            effect="The node can be claimed by anybody at once. If something still runs on it, two owners share it.",
            passwords=self.passwords_of(target),
        )

    def perform(self, target: Any, *, seen: str, data: Mapping[str, Any], origin: Origin) -> str:
        if not seen:
            raise ChangedSinceSeen
        repairs.free_node(node_uuid=target.uuid, held_by=seen, origin=origin)
        return f"Released node {target} from {seen}."


class NodeFix(FindingAct, NodeAct):
    """What one kind of finding about a node offers."""

    def look(self, target: Any) -> list[Finding]:
        return findings.of_nodes([target]).get(target.uuid, [])

    def seen(self, finding: Finding) -> str:
        names = ("node_generation", "provider_generation", "consumer", "consumer_generation", "instance", "holder")
        return "|".join(str(finding.facts.get(name)) for name in names)

    def circumstances(self, target: Any, finding: Finding) -> Iterable[tuple[str, Any]]:
        yield "State", _state(target)
        yield "Instance", target.instance_uuid or show.NOTHING
        yield "Claimed by", finding.facts.get("consumer") or show.NOTHING


class Adopt(NodeFix):
    name = "adopt"
    label = "Claim it for its instance"
    colour = Colour.GREEN
    code = "no_allocation"
    afterwards = "Placement knows that the instance has the node, and offers it to nobody else."


class Reserve(NodeFix):
    name = "reserve"
    label = "Reserve it in Placement"
    colour = Colour.GREEN
    code = "not_reserved"
    afterwards = "All of it is reserved: nobody can claim it."


class Offer(NodeFix):
    name = "offer"
    label = "Offer it again"
    colour = Colour.AMBER
    code = "reserved_but_free"
    afterwards = "Nothing of it is reserved: anybody can claim it at once."


class ReleaseOrphan(NodeFix):
    name = "release-orphan"
    label = "Release the orphaned claim"
    colour = Colour.AMBER
    code = "orphan_allocation"
    afterwards = "The claim and its consumer are gone: the node can be claimed by anybody at once."


class BreakLock(NodeFix):
    name = "break-lock"
    label = "Break the lock"
    colour = Colour.AMBER
    code = "stale_reservation"
    afterwards = "Nobody has locked the node: it can be written, claimed and worked on."


class CreateProvider(NodeFix):
    name = "create-provider"
    label = "Create its provider"
    colour = Colour.AMBER
    code = "no_provider"
    afterwards = "The node is a provider in Placement, and can be claimed there if it is free."


def _state(node: Node) -> str:
    parts = [node.provision_state, node.power_state or "power unknown"]
    parts += ["in maintenance"] if node.maintenance else []
    return ", ".join([*parts, f"locked by {node.reservation}" if node.reservation else "not locked"])
