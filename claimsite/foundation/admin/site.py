"""The site that all operators' pages are registered with."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from typing import Any, ClassVar

from django.conf import settings
from django.db import connection
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import path
from django.utils import timezone

from claimsite.foundation.admin.look import AdminSite


@dataclasses.dataclass(frozen=True, slots=True)
class Hit:
    """One thing that the search box found."""

    kind: str
    text: str
    url: str
    detail: str = ""


Finder = Callable[[str], Iterable[Hit]]
"""From what was typed to what it may mean. Exact and quick look-ups first; never more than a few."""


class OperatorSite(AdminSite):
    """Knows no app: home page and finders are brought by whoever has something to show (``claimsite.operations``)."""

    site_header = "claimsite"
    site_title = "claimsite"
    index_title = "Home"
    site_url = None
    index_template = "admin/claimsite/home.html"
    enable_nav_sidebar = True

    home: ClassVar[Callable[[HttpRequest], dict[str, Any]] | None] = None
    finders: ClassVar[list[Finder]] = []
    app_order: ClassVar[list[str]] = ["operations", "placement_app", "ironic_app", "auth", "admin"]

    def get_urls(self) -> list[Any]:
        return [path("find/", self.admin_view(self.find), name="find"), *super().get_urls()]

    def each_context(self, request: HttpRequest) -> dict[str, Any]:
        is_sqlite = connection.vendor == "sqlite"
        return {
            **super().each_context(request),
            "look": settings.ADMIN_LOOK,
            "site_title": self.site_title,
            "site_header": self.site_header,
            "site_url": self.site_url,
            "read_at": timezone.now(),
            "environment": ["SQLite: one writer at a time", "warning"] if is_sqlite else ["PostgreSQL", "success"],
        }

    def index(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        home = type(self).home
        return super().index(request, {**(home(request) if home else {}), **(extra_context or {})})

    def get_app_list(self, request: HttpRequest, app_label: str | None = None) -> list[Any]:
        """Apps in the order of what operators ask for, and so the models of each."""
        apps = list(self._build_app_dict(request, app_label).values())
        for app in apps:
            for model in app["models"]:
                model["name"] = getattr(self._registry[model["model"]], "menu_name", "") or model["name"]
            app["models"].sort(
                key=lambda model: (getattr(self._registry[model["model"]], "menu_position", 50), model["name"])
            )
        order = {label: position for position, label in enumerate(self.app_order)}
        return sorted(apps, key=lambda app: (order.get(app["app_label"], len(order)), app["name"]))

    def find(self, request: HttpRequest) -> HttpResponse:
        """One box for everything: straight to the thing if it is only one, else what it might be."""
        term = request.GET.get("q", "").replace("\0", "").strip()
        hits = [hit for finder in self.finders for hit in finder(term)] if term else []
        if len({hit.url for hit in hits}) == 1:
            return HttpResponseRedirect(hits[0].url)
        return TemplateResponse(
            request,
            "admin/claimsite/find.html",
            {**self.each_context(request), "title": "Find", "subtitle": None, "term": term, "hits": hits},
        )
