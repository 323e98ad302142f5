"""Where each door is mounted. Placement comes last: with an empty prefix it owns every path that nobody else does."""

from django.conf import settings
from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path

from claimsite import health
from placement_app.api import urls as placement

urlpatterns: list[URLPattern | URLResolver] = [
    path("admin/", admin.site.urls),
    path("healthcheck", health.alive),
    path("readiness", health.ready),
]
if settings.PLACEMENT_PREFIX:
    # With and without the slash: both are the root of Placement.
    urlpatterns += [
        path("", health.front_door),
        path(settings.PLACEMENT_PREFIX, placement.root),
        path(f"{settings.PLACEMENT_PREFIX}/", include(placement)),
    ]
else:
    urlpatterns.append(path("", include(placement)))
