"""Who may use the doors that belong to neither service."""

from __future__ import annotations

from claimsite.foundation.openstack.policy import Enforcer, Rule

ENFORCER = Enforcer(
    "claimsite",
    [
        Rule(
            "claimsite:claims:create",
            "role:admin or role:service",
            "Claim a node in both services at once.",
            ("POST /operations/claims",),
        ),
        Rule("claimsite:claims:show", "role:admin or role:service", "See a claim.", ("GET /operations/claims/{uuid}",)),
        Rule(
            "claimsite:claims:delete",
            "role:admin or role:service",
            "Give a node back in both services at once.",
            ("DELETE /operations/claims/{uuid}",),
        ),
    ],
)
