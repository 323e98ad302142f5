"""Token → Caller, by the strategy that CLAIMSITE_AUTH_STRATEGY names."""

from __future__ import annotations

import dataclasses
from typing import Any

from django.conf import settings
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import NotAuthenticated
from rest_framework.request import Request

ADMIN = "admin"


@dataclasses.dataclass(frozen=True, slots=True)
class Caller:
    """Whom a request speaks for. ``roles`` are already expanded: admin does not imply reader here."""

    user_id: str
    project_id: str | None
    roles: frozenset[str]
    system_scope: str | None = None
    domain_id: str | None = None

    @property
    def is_authenticated(self) -> bool:
        return True

    @property
    def scope(self) -> str:
        """What the token is for: ``system``, ``domain`` or ``project``."""
        return "system" if self.system_scope else "domain" if self.domain_id else "project"

    def credentials(self) -> dict[str, Any]:
        """What policy rules may ask about a caller, under the names that they use. All names are attributes too."""
        return {
            "user_id": self.user_id,
            "project_id": self.project_id,
            "roles": sorted(self.roles),
            "system_scope": self.system_scope,
            "domain_id": self.domain_id,
        }


class NoAuth2(BaseAuthentication):
    """OpenStack's ``noauth2``: the token says who one is, and nobody checks.

    ``admin`` is the administrator; ``user`` or ``user:project`` is anybody else. ``X-Roles`` and ``X-Project-Id`` win
    over what the token says; ``OpenStack-System-Scope: all`` asks for a token of the whole system instead of a project.
    """

    def authenticate(self, request: Request) -> tuple[Caller, None]:
        token = request.META.get("HTTP_X_AUTH_TOKEN", "")
        if not token:
            raise NotAuthenticated
        user_id, _, project_id = token.partition(":")
        roles = request.META.get("HTTP_X_ROLES")
        names = roles.split(",") if roles is not None else [ADMIN] if user_id == ADMIN else []
        system_scope = request.META.get("HTTP_OPENSTACK_SYSTEM_SCOPE")
        given_project = request.META.get("HTTP_X_PROJECT_ID")
        caller = Caller(
            user_id=user_id,
            project_id=None if system_scope else given_project or project_id or user_id,
            roles=frozenset(name.strip().lower() for name in names if name.strip()),
            system_scope=system_scope,
        )
        return caller, None


def strategy() -> BaseAuthentication:
    """The authenticator in force. checks.py has already refused unknown names at start-up."""
    return {"noauth2": NoAuth2}[settings.AUTH_STRATEGY]()
