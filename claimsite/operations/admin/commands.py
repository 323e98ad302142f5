"""What can be done in a terminal: the site's own commands, in their own words. None is run from here."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import NamedTuple

from django.contrib import admin
from django.core.management import get_commands, load_command_class
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse

_APPS = ("placement_app", "ironic_app", "claimsite.operations")


class Told(NamedTuple):
    name: str
    purpose: str
    examples: Sequence[str]
    """As its ``--help`` has them."""


def view(request: HttpRequest) -> HttpResponse:
    context = {**admin.site.each_context(request), "title": "Which command does it?", "subtitle": None}
    return TemplateResponse(request, "admin/operations/commands.html", {**context, "commands": told()})


@functools.cache
def told() -> Sequence[Told]:
    """Every command of the site's own apps, by name. They don't change while the site runs."""
    return [_told(app, name) for name, app in sorted(get_commands().items()) if app in _APPS]


def _told(app: str, name: str) -> Told:
    parser = load_command_class(app, name).create_parser("manage.py", name)
    # What stands after wide blanks is a remark.
    lines = [line.strip().partition("  ")[0] for line in (parser.epilog or "").splitlines()]
    return Told(
        name, parser.description or "", [line for line in lines if line.startswith(("manage.py ", "openstack "))]
    )
