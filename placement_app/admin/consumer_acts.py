"""What operators can do about a consumer: release what it holds, move it to another owner, take a release back."""

from __future__ import annotations

import shlex
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Any, ClassVar

from django import forms
from django.conf import settings
from django.utils import timezone

from claimsite.foundation.admin import show
from claimsite.foundation.admin.acts import Act, ActForm, ChangedSinceSeen, Colour, Evidence, generation
from claimsite.foundation.errors import DomainError
from claimsite.foundation.origin import Origin
from claimsite.foundation.uuids import canonical_or_same
from placement_app import errors
from placement_app.admin import links, who
from placement_app.claims import Claim, Owner
from placement_app.models import Allocation, ClaimEvent, Consumer
from placement_app.services import allocations, consumers

YOUNG = timedelta(minutes=15)
"""Whoever claims first and makes afterwards (Nova does) is done by then: what is half made is not broken."""

Guard = Callable[[Consumer], Iterable[str]]


def _holdings(consumer: Consumer) -> dict[Any, dict[str, int]]:
    held: dict[Any, dict[str, int]] = defaultdict(dict)
    rows = Allocation.objects.filter(consumer_id=consumer.uuid).select_related("provider").order_by("pk")
    for allocation in rows:
        held[allocation.provider][allocation.resource_class_id] = allocation.used
    return held


class ConsumerAct(Act):
    stale: ClassVar[tuple[type[DomainError], ...]] = (errors.ConsumerGenerationConflict, errors.AllocationsNotFound)

    def applies_to(self, target: Any) -> bool:
        return not target._state.adding

    def what_changed(self, target: Any, seen: str) -> str:
        return who.changed_consumer(target.uuid, seen)

    def passwords_of(self, target: Any) -> Sequence[str]:
        return (target.uuid[-4:], target.uuid)


class ReleaseClaims(ConsumerAct):
    name = "release"
    label = "Release claims"
    colour = Colour.AMBER
    for_many = True
    guards: ClassVar[list[Guard]] = []
    """Who knows more than Placement does (a node in use, say) adds what must happen first."""

    def blockers(self, target: Any) -> Sequence[str]:
        found = [sentence for guard in self.guards for sentence in guard(target)]
        if target._state.adding:
            return ["It holds nothing any more."]
        age = timezone.now() - target.created_at
        grace = timedelta(seconds=settings.ADMIN_GRACE_SECONDS)
        if age < grace:
            ready = show.clock(target.created_at + grace)
            found.append(f"It was claimed {age.seconds} s ago and may still be in the making. Look again at {ready}.")
        return found

    def evidence(self, target: Any) -> Evidence:
        held = _holdings(target)
        facts = [
            ("Will be released", show.lines([f"{show.amounts(amounts)} on {it.name}" for it, amounts in held.items()])),
            ("Owner", f"project {target.project_id}, user {target.user_id}"),
            ("Type", target.consumer_type or "unknown"),
            ("Generation", target.generation),
        ]
        if not target._state.adding:
            facts.append(("Held since", show.ago(target.created_at)))
            if timezone.now() - target.created_at < YOUNG:
                facts.append(
                    ("Mind", show.chip("claimed less than 15 minutes ago: it may still be in the making", "warn"))
                )
        if last := ClaimEvent.objects.filter(consumer_uuid=target.uuid).order_by("-pk").first():
            facts.append(("Last change", f"{last.event} {who.by(last.actor, last.door, last.created_at)}"))
        return Evidence(
            title=f"Consumer {target.uuid}",
            seen=str(target.generation),
            facts=facts,
            effect=(
                "What it holds is free at once, for anybody, and the consumer is gone. If something still runs on it, "
                "two owners will share it."
            ),
            passwords=self.passwords_of(target),
        )

    def perform(self, target: Any, *, seen: str, data: Mapping[str, Any], origin: Origin) -> str:
        told = "; ".join(f"{show.amounts(amounts)} on {it.name}" for it, amounts in _holdings(target).items())
        allocations.release(consumer_uuid=target.uuid, expected=generation(seen), origin=origin)
        return f"Released consumer {target.uuid}: {told}."

    def command(self, target: Any) -> str:
        return f"openstack resource provider allocation delete {target.uuid}"


