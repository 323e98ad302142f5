"""Placement at the root of the host, as the suite expects it; the site itself mounts it below a prefix."""

from django.urls import URLPattern, URLResolver, include, path

from placement_app.api import urls as placement

urlpatterns: list[URLPattern | URLResolver] = [path("", include(placement))]
