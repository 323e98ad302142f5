"""The site that all operators' pages are registered with."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterable
from shlex import quote
from typing import Any, ClassVar

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.db import connection
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import path, reverse
from django.utils import timezone

from claimsite.foundation.admin import rights
from claimsite.foundation.admin.look import AdminSite


@dataclasses.dataclass(frozen=True, slots=True)
class Hit:
    """One thing that the search box found."""

    kind: str
    text: str
    url: str
    detail: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class OwnPage:
    """A page that is no list of rows, and has its place in the menu all the same."""

    name: str
    """Of the address too: ``admin:explain``, ``/admin/explain/``."""
    title: str
    view: Callable[[HttpRequest], HttpResponse]
    position: int = 50


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
    pages: ClassVar[list[OwnPage]] = []
    """Added to while pages are registered; every operator may see them."""
    app_order: ClassVar[list[str]] = ["questions", "operations", "placement_app", "ironic_app", "auth", "admin"]

    def get_urls(self) -> list[Any]:
        own = [path(f"{page.name}/", self.admin_view(_for_operators(page.view)), name=page.name) for page in self.pages]
        find = path("find/", self.admin_view(_for_operators(self.find)), name="find")
        return [find, *own, *super().get_urls()]

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
        home = type(self).home if request.user.has_perm(rights.VIEW) else None
        return super().index(request, {**(home(request) if home else {}), **(extra_context or {})})

    def get_app_list(self, request: HttpRequest, app_label: str | None = None) -> list[Any]:
        """Apps in the order of what operators ask for, and so the models of each."""
        apps = list(self._build_app_dict(request, app_label).values())
        if app_label is None and self.pages and request.user.has_perm(rights.VIEW):
            apps.append(self._own_pages())
        for app in apps:
            for model in app["models"]:
                page = self._registry.get(model["model"])
                model["name"] = getattr(page, "menu_name", "") or model["name"]
                model.setdefault("position", getattr(page, "menu_position", 50))
            app["models"].sort(key=lambda model: (model["position"], model["name"]))
        order = {label: position for position, label in enumerate(self.app_order)}
        return sorted(apps, key=lambda app: (order.get(app["app_label"], len(order)), app["name"]))

    def _own_pages(self) -> dict[str, Any]:
        """In the form in which Django describes an app and its models."""
        return {
            "name": "Questions",
            "app_label": "questions",
            "app_url": reverse(f"{self.name}:index", current_app=self.name),
            "has_module_perms": True,
            "models": [
                {
                    "model": None,
                    "name": page.title,
                    "object_name": page.name,
                    "perms": {"view": True},
                    "admin_url": reverse(f"{self.name}:{page.name}", current_app=self.name),
                    "add_url": None,
                    "view_only": True,
                    "position": page.position,
                }
                for page in self.pages
            ],
        }

    def find(self, request: HttpRequest) -> HttpResponse:
        """One box for everything: straight to the thing if it is only one, else what it might be."""
        term = request.GET.get("q", "").replace("\0", "").strip()
        hits = [hit for finder in self.finders for hit in finder(term)] if term else []
        if len({hit.url for hit in hits}) == 1:
            return HttpResponseRedirect(hits[0].url)
        return TemplateResponse(
            request,
            "admin/claimsite/find.html",
            {
                **self.each_context(request),
                "title": "Find",
                "subtitle": None,
                "term": term,
                "hits": hits,
                "quoted": quote(term),
            },
        )


def _for_operators(view: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    @functools.wraps(view)
    def run(request: HttpRequest) -> HttpResponse:
        if not request.user.has_perm(rights.VIEW):
            raise PermissionDenied
        return view(request)

    return run
