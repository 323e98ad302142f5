"""Who may call what, by the field's own rule names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from claimsite.foundation.openstack.auth import ADMIN, Caller


def allows(rule: str, caller: Caller, target: Mapping[str, Any]) -> bool:
    """Whether ``caller`` may do what ``rule`` guards to ``target``."""
    return ADMIN in caller.roles
