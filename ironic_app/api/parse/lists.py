"""What every list understands: how long, from where, in which order, which fields."""

from __future__ import annotations

from collections.abc import Mapping

from django.conf import settings

from claimsite.foundation.openstack.microversion import Microversion
from claimsite.foundation.uuids import canonical_uuid
from ironic_app import attributes
from ironic_app.api import features
from ironic_app.api.errors import NotInThisVersion, Refusal
from ironic_app.attributes import FALSE, TRUE
from ironic_app.services.pages import Paging

PAGING = dict.fromkeys(["limit", "marker", "sort_key", "sort_dir"], features.BASE)
Query = Mapping[str, str]


def paging(
    query: Query,
    *,
    sortable: Mapping[str, str],
    since: Mapping[str, Microversion],
    version: Microversion,
    marker_is_uuid: bool = True,
) -> Paging:
    """``sortable``: field → the model's attribute; ``since``: field → the version that brought it.

    Raises a 400 for what can't be meant, a 406 for a sort key that is newer than ``version``.
    """
    sort_key = query.get("sort_key", "id")
    if sort_key in since and since[sort_key] > version:
        raise NotInThisVersion
    if sort_key not in sortable and sort_key != "id":
        raise Refusal(400, f'The sort_key value "{sort_key}" is an invalid field for sorting')
    direction = query.get("sort_dir", "asc")
    if direction not in {"asc", "desc"}:
        raise Refusal(400, f"Invalid sort direction: {direction}. Acceptable values are 'asc' or 'desc'")
    return Paging(
        limit=limit(query.get("limit")),
        marker=_marker(query["marker"], marker_is_uuid) if "marker" in query else None,
        sort_key="pk" if sort_key == "id" else sortable[sort_key],
        descending=direction == "desc",
    )


def _marker(text: str, is_uuid: bool) -> str:
    return uuid("marker", text) if is_uuid else text


def limit(text: str | None) -> int:
    """How many rows a page has: what was asked for, but never more than the setting allows. Zero is refused."""
    if text is None:
        return settings.BAREMETAL_PAGE_LIMIT
    if not text.isdecimal() or not text.isascii() or not int(text):
        is_number = text.lstrip("-").isdecimal()
        raise Refusal(400, "Limit must be positive" if is_number else f"Expected an integer for limit: {text}")
    return min(int(text), settings.BAREMETAL_PAGE_LIMIT)


def fields(query: Query, *, since: Mapping[str, Microversion], version: Microversion) -> tuple[str, ...] | None:
    """The fields that were asked for; None if none in particular. ``links`` come with every answer anyway.

    Raises a 400 for unknown fields, a 406 for those that are newer than ``version``.
    """
    if "fields" not in query:
        return None
    names = [name for name in query["fields"].lower().split(",") if name]
    for name in names:
        if name not in since and name != "links":
            raise Refusal(400, f"Field {name} is not a valid field.")
    if any(since[name] > version for name in names if name != "links"):
        raise NotInThisVersion
    return tuple(name for name in names if name != "links")


def flag(name: str, text: str) -> bool:
    if text.lower() not in TRUE | FALSE:
        raise Refusal(400, attributes.no_flag(name, text))
    return text.lower() in TRUE


def uuid(name: str, text: str) -> str:
    canonical = canonical_uuid(text)
    if canonical is None:
        raise Refusal(400, f"Expected UUID for {name}: {text}")
    return canonical
