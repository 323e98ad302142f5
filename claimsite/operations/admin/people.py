"""Operators and what they did."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.contrib.auth.admin import GroupAdmin, UserAdmin
from django.contrib.auth.models import Group, User
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString

from claimsite.foundation.admin import rights, show
from claimsite.foundation.admin.look import AdminPasswordChangeForm, ModelAdmin, UserChangeForm, UserCreationForm
from claimsite.foundation.admin.pages import ReadOnlyModelAdmin

# Django registers these itself, without the look.
for model in (User, Group):
    if admin.site.is_registered(model):
        admin.site.unregister(model)


class ForAdministrators:
    """Seen by all operators, changed by administrators."""

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return request.user.has_perm(rights.VIEW)

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm(rights.ADMINISTER)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return request.user.has_perm(rights.ADMINISTER)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return request.user.has_perm(rights.ADMINISTER)


@admin.register(User)
class OperatorAdmin(ForAdministrators, UserAdmin, ModelAdmin):
    """Who may work here. Only a superuser makes superusers, or touches one."""

    form = UserChangeForm
    add_form = UserCreationForm
    change_password_form = AdminPasswordChangeForm
    list_display = ["username", "first_name", "last_name", "is_active", "is_staff", "is_superuser", "last_login"]

    def _is_above(self, request: HttpRequest, obj: Any) -> bool:
        return obj is not None and obj.is_superuser and not request.user.is_superuser

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return super().has_change_permission(request, obj) and not self._is_above(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return super().has_delete_permission(request, obj) and not self._is_above(request, obj)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        own = [] if request.user.is_superuser else ["is_superuser", "user_permissions"]
        return [*super().get_readonly_fields(request, obj), "last_login", "date_joined", *own]

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        """No deleting of whole lists: it would not look at each one's rank."""
        return {}


@admin.register(Group)
class OperatorGroupAdmin(ForAdministrators, GroupAdmin, ModelAdmin):
    """Rights are given to groups by superusers; administrators put people into groups."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return request.user.is_superuser

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return request.user.is_superuser

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return request.user.is_superuser


@admin.register(LogEntry)
class LogEntryAdmin(ReadOnlyModelAdmin):
    """What operators did in these pages; all that happened to claims is in the claims' history."""

    menu_name = "What operators did"
    list_display = ["when", "user", "content_type", "thing", "what"]
    list_display_links = ["when"]
    list_select_related = ["user", "content_type"]
    ordering = ["-pk"]
    search_texts = ["object_id", "object_repr", "change_message"]
    empty_text = "Every act of an operator leaves a line here, with the name and the reason given."

    @admin.display(description="when", ordering="action_time")
    def when(self, entry: LogEntry) -> Any:
        return show.ago(entry.action_time)

    @admin.display(description="which")
    def thing(self, entry: LogEntry) -> SafeString | str:
        url = entry.get_admin_url()
        return format_html('<a href="{}">{}</a>', url, entry.object_repr) if url else entry.object_repr

    @admin.display(description="what")
    def what(self, entry: LogEntry) -> str:
        return entry.get_change_message() or entry.get_action_flag_display()
