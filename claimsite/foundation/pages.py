"""Middleware that only the pages for people need: requests of the APIs go past it.

They bring a token and not a cookie, so a session, messages and a form's secret would be made for nobody, with each of
them. What protects answers of any kind (SecurityMiddleware, XFrameOptionsMiddleware) is for all and not here.
"""

from __future__ import annotations

from typing import cast

from django.contrib.auth import middleware as auth
from django.contrib.messages import middleware as messages
from django.contrib.sessions import middleware as sessions
from django.http import HttpRequest, HttpResponseBase
from django.middleware import csrf
from django.utils.deprecation import MiddlewareMixin

PREFIX = "/admin/"
"""Below it, and nowhere else, is what has sessions (claimsite/urls.py)."""


class ForPages(MiddlewareMixin):
    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.path_info.startswith(PREFIX):
            return cast(HttpResponseBase, super().__call__(request))
        return cast(HttpResponseBase, self.get_response(request))


class SessionMiddleware(ForPages, sessions.SessionMiddleware):
    """Who is at the browser, from one request to the next."""


class CsrfViewMiddleware(ForPages, csrf.CsrfViewMiddleware):
    """Forms that other sites can't send in an operator's name."""


class AuthenticationMiddleware(ForPages, auth.AuthenticationMiddleware):
    """The operator of the session."""


class MessageMiddleware(ForPages, messages.MessageMiddleware):
    """What the next page says about the last act."""
