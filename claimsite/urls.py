"""Where each door is mounted. A service with an empty prefix comes last: it owns every path that nobody else does."""

from django.conf import settings
from django.contrib import admin
from django.core.exceptions import ImproperlyConfigured
from django.urls import URLPattern, URLResolver, include, path

from claimsite import health
from claimsite.foundation.admin import refused
from claimsite.operations.api import urls as operations
from ironic_app.api import urls as baremetal
from placement_app.api import urls as placement

handler403, handler404, handler500 = refused.forbidden, refused.not_found, refused.broken
urlpatterns: list[URLPattern | URLResolver] = [
    path("admin/", admin.site.urls),
    path("healthcheck", health.alive),
    path("readiness", health.ready),
    path("operations/", include(operations)),
]
# With and without the slash: both are the root of a service.
services = sorted(
    [(settings.PLACEMENT_PREFIX, placement), (settings.BAREMETAL_PREFIX, baremetal)],
    key=lambda service: service[0],
    reverse=True,
)
if services[0][0] == services[1][0]:
    raise ImproperlyConfigured("CLAIMSITE_PLACEMENT_PREFIX and CLAIMSITE_BAREMETAL_PREFIX must differ.")
for prefix, service in services:
    if prefix:
        urlpatterns += [path(prefix, service.root), path(f"{prefix}/", include(service))]
    else:
        urlpatterns.append(path("", include(service)))
if all(prefix for prefix, _ in services):
    urlpatterns.append(path("", health.front_door))
