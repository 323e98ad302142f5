"""From a uuid to the page of what it names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from django.urls import reverse
from django.utils.http import urlencode
from django.utils.safestring import SafeString

from claimsite.foundation.admin import show
from placement_app.models import ResourceProvider


def provider_url(uuid: str) -> str:
    return reverse("admin:placement_app_resourceprovider_change", args=[uuid])


def consumer_url(uuid: str) -> str:
    return reverse("admin:placement_app_consumer_change", args=[uuid])


def list_url(model: str, **filters: Any) -> str:
    return f"{reverse(f'admin:placement_app_{model}_changelist')}?{urlencode(filters)}"


def provider(uuid: str, name: str = "") -> SafeString:
    return show.uuid(uuid, provider_url(uuid) if uuid else "", label=name)


def consumer(uuid: str, digits: int = 8) -> SafeString:
    return show.uuid(uuid, consumer_url(uuid) if uuid else "", digits=digits)


def names_of(uuids: Iterable[str]) -> Mapping[str, str]:
    """The names of those providers that are still there, in one query."""
    wanted = {uuid for uuid in uuids if uuid}
    if not wanted:
        return {}
    return dict(ResourceProvider.objects.filter(uuid__in=wanted).values_list("uuid", "name"))
