"""The only place that knows whether the admin wears django-unfold or Django's own look (CLAIMSITE_ADMIN_LOOK)."""

from __future__ import annotations

from django.conf import settings

if settings.ADMIN_LOOK == "unfold":
    from unfold.admin import ModelAdmin
    from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm
    from unfold.sites import UnfoldAdminSite as AdminSite
else:
    from django.contrib.admin import AdminSite, ModelAdmin
    from django.contrib.auth.forms import (
        AdminPasswordChangeForm,
        UserChangeForm,
    )
    from django.contrib.auth.forms import AdminUserCreationForm as UserCreationForm

__all__ = ["AdminPasswordChangeForm", "AdminSite", "ModelAdmin", "UserChangeForm", "UserCreationForm"]
