"""Who may call what: every operation × caller × mode, by the rule and by the answer over HTTP.

| allowed to call                  | legacy defaults | new defaults | open policy file |
|----------------------------------|-----------------|--------------|------------------|
| nearly everything                | admin, service  | the same     | whoever has a project's token |
| GET /usages of one's own project | and reader      | the same     | likewise |
| POST /reshaper                   | admin, service  | service      | likewise |

A token for the whole system is refused whatever its roles and whatever the mode.
"""

import dataclasses

import pytest

from claimsite.foundation.openstack.auth import Caller
from placement_app.api.policies import BASE_RULES, OPERATION_RULES, enforcer

OWN, OTHER = "my-project", "their-project"
UUID = "6f2b1d0c-7a7e-4d53-9a3c-1e9a5f0b7c11"

RULES = {
    "GET /resource_providers": "resource_providers:list",
    "POST /resource_providers": "resource_providers:create",
    f"GET /resource_providers/{UUID}": "resource_providers:show",
    f"PUT /resource_providers/{UUID}": "resource_providers:update",
    f"DELETE /resource_providers/{UUID}": "resource_providers:delete",
    f"GET /resource_providers/{UUID}/inventories": "resource_providers:inventories:list",
    f"POST /resource_providers/{UUID}/inventories": "resource_providers:inventories:create",
    f"PUT /resource_providers/{UUID}/inventories": "resource_providers:inventories:update",
    f"DELETE /resource_providers/{UUID}/inventories": "resource_providers:inventories:delete",
    f"GET /resource_providers/{UUID}/inventories/VCPU": "resource_providers:inventories:show",
    f"PUT /resource_providers/{UUID}/inventories/VCPU": "resource_providers:inventories:update",
    f"DELETE /resource_providers/{UUID}/inventories/VCPU": "resource_providers:inventories:delete",
    f"GET /resource_providers/{UUID}/aggregates": "resource_providers:aggregates:list",
    f"PUT /resource_providers/{UUID}/aggregates": "resource_providers:aggregates:update",
    f"GET /resource_providers/{UUID}/traits": "resource_providers:traits:list",
    f"PUT /resource_providers/{UUID}/traits": "resource_providers:traits:update",
    f"DELETE /resource_providers/{UUID}/traits": "resource_providers:traits:delete",
    f"GET /resource_providers/{UUID}/usages": "resource_providers:usages",
    f"GET /resource_providers/{UUID}/allocations": "resource_providers:allocations:list",
    "GET /resource_classes": "resource_classes:list",
    "POST /resource_classes": "resource_classes:create",
    "GET /resource_classes/CUSTOM_GOLD": "resource_classes:show",
    "PUT /resource_classes/CUSTOM_GOLD": "resource_classes:update",
    "DELETE /resource_classes/CUSTOM_GOLD": "resource_classes:delete",
    "GET /traits": "traits:list",
    "GET /traits/CUSTOM_GOLD": "traits:show",
    "PUT /traits/CUSTOM_GOLD": "traits:update",
    "DELETE /traits/CUSTOM_GOLD": "traits:delete",
    "POST /allocations": "allocations:manage",
    f"GET /allocations/{UUID}": "allocations:list",
    f"PUT /allocations/{UUID}": "allocations:update",
    f"DELETE /allocations/{UUID}": "allocations:delete",
    "GET /allocation_candidates": "allocation_candidates:list",
    f"GET /usages?project_id={OWN}": "usages",
    "POST /reshaper": "reshaper:reshape",
}


def caller(roles: str, project: str | None = OWN, **scope: str) -> Caller:
    return Caller(user_id="somebody", project_id=project, roles=frozenset(roles.split()), **scope)


CALLERS = {
    "admin": caller("admin member reader"),
    "admin alone": caller("admin"),
    "admin of another project": caller("admin", OTHER),
    "service": caller("service"),
    "service of another project": caller("service", OTHER),
    "manager": caller("manager member reader"),
    "member": caller("member reader"),
    "member without reader": caller("member"),
    "reader": caller("reader"),
    "reader of another project": caller("reader", OTHER),
    "nobody in particular": caller(""),
}
SYSTEM_CALLERS = {
    f"{roles} of the system": caller(roles, None, system_scope="all") for roles in ("admin", "service", "reader")
}
ADMINS = {"admin", "admin alone", "admin of another project"}
SERVICES = {"service", "service of another project"}
READERS = {"manager", "member", "reader"}


def allowed(rule: str, mode: str) -> set[str]:
    if mode == "open":
        return set(CALLERS)
    if rule == "usages":
        return ADMINS | SERVICES | READERS
    if rule == "reshaper:reshape" and mode == "new":
        return SERVICES
    return ADMINS | SERVICES


@pytest.fixture(params=["legacy", "new", "open"])
def mode(request, settings, tmp_path):
    settings.POLICY_ENFORCE_NEW_DEFAULTS = request.param != "legacy"
    if request.param == "open":
        file = tmp_path / "policy.yaml"
        rules = [rule.name for rule in [*BASE_RULES, *OPERATION_RULES] if rule.name != "admin_api"]
        file.write_text("".join(f'"{name}": "@"\n' for name in rules))
        settings.POLICY_FILE = str(file)
    return request.param


@pytest.fixture(params=RULES, ids=lambda operation: operation.replace(UUID, "uuid"))
def operation(request):
    return request.param