class OwnerForm(ActForm):
    project_id = forms.CharField(max_length=255, label="Project")
    user_id = forms.CharField(max_length=255, label="User")


class MoveOwner(ConsumerAct):
    name = "move-owner"
    label = "Move to another owner"
    colour = Colour.AMBER
    form_class = OwnerForm

    def initial(self, target: Any) -> dict[str, Any]:
        return {"project_id": target.project_id, "user_id": target.user_id}

    def evidence(self, target: Any) -> Evidence:
        return Evidence(
            title=f"Consumer {target.uuid}",
            seen=str(target.generation),
            facts=[
                ("Project now", target.project_id),
                ("User now", target.user_id),
                ("Holds", show.lines([f"{show.amounts(held)} on {it.name}" for it, held in _holdings(target).items()])),
                ("Generation", target.generation),
            ],
            effect=(
                "It counts for the new project from now on, and its generation moves: a client that works with "
                "the old one is refused until it has read again. What it holds stays."
            ),
            passwords=self.passwords_of(target),
        )

    def perform(self, target: Any, *, seen: str, data: Mapping[str, Any], origin: Origin) -> str:
        owner = Owner(canonical_or_same(data["project_id"].strip()), canonical_or_same(data["user_id"].strip()))
        moved = consumers.move(consumer_uuid=target.uuid, owner=owner, expected=generation(seen), origin=origin)
        return (
            f"Consumer {target.uuid} belongs to project {owner.project_id}, user {owner.user_id} now "
            f"(before: project {target.project_id}, user {target.user_id}); generation {moved.generation}."
        )


class ClaimAgain(ConsumerAct):
    """The way back from a release: what the consumer held last is claimed for it again, if it is still free."""

    name = "claim-again"
    label = "Claim again"
    colour = Colour.GREEN
    stale = (errors.ConsumerGenerationConflict,)

    def applies_to(self, target: Any) -> bool:
        return target._state.adding and bool(last_holdings(target.uuid))

    def evidence(self, target: Any) -> Evidence:
        held = last_holdings(target.uuid)
        names = links.names_of(held)
        return Evidence(
            title=f"Consumer {target.uuid}",
            seen="gone",
            facts=[
                (
                    "It held",
                    show.lines([f"{show.amounts(it)} on {names.get(uuid, uuid)}" for uuid, it in held.items()]),
                ),
                ("For", f"project {target.project_id}, user {target.user_id}"),
                ("Type", target.consumer_type or "unknown"),
            ],
            effect="All of it is claimed for the consumer again, as a new one; none of it if something is taken.",
        )

    def perform(self, target: Any, *, seen: str, data: Mapping[str, Any], origin: Origin) -> str:
        if seen != "gone":
            raise ChangedSinceSeen
        held = last_holdings(target.uuid)
        owner = Owner(target.project_id, target.user_id)
        claim = Claim(target.uuid, held, owner, expected=None, consumer_type=target.consumer_type)
        allocations.replace(claims=[claim], origin=origin)
        return f"Claimed again for consumer {target.uuid}: {'; '.join(show.amounts(it) for it in held.values())}."

    def command(self, target: Any) -> str:
        held = [
            f"--allocation rp={provider},{','.join(f'{name}={amount}' for name, amount in amounts.items())}"
            for provider, amounts in last_holdings(target.uuid).items()
        ]
        owner = [f"--project-id {shlex.quote(target.project_id)}", f"--user-id {shlex.quote(target.user_id)}"]
        kind = [f"--consumer-type {target.consumer_type}"] if target.consumer_type else []
        return " ".join(["openstack resource provider allocation set", target.uuid, *held, *owner, *kind])


def last_holdings(consumer_uuid: str) -> dict[str, dict[str, int]]:
    """What the consumer held just before it gave up everything."""
    events = ClaimEvent.objects.filter(consumer_uuid=consumer_uuid).order_by("-pk")
    last = events.first()
    if last is None or last.event != ClaimEvent.Event.RELEASED:
        return {}
    # All lines of one write have its moment; a consumer has one write at a time.
    together = events.filter(event=ClaimEvent.Event.RELEASED, created_at=last.created_at)
    return {event.provider_uuid: event.before for event in together if event.before}
