"""Acts that do what a finding offers, on the finding that the operator saw. Of nodes they are in ``node_acts``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, ClassVar

from django.utils.text import capfirst

from claimsite.foundation.admin import show
from claimsite.foundation.admin.acts import Act, ChangedSinceSeen, Colour, Evidence
from claimsite.foundation.errors import DomainError
from claimsite.foundation.findings import ChangedMeanwhile, Finding
from claimsite.foundation.findings import Colour as Tint
from claimsite.foundation.origin import Origin
from claimsite.operations import findings, repairs
from ironic_app.models import Allocation as NodeAllocation
from ironic_app.models import Node
from placement_app.admin import who


def fix_command(finding: Finding) -> str:
    """What puts it right in a terminal; empty where people must look first, or only time will tell."""
    if finding.colour not in {Tint.GREEN, Tint.AMBER}:
        return ""
    return f"manage.py reconcile --provider {finding.subject} --fix {finding.colour.value}"


class FindingAct(Act):
    """The finders and verbs are those of the commands; this asks first, and acts on what was seen or not at all."""

    code: ClassVar[str]
    afterwards: ClassVar[str]
    """What will be so when it is done."""
    for_many: ClassVar[bool] = True
    stale: ClassVar[tuple[type[DomainError], ...]] = (ChangedMeanwhile, *repairs.STALE)

    def look(self, target: Any) -> list[Finding]:
        """What is wrong with the target now."""
        raise NotImplementedError

    def seen(self, finding: Finding) -> str:
        """What the page was made from: if any of it has moved by then, nothing is done."""
        raise NotImplementedError

    def circumstances(self, target: Any, finding: Finding) -> Iterable[tuple[str, Any]]:
        """What else an operator should see before acting."""
        return ()

    def finding(self, target: Any, *, again: bool = False) -> Finding | None:
        """Read once for all that a page shows of the target, and once more before anything is done."""
        if again or not hasattr(target, "findings"):
            target.findings = self.look(target)
        return next((each for each in target.findings if each.code == self.code), None)

    def applies_to(self, target: Any) -> bool:
        return self.finding(target) is not None

    def blockers(self, target: Any) -> Sequence[str]:
        finding = self.finding(target)
        if finding is None:
            return [self._why_not(target)]
        return [f"{capfirst(finding.text)}. {capfirst(finding.fix)}."] if finding.colour is Tint.RED else []

    def _why_not(self, target: Any) -> str:
        """Of a target without the finding: nothing is wrong with it of this kind, or it may yet be in the making."""
        what = findings.CODES[self.code]
        young = [each for each in target.findings if findings.kind(each) == self.code]
        if not young:
            return f"“{self.label}” is for {what} ({self.code}). That is not so here, or no longer."
        at = datetime.fromisoformat(young[0].facts["at"])
        return f"It looks like “{what}”, but may still be in the making. Look again at {show.clock(at)}."

    def evidence(self, target: Any) -> Evidence:
        title = capfirst(f"{target._meta.verbose_name} {target}")
        finding = self.finding(target)
        passwords = [word for word in (target.name, target.uuid[-4:]) if word]
        if finding is None:
            return Evidence(title=title, seen="", passwords=passwords)
        facts = [("Now", finding.text), ("Afterwards", self.afterwards), ("Since", show.ago(finding.since))]
        return Evidence(
            title=title,
            seen=self.seen(finding),
            facts=[*facts, *self.circumstances(target, finding)],
            passwords=passwords,
        )

    def perform(self, target: Any, *, seen: str, data: Mapping[str, Any], origin: Origin) -> str:
        finding = self.finding(target, again=True)
        if finding is None or self.seen(finding) != seen:
            raise ChangedSinceSeen
        done = repairs.put_right(finding=finding, origin=origin)
        return capfirst(f"{target._meta.verbose_name} {target}: {done}.")

    def command(self, target: Any) -> str:
        finding = self.finding(target)
        return fix_command(finding) if finding else ""


class Retire(FindingAct):
    """For the page of a provider."""

    name = "retire"
    label = "Delete it: its node is gone"
    colour = Colour.AMBER
    code = "no_node"
    afterwards = "Placement has no such provider, and offers it to nobody."

    def look(self, target: Any) -> list[Finding]:
        return list(findings.without_nodes(provider=target.uuid)) if target.parent_id is None else []

    def seen(self, finding: Finding) -> str:
        return str(finding.facts["provider_generation"])

    def circumstances(self, target: Any, finding: Finding) -> Iterable[tuple[str, Any]]:
        yield "Claimed by", ", ".join(finding.facts["consumers"]) or show.NOTHING
        yield "Generation", target.generation

    def what_changed(self, target: Any, seen: str) -> str:
        if Node.objects.filter(uuid=target.uuid).exists():
            return f"the node of {target.name} is back."
        return who.changed_provider(target.uuid, seen)


class DeleteLostAllocation(FindingAct):
    """For the page of an allocation of Ironic's."""

    name = "delete"
    label = "Delete it: it has no node"
    colour = Colour.AMBER
    code = "allocation_without_node"
    afterwards = "The allocation is gone. No node changes hands by that."

    def look(self, target: Any) -> list[Finding]:
        if target.state != NodeAllocation.State.ACTIVE:
            return []
        return [each for each in findings.lost_allocations() if each.subject == target.uuid]

    def seen(self, finding: Finding) -> str:
        return str(finding.since)

    def circumstances(self, target: Any, finding: Finding) -> Iterable[tuple[str, Any]]:
        yield "Class", target.resource_class or show.NOTHING
        yield "Owner", target.owner or show.NOTHING

    def what_changed(self, target: Any, seen: str) -> str:
        row = NodeAllocation.objects.filter(pk=target.pk).first()
        if row is None:
            return f"allocation {target} is gone."
        node = Node.objects.filter(allocation=row).first()
        return f"allocation {row} is {row.state}, and has {f'node {node}' if node else 'no node'}."