class TestWhoMayCallWhat:
    def test_by_the_rule(self, operation, mode):
        rule = RULES[operation]

        may = {
            who: enforcer.allows(f"placement:{rule}", caller, {"project_id": OWN})
            for who, caller in (CALLERS | SYSTEM_CALLERS).items()
        }

        assert {who for who, is_allowed in may.items() if is_allowed} == allowed(rule, mode)

    def test_by_the_answer(self, api, operation, mode):
        method, url = operation.split(" ")

        answers = {
            who: api.send(method, url, {}, headers=headers(caller))
            for who, caller in (CALLERS | SYSTEM_CALLERS).items()
        }

        assert {who for who, answer in answers.items() if answer.status_code != 403} == allowed(RULES[operation], mode)
        assert not {who: answer for who, answer in answers.items() if answer.status_code >= 500}
        for answer in answers.values():
            if answer.status_code == 403:
                refusal = answer.json()["errors"][0]
                assert refusal["title"] == "Forbidden"
                assert f"Policy does not allow placement:{RULES[operation]} to be performed." in refusal["detail"]
                assert refusal["code"] == "placement.undefined_code"


class TestTokens:
    @pytest.mark.parametrize("url", ["/traits", f"/resource_providers/{UUID}", "/nowhere"])
    def test_nothing_but_the_root_answers_without_one(self, api, url):
        assert api.get(url, token=None).status_code == 401
        assert api.get(url, token="").status_code == 401
        assert api.get("/", token=None).status_code == 200

    def test_the_refusal_says_how_to_get_one(self, api):
        answer = api.get("/traits", token=None)

        assert answer.headers["WWW-Authenticate"].startswith("Keystone")
        assert answer.json()["errors"][0]["status"] == 401

    def test_the_root_is_open_to_a_token_for_the_whole_system(self, api):
        answer = api.get("/", headers={"OpenStack-System-Scope": "all"})

        assert answer.status_code == 200

    def test_admin_by_name_is_the_only_token_that_brings_a_role(self, api):
        statuses = {
            token: api.get("/traits", token=token).status_code
            for token in ("admin", "admin:project", "Admin", "user", "user:admin", ":admin")
        }

        assert statuses == {
            "admin": 200,
            "admin:project": 200,
            "Admin": 403,
            "user": 403,
            "user:admin": 403,
            ":admin": 403,
        }

    def test_roles_in_a_header_replace_those_of_the_token(self, api):
        assert api.get("/traits", headers={"X-Roles": "reader"}).status_code == 403
        assert api.get("/traits", headers={"X-Roles": ""}).status_code == 403
        assert api.get("/traits", token="user", headers={"X-Roles": "member, Admin"}).status_code == 200

    def test_policy_is_asked_before_the_object_is_looked_for(self, api):
        assert api.get("/traits/CUSTOM_NOT_THERE", token="user").status_code == 403
        assert api.get("/traits/CUSTOM_NOT_THERE").status_code == 404


class TestProjectUsages:
    """``GET /usages`` is judged by the project that the query asks about."""

    @pytest.mark.parametrize(
        ("project", "asked", "may"),
        [(OWN, OWN, True), (OWN, OTHER, False), (OWN, None, False), (None, None, False), (OWN, "", False)],
    )
    def test_a_reader_sees_their_own_project_only(self, project, asked, may):
        reader = dataclasses.replace(CALLERS["reader"], project_id=project)

        assert enforcer.allows("placement:usages", reader, {"project_id": asked}) is may

    @pytest.mark.parametrize(
        ("query", "status"),
        [
            (f"project_id={OWN}", 200),
            (f"project_id={OTHER}", 403),
            (f"project_id={OTHER}&project_id={OWN}", 200),
            (f"project_id={OWN}&project_id={OTHER}", 403),
            (f"project_id={OWN}&project_id", 403),
            ("", 403),
            ("project_id=", 403),
            (f"PROJECT_ID={OWN}", 403),
            (f"project_id={OWN}%00", 403),
            (f"project_id={OWN};project_id={OTHER}", 403),
        ],
    )
    def test_what_is_judged_is_what_is_then_shown(self, api, query, status):
        answer = api.get(f"/usages?{query}", headers=headers(CALLERS["reader"]))

        assert answer.status_code == status

    def test_a_project_called_none_is_not_everybody_without_a_project(self):
        reader = caller("reader", None)

        assert not enforcer.allows("placement:usages", reader, {"project_id": "None"})
        assert not enforcer.allows("placement:usages", caller("reader", "None"), {"project_id": None})


class TestRules:
    def test_each_operation_has_one_and_each_rule_an_operation(self):
        named = {name.removeprefix("placement:") for name in (rule.name for rule in OPERATION_RULES)}

        assert named == set(RULES.values())

    def test_they_say_which_operations_they_guard(self):
        guarded = {
            operation.replace("{uuid}", UUID)
            .replace("{consumer_uuid}", UUID)
            .replace("{resource_class}", "VCPU")
            .replace("{name}", "CUSTOM_GOLD"): rule.name.removeprefix("placement:")
            for rule in OPERATION_RULES
            for operation in rule.operations
        }

        assert guarded == {operation.partition("?")[0]: rule for operation, rule in RULES.items()}

    def test_a_token_for_a_domain_opens_nothing(self):
        of_the_domain = caller("admin service reader", None, domain_id="default")

        assert not [rule for rule in RULES.values() if enforcer.allows(f"placement:{rule}", of_the_domain, {})]


def headers(caller: Caller) -> dict[str, str]:
    sent = {"X-Auth-Token": caller.user_id, "X-Roles": ",".join(caller.roles)}
    if caller.project_id:
        sent["X-Project-Id"] = caller.project_id
    if caller.system_scope:
        sent["OpenStack-System-Scope"] = caller.system_scope
    return sent
