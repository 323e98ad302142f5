"""Placement's rules of who may call what, under the names that operators know from their ``policy.yaml``.

Every rule is for project-scoped tokens: one for the whole system is refused everywhere but at the root document.
"""

from __future__ import annotations

from claimsite.foundation.openstack.policy import Enforcer, Rule

ADMIN = "role:admin"
SERVICE = "rule:service_api"
ADMIN_OR_SERVICE = "rule:admin_or_service_api"
ADMIN_OR_PROJECT_READER_OR_SERVICE = "rule:admin_or_project_reader_or_service_api"

BASE_RULES = [
    Rule("admin_api", ADMIN, "Administrators."),
    Rule("service_api", "role:service", "Services that call each other.", formerly=ADMIN),
    Rule("admin_or_service_api", "role:admin or role:service", "Who may do nearly everything.", formerly=ADMIN),
    Rule(
        "project_reader_api",
        "role:reader and project_id:%(project_id)s",
        "Whoever may read in the project that is asked about.",
        formerly=ADMIN,
    ),
    Rule(
        "admin_or_project_reader_or_service_api",
        "role:admin or rule:project_reader_api or role:service",
        "Who may read about one project.",
        formerly=ADMIN,
    ),
]

_PROVIDER = "/resource_providers/{uuid}"


def _rule(name: str, description: str, *operations: str, check: str = ADMIN_OR_SERVICE) -> Rule:
    return Rule(f"placement:{name}", check, description, operations)


OPERATION_RULES = [
    _rule("resource_providers:list", "List providers.", "GET /resource_providers"),
    _rule("resource_providers:create", "Create a provider.", "POST /resource_providers"),
    _rule("resource_providers:show", "Show a provider.", f"GET {_PROVIDER}"),
    _rule("resource_providers:update", "Rename or move a provider.", f"PUT {_PROVIDER}"),
    _rule("resource_providers:delete", "Delete a provider.", f"DELETE {_PROVIDER}"),
    _rule("resource_providers:inventories:list", "List a provider's inventories.", f"GET {_PROVIDER}/inventories"),
    _rule("resource_providers:inventories:create", "Add an inventory.", f"POST {_PROVIDER}/inventories"),
    _rule(
        "resource_providers:inventories:show",
        "Show one inventory.",
        f"GET {_PROVIDER}/inventories/{{resource_class}}",
    ),
    _rule(
        "resource_providers:inventories:update",
        "Replace one inventory or all of them.",
        f"PUT {_PROVIDER}/inventories",
        f"PUT {_PROVIDER}/inventories/{{resource_class}}",
    ),
    _rule(
        "resource_providers:inventories:delete",
        "Delete one inventory or all of them.",
        f"DELETE {_PROVIDER}/inventories",
        f"DELETE {_PROVIDER}/inventories/{{resource_class}}",
    ),
    _rule("resource_providers:aggregates:list", "List a provider's aggregates.", f"GET {_PROVIDER}/aggregates"),
    _rule("resource_providers:aggregates:update", "Replace a provider's aggregates.", f"PUT {_PROVIDER}/aggregates"),
    _rule("resource_providers:traits:list", "List a provider's traits.", f"GET {_PROVIDER}/traits"),
    _rule("resource_providers:traits:update", "Replace a provider's traits.", f"PUT {_PROVIDER}/traits"),
    _rule("resource_providers:traits:delete", "Remove a provider's traits.", f"DELETE {_PROVIDER}/traits"),
    _rule("resource_providers:usages", "Show what is used of a provider.", f"GET {_PROVIDER}/usages"),
    _rule("resource_providers:allocations:list", "List the claims on a provider.", f"GET {_PROVIDER}/allocations"),
    _rule("resource_classes:list", "List resource classes.", "GET /resource_classes"),
    _rule("resource_classes:create", "Create a resource class.", "POST /resource_classes"),
    _rule("resource_classes:show", "Show a resource class.", "GET /resource_classes/{name}"),
    _rule("resource_classes:update", "Create or rename a resource class.", "PUT /resource_classes/{name}"),
    _rule("resource_classes:delete", "Delete a resource class.", "DELETE /resource_classes/{name}"),
    _rule("traits:list", "List traits.", "GET /traits"),
    _rule("traits:show", "Ask whether a trait exists.", "GET /traits/{name}"),
    _rule("traits:update", "Create a trait.", "PUT /traits/{name}"),
    _rule("traits:delete", "Delete a trait.", "DELETE /traits/{name}"),
    _rule("allocations:manage", "Replace the claims of several consumers at once.", "POST /allocations"),
    _rule("allocations:list", "Show a consumer's claims.", "GET /allocations/{consumer_uuid}"),
    _rule("allocations:update", "Replace a consumer's claims.", "PUT /allocations/{consumer_uuid}"),
    _rule("allocations:delete", "Release a consumer's claims.", "DELETE /allocations/{consumer_uuid}"),
    _rule("allocation_candidates:list", "Ask for candidates for a claim.", "GET /allocation_candidates"),
    _rule("usages", "Show the usage of a project.", "GET /usages", check=ADMIN_OR_PROJECT_READER_OR_SERVICE),
    _rule("reshaper:reshape", "Move inventories and claims together.", "POST /reshaper", check=SERVICE),
]

enforcer = Enforcer("placement", [*BASE_RULES, *OPERATION_RULES])
