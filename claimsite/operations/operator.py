"""The login with which a fresh site can be entered: made once, its password kept where only the owner can read it."""

from __future__ import annotations

import dataclasses
import secrets
from pathlib import Path

from django.conf import settings
from django.contrib.auth import get_user_model

NAME = "operator"


@dataclasses.dataclass(frozen=True, slots=True)
class Login:
    name: str
    password: str | None
    """None: somebody changed it, so only they know."""
    file: Path


def ensure() -> Login:
    """Make the superuser ``operator`` if there is none. An existing one is left as it is."""
    path = Path(settings.VAR_DIR, "operator-password")
    kept = path.read_text().strip() if path.exists() else ""
    users = get_user_model().objects
    user = users.filter(username=NAME).first()
    if user is None:
        password = kept or _make(path)
        users.create_superuser(username=NAME, password=password)
        return Login(NAME, password, path)
    return Login(NAME, kept if kept and user.check_password(kept) else None, path)


def _make(path: Path) -> str:
    password = secrets.token_urlsafe(12)
    path.touch(mode=0o600)
    path.write_text(f"{password}\n")
    return password
