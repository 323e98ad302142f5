"""What people see where there is no page, none for them, or none because something broke. APIs have their own words."""

from __future__ import annotations

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.views import defaults

from claimsite.foundation.pages import PREFIX


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    if not _is_operators(request):
        return defaults.page_not_found(request, exception)
    return _page(request, 404, "There is no such page", _said(exception) or f"Nothing is at {request.path_info}.")


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    if not _is_operators(request):
        return defaults.permission_denied(request, exception)
    text = "Your rights don't reach that far. An administrator puts people into the groups that have them."
    return _page(request, 403, "Not for you", _said(exception) or text)


def broken(request: HttpRequest) -> HttpResponse:
    """Asks nobody: neither the database nor the session may be there."""
    if not request.path_info.startswith(PREFIX):
        return defaults.server_error(request)
    context = {"request_id": getattr(request, "request_id", ""), "home": PREFIX}
    return HttpResponse(render_to_string("admin/claimsite/broken.html", context), status=500)


def _is_operators(request: HttpRequest) -> bool:
    return request.path_info.startswith(PREFIX) and hasattr(request, "user") and request.user.is_staff


def _said(exception: Exception) -> str:
    """What whoever raised it wrote; Django's router puts other things there."""
    return next((said for said in exception.args if isinstance(said, str)), "")


def _page(request: HttpRequest, status: int, title: str, text: str) -> HttpResponse:
    context = {**admin.site.each_context(request), "title": title, "subtitle": None, "text": text}
    return render(request, "admin/claimsite/refused.html", context, status=status)
