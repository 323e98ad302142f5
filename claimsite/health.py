"""Is the process alive, is the database usable, and where are the doors."""

from __future__ import annotations

import hashlib

from django.conf import settings
from django.db import Error, connection
from django.http import HttpRequest, JsonResponse


def alive(request: HttpRequest) -> JsonResponse:
    """200 while the process can answer at all; asks nothing of the database."""
    return JsonResponse({"status": "alive"})


def ready(request: HttpRequest) -> JsonResponse:
    """200 when the database answers, 503 otherwise: what a load balancer should ask."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except Error:
        return JsonResponse({"status": "database unavailable"}, status=503, headers={"Retry-After": "2"})
    return JsonResponse({"status": "ready", "database": connection.vendor, "fingerprint": fingerprint()})


def fingerprint() -> str:
    """Tells whether two processes use the same database, and nothing else of it."""
    database = connection.settings_dict
    told = "|".join(str(database[key]) for key in ("ENGINE", "HOST", "PORT", "NAME"))
    return hashlib.sha256(told.encode()).hexdigest()[:16]


def front_door(request: HttpRequest) -> JsonResponse:
    """What is mounted where, for whoever opens the site's root."""
    base = request.build_absolute_uri("/")
    return JsonResponse(
        {
            "name": "claimsite",
            "placement": f"{base}{settings.PLACEMENT_PREFIX}/",
            "baremetal": f"{base}{settings.BAREMETAL_PREFIX}/",
            "admin": f"{base}admin/",
        }
    )
