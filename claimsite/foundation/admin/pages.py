"""Pages of rows that only services write: lists, a page for each row, acts, exports. No add, change or delete forms."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

from django.contrib.admin import ShowFacets
from django.core.exceptions import PermissionDenied
from django.db.models import DateTimeField, ForeignKey, JSONField, Model, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import NoReverseMatch, path, reverse
from django.utils.functional import cached_property
from django.utils.html import format_html
from django.utils.http import urlencode

from claimsite.foundation.admin import act_views, exports, lists, rights, show
from claimsite.foundation.admin.acts import MOST_AT_ONCE, Act
from claimsite.foundation.admin.look import ModelAdmin


@dataclasses.dataclass(frozen=True, slots=True)
class Panel:
    """A part of a page: the template sees ``panel.context`` as ``panel``."""

    template: str
    context: Mapping[str, Any]


PanelMaker = Callable[[HttpRequest, Any], Panel | None]


class ReadOnlyModelAdmin(ModelAdmin):
    """The base of all pages about guarded tables."""

    menu_name: str = ""
    """What operators call these rows, in the menu and above the list."""
    menu_position: ClassVar[int] = 50
    acts: ClassVar[Sequence[type[Act]]] = ()
    page_template: ClassVar[str] = "admin/claimsite/page.html"
    search_uuids: ClassVar[Sequence[str]] = ()
    """Fields of which a uuid in any spelling, or its beginning, is found."""
    search_texts: ClassVar[Sequence[str]] = ()
    empty_text: ClassVar[str] = ""
    """What would be in the list if there were anything."""
    list_command: ClassVar[str] = ""
    """The list in a terminal."""
    export_fields: ClassVar[Sequence[str]] = ()
    """Names for ``values_list``; all columns unless given."""

    actions = None
    list_per_page = 50
    list_max_show_all = 0
    show_full_result_count = False
    show_facets = ShowFacets.NEVER
    paginator = lists.BoundedPaginator
    change_list_template = "admin/claimsite/list.html"

    panels: ClassVar[Sequence[PanelMaker]] = ()
    """Panels that others bring to a row's page, because they know more than the row's own app: see ``add_panel``."""

    def __init__(self, model: type[Model], admin_site: Any) -> None:
        super().__init__(model, admin_site)
        self.menu_name = type(self).menu_name or str(self.opts.verbose_name_plural).capitalize()

    @classmethod
    def add_panel(cls, maker: PanelMaker) -> None:
        cls.panels = [*cls.panels, maker]

    # --- who may see it ----------------------------------------------------------------------------------------------
    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return request.user.has_perm(rights.VIEW) or super().has_view_permission(request, obj)

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)

    def has_add_permission(self, request: HttpRequest, *_: Any) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    # --- addresses ---------------------------------------------------------------------------------------------------
    @property
    def _route(self) -> str:
        return f"{self.opts.app_label}_{self.opts.model_name}"

    @property
    def list_url(self) -> str:
        return reverse(f"{self.admin_site.name}:{self._route}_changelist")

    def url_of(self, row: Model) -> str:
        return reverse(f"{self.admin_site.name}:{self._route}_change", args=[row.pk])

    def act_url(self, act: Act, *rows: Any) -> str:
        query = urlencode({"target": [row.pk for row in rows]}, doseq=True)
        return f"{reverse(f'{self.admin_site.name}:{self._route}_act', args=[act.name])}?{query}"

    def get_urls(self) -> list[Any]:
        guard = self.admin_site.admin_view
        return [
            path("export/", guard(self.export_view), name=f"{self._route}_export"),
            path("act/<slug:name>/", guard(self.act_view), name=f"{self._route}_act"),
            *super().get_urls(),
        ]

    # --- the list ----------------------------------------------------------------------------------------------------
    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[lists.OperatorChangeList]:
        return lists.OperatorChangeList

    def get_paginator(self, request: HttpRequest, queryset: QuerySet, per_page: int, *args: Any, **kwargs: Any) -> Any:
        text = request.GET.get("p", "")
        page = int(text) if text.isdecimal() and len(text) < 9 else 1
        return self.paginator(queryset, per_page, *args, page=page, **kwargs)

    def enrich(self, rows: Sequence[Any]) -> None:
        """Read once, for all the rows of a list's page, what its columns show of other tables."""

    @property
    def can_search(self) -> bool:
        return bool(self.search_uuids or self.search_texts)

    def get_search_results(self, request: HttpRequest, queryset: QuerySet, search_term: str) -> tuple[QuerySet, bool]:
        return lists.search(queryset, search_term, uuids=self.search_uuids, texts=self.search_texts), False

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        """The acts that can be done to several at once, each leading to its page."""
        return {
            act.name: (_leads_to(act), act.name, f"{act.label}…")
            for act in self.bound_acts
            if act.for_many and act.may(request.user)
        }

    def export_view(self, request: HttpRequest) -> Any:
        if not self.has_view_permission(request):
            raise PermissionDenied
        query = request.GET.copy()
        file_format = "".join(query.pop("format", ["csv"])[-1:])
        if file_format not in exports.FORMATS:
            raise Http404(f"Formats: {', '.join(exports.FORMATS)}.")
        request.GET = query  # type: ignore[assignment]
        columns = list(self.export_fields or [field.attname for field in self.opts.concrete_fields])
        rows = self.get_changelist_instance(request).queryset.select_related(None).values_list(*columns)
        return exports.response(file_format, self.opts.model_name, columns, rows.iterator(chunk_size=2000))

    # --- the page of one row -----------------------------------------------------------------------------------------
    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        if not self.has_view_permission(request):
            raise PermissionDenied
        if request.method not in {"GET", "HEAD"}:
            return HttpResponseNotAllowed(["GET"])
        row = self.get_object(request, object_id)
        if row is None:
            return self._get_obj_does_not_exist_redirect(request, self.opts, object_id)
        request.current_app = self.admin_site.name
        return TemplateResponse(
            request,
            self.page_template,
            {
                **self.admin_site.each_context(request),
                "title": str(row),
                "subtitle": None,
                "opts": self.opts,
                "row": row,
                "acts": list(self.acts_for(request, row)),
                "list_url": self.list_url,
                "history_url": reverse(f"{self.admin_site.name}:{self._route}_history", args=[row.pk]),
                "commands": self.commands(row),
                "media": self.media,
                "extra_panels": [panel for maker in self.panels if (panel := maker(request, row)) is not None],
                **self.page_context(request, row),
                **(extra_context or {}),
            },
        )

    def page_context(self, request: HttpRequest, row: Any) -> Mapping[str, Any]:
        return {"fields": list(self.fields_of(row))}

    def commands(self, row: Any) -> Sequence[str]:
        """What shows the same in a terminal."""
        return ()

    def fields_of(self, row: Model) -> Iterator[tuple[str, Any]]:
        for field in self.opts.concrete_fields:
            value, name = getattr(row, field.attname), str(field.verbose_name)
            if isinstance(field, ForeignKey):
                yield name, self.link(field.related_model, getattr(row, field.name), str(value))
            elif isinstance(field, DateTimeField):
                yield name, show.ago(value)
            elif isinstance(field, JSONField):
                yield name, show.document(value)
            else:
                yield name, show.NOTHING if value in (None, "") else value

    def link(self, model: Any, row: Model | None, text: str) -> Any:
        if row is None:
            return show.NOTHING
        try:
            url = reverse(
                f"{self.admin_site.name}:{model._meta.app_label}_{model._meta.model_name}_change", args=[row.pk]
            )
        except NoReverseMatch:
            return text
        return format_html('<a href="{}">{}</a>', url, text)

    # --- acts --------------------------------------------------------------------------------------------------------
    @cached_property
    def bound_acts(self) -> list[Act]:
        return [act(self) for act in self.acts]

    def acts_for(self, request: HttpRequest, row: Any) -> Iterator[dict[str, Any]]:
        """The buttons of a row's page. Where the state forbids an act, what must happen first stands in its place."""
        for act in self.bound_acts:
            if act.may(request.user) and act.applies_to(row):
                yield {"act": act, "url": self.act_url(act, row), "blockers": list(act.blockers(row))}

    def act_view(self, request: HttpRequest, name: str) -> HttpResponse:
        return act_views.view(self, request, name)


def _leads_to(act: Act) -> Any:
    def action(page: ReadOnlyModelAdmin, request: HttpRequest, queryset: QuerySet) -> HttpResponse:
        chosen = queryset.select_related(None).only("pk")[: MOST_AT_ONCE + 1]
        return HttpResponseRedirect(page.act_url(act, *chosen))

    return action
