"""What tests of the operators' pages have in common: claims to look at, and pressing a button as a browser would."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import timedelta
from html import unescape
from typing import Any

from django.test import Client
from django.utils import timezone

from claimsite.foundation.origin import Door, Origin
from claimsite.foundation.uuids import new_uuid
from placement_app.claims import Claim, Owner
from placement_app.models import Consumer
from placement_app.services import allocations

PROJECT, USER = "5a3b86b4-0000-4000-8000-000000000001", "77777777-0000-4000-8000-000000000002"

_HIDDEN = re.compile(r'<input type="hidden" name="([^"]+)" value="([^"]*)">')
_TAGS = re.compile(r"<script.*?</script>|<style.*?</style>|<[^>]+>", re.DOTALL)


def client_origin(actor: str = "nova", request_id: str = "req-1") -> Origin:
    return Origin(door=Door.PLACEMENT, actor=actor, request_id=request_id)


def claimed(
    resources: Mapping[Any, Mapping[str, int]],
    *,
    uuid: str = "",
    project: str = PROJECT,
    user: str = USER,
    consumer_type: str = "INSTANCE",
    age: timedelta = timedelta(hours=2),
) -> Consumer:
    """A consumer that has claimed this by the API's own verb, some time ago. Keys are providers."""
    uuid = uuid or new_uuid()
    claim = Claim(
        uuid, {it.uuid: amounts for it, amounts in resources.items()}, Owner(project, user), None, consumer_type
    )
    allocations.replace(claims=[claim], origin=client_origin())
    Consumer.objects.filter(uuid=uuid).update(created_at=timezone.now() - age)
    return Consumer.objects.get(uuid=uuid)


def claims_again(consumer: Consumer, resources: Mapping[Any, Mapping[str, int]], actor: str = "nova") -> None:
    """The consumer's owner writes its claims anew, by the API's own verb."""
    owner = Owner(consumer.project_id, consumer.user_id)
    held = {provider.uuid: amounts for provider, amounts in resources.items()}
    claim = Claim(consumer.uuid, held, owner, consumer.generation, "INSTANCE")
    allocations.replace(claims=[claim], origin=client_origin(actor, "req-2"))


def text_of(response: Any) -> str:
    """What a reader sees of a page: no tags, single blanks."""
    return " ".join(unescape(_TAGS.sub(" ", response.content.decode())).split())


class ActPage:
    """The page of an act, opened now; ``press`` sends its form, with what it was made from, whenever that is."""

    def __init__(self, client: Client, url: str) -> None:
        self.client, self.url = client, url
        self.response = client.get(url)

    @property
    def text(self) -> str:
        return text_of(self.response)

    @property
    def carried(self) -> dict[str, list[str]]:
        form = self.response.content.decode().partition('class="cs-form"')[2].partition("</form>")[0]
        fields: dict[str, list[str]] = {}
        for name, value in _HIDDEN.findall(form):
            fields.setdefault(name, []).append(unescape(value))
        return fields

    def press(self, **typed: Any) -> Any:
        path = self.url.partition("?")[0]
        return self.client.post(path, {**self.carried, **typed})
