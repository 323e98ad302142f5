"""Where this site is, for whoever reads about it elsewhere than on its pages."""

from __future__ import annotations

from django.conf import settings
from django.urls import reverse


def address() -> str:
    """The site's address for somebody on this machine, without a slash at its end."""
    host, _, port = settings.BIND.rpartition(":")
    return f"http://{'127.0.0.1' if host in {'', '0.0.0.0', '[::]'} else host}:{port}"


def of_page(page: str) -> str:
    """Of a page of the operators' site, such as ``ironic_app_node_changelist?mismatch=any``."""
    name, _, query = page.partition("?")
    return f"{address()}{reverse(f'admin:{name}')}{f'?{query}' if query else ''}"
