"""Lists of the smaller resources: which fields, which page, and where the next one is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import quote, urlencode

from django.db.models import Model, QuerySet
from django.http import HttpResponse

from ironic_app.api import features
from ironic_app.api.errors import Refusal
from ironic_app.api.parse import lists
from ironic_app.api.schemas.resources import Resource, View
from ironic_app.api.viewsets.base import IronicViewSet
from ironic_app.services import pages

DETAIL = {"fields": features.FIELDS, "detail": features.DETAIL_QUERY}
# Taken out of the links to further pages: these say what follows there.
_OF_THIS_PAGE = frozenset({"limit", "marker"})


class CollectionViewSet(IronicViewSet):
    resource: Resource

    def names(self, query: Mapping[str, str]) -> Sequence[str] | None:
        """The fields that a list shows; None for all of them. Raises a 400, a 406."""
        if "detail" in query and lists.flag("detail", query["detail"]):
            if "fields" in query:
                raise Refusal(400, "Can not specify ?detail=True and fields in the same request.")
            return None
        return self.fields(query) or self.resource.short

    def fields(self, query: Mapping[str, str]) -> tuple[str, ...] | None:
        since = {**self.resource.since, **self.resource.sublinks}
        return lists.fields(query, since=since, version=self.microversion)

    def page(
        self, rows: QuerySet[Any], query: Mapping[str, str], names: Iterable[str] | None, *, path: str | None = None
    ) -> HttpResponse:
        """One page; the link to the next one keeps every condition of this one. ``path``: where the list stands."""
        resource = self.resource
        paging = lists.paging(
            query,
            sortable=resource.sortable,
            since=resource.since,
            version=self.microversion,
            marker_is_uuid=resource.identity == "uuid",
        )
        view = resource.view(self.microversion, names)
        found = pages.page(rows, paging, columns=view.columns, noun=_noun(rows.model), marker_column=resource.identity)
        document: dict[str, Any] = {resource.key: [self.document(view, row) for row in found.rows]}
        if found.has_more:
            kept = {name: value for name, value in query.items() if name not in _OF_THIS_PAGE}
            kept |= {"limit": str(paging.limit), "marker": found.rows[-1][resource.identity]}
            where = path or resource.path
            document["next"] = f"{self.base_url}/v1/{where}?{urlencode(kept, safe=',', quote_via=quote)}"
        return self.answer(document)

    def one(
        self,
        rows: QuerySet[Any],
        *,
        names: Iterable[str] | None = None,
        status: int = 200,
        location: str | None = None,
    ) -> HttpResponse:
        """The answer that shows the one row of ``rows``."""
        view = self.resource.view(self.microversion, names)
        return self.answer(self.document(view, rows.values(*view.columns).get()), status=status, location=location)

    def document(self, view: View, row: Mapping[str, Any]) -> dict[str, Any]:
        """The row as this caller may see it."""
        return view.document(row, self.base_url)


def _noun(model: type[Model]) -> str:
    return str(model._meta.verbose_name).capitalize()
