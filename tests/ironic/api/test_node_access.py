"""Owners and lessees need their nodes and nothing else (stories 2006506, 2008976).

p1 owns node-1, p2 has it on lease; p3 owns node-2. Everybody else is a stranger.
"""

import pytest

from ironic_app.models import Node
from tests.ironic.builders import add, fault, make_node, project

ONE = "1f0e8f0a-0000-4000-8000-00000000000a"

OWNER, LESSEE, NEIGHBOUR, STRANGER = (project(name) for name in ("p1", "p2", "p3", "p4"))
LESSEES_MANAGER = project("p2", "manager")
OWNERS_MANAGER = project("p1", "manager")
OWNERS_READER = project("p1", "reader")
SERVICE = project("service", "service")
NOBODY = {"token": "somebody:p1", "headers": {"X-Roles": ""}}
AUDITOR = {"token": "somebody", "headers": {"X-Roles": "reader", "OpenStack-System-Scope": "all"}}


@pytest.fixture(autouse=True)
def nodes(db):
    make_node(name="node-1", owner="p1", lessee="p2", instance_uuid=ONE, last_error="e", driver_info={"a": 1})
    make_node(name="node-2", owner="p3")


def names(response):
    assert response.status_code == 200, response.content
    return [node["name"] for node in response.json()["nodes"]]


class TestLists:
    @pytest.mark.parametrize("path", ["/v1/nodes", "/v1/nodes/detail"])
    @pytest.mark.parametrize(
        ("caller", "visible"),
        [
            (OWNER, ["node-1"]),
            (OWNERS_READER, ["node-1"]),
            (LESSEE, ["node-1"]),
            (NEIGHBOUR, ["node-2"]),
            (STRANGER, []),
            (SERVICE, ["node-1", "node-2"]),
            (AUDITOR, ["node-1", "node-2"]),
            ({}, ["node-1", "node-2"]),
            ({"token": None}, ["node-1", "node-2"]),
        ],
    )
    def test_show_each_caller_his_own(self, baremetal, path, caller, visible):
        assert names(baremetal.get(path, **caller)) == visible

    @pytest.mark.parametrize(
        "query", [f"instance_uuid={ONE}", "owner=p1", "lessee=p2", "project=p1", "associated=True"]
    )
    @pytest.mark.parametrize("path", ["/v1/nodes", "/v1/nodes/detail"])
    def test_leak_nothing_through_filters(self, baremetal, path, query):
        assert names(baremetal.get(f"{path}?{query}")) == ["node-1"]
        assert names(baremetal.get(f"{path}?{query}", **OWNER)) == ["node-1"]
        assert names(baremetal.get(f"{path}?{query}", **NEIGHBOUR)) == []

    def test_need_a_role(self, baremetal):
        response = baremetal.get("/v1/nodes", **NOBODY)

        assert response.status_code == 403
        assert fault(response)["faultstring"] == "Policy does not allow baremetal:node:list to be performed."


class TestReads:
    @pytest.mark.parametrize("path", ["", "/states", "/traits"])
    @pytest.mark.parametrize(
        ("caller", "status"),
        [
            (OWNER, 200),
            (LESSEE, 200),
            (OWNERS_READER, 200),
            (NEIGHBOUR, 404),
            (STRANGER, 404),
            (NOBODY, 403),
            (SERVICE, 200),
            (AUDITOR, 200),
        ],
    )
    def test_find_no_node_of_others(self, baremetal, path, caller, status):
        assert baremetal.get(f"/v1/nodes/node-1{path}", **caller).status_code == status

    def test_hide_from_the_lessee_what_is_the_owners(self, baremetal):
        shown = baremetal.get("/v1/nodes/node-1", **LESSEE).json()

        note = "** Value Redacted - Requires baremetal:node:get:{} permission. **"
        assert shown["last_error"] == note.format("last_error")
        assert shown["driver_info"] == {"content": note.format("driver_info")}
        assert baremetal.get("/v1/nodes/detail", **LESSEE).json()["nodes"][0]["last_error"] == shown["last_error"]
        assert baremetal.get("/v1/nodes/detail", **OWNER).json()["nodes"][0]["last_error"] == "e"
        assert baremetal.get("/v1/nodes/node-1", **OWNER).json()["driver_info"] == {"a": 1}

    @pytest.mark.parametrize(("caller", "status"), [(OWNER, 412), (LESSEE, 403), (LESSEES_MANAGER, 403)])
    @pytest.mark.parametrize("field", ["last_error", "reservation"])
    def test_tell_the_lessee_nothing_by_way_of_a_test(self, baremetal, field, caller, status):
        Node.objects.filter(name="node-1").update(**{field: "hidden"})

        response = baremetal.patch("/v1/nodes/node-1", [{"op": "test", "path": f"/{field}", "value": "?"}], **caller)

        assert response.status_code == status
        assert ("hidden" in fault(response)["faultstring"]) == (status == 412)


class TestWrites:
    @pytest.mark.parametrize(
        ("operation", "allowed"),
        [
            (add("/extra/a", 1), ["owner", "lessee", "lessee's manager", "service"]),
            (add("/instance_info/a", 1), ["owner", "lessee's manager", "service"]),
            (add("/instance_uuid", None), ["owner", "service"]),
            (add("/owner", "p9"), ["service"]),
            (add("/lessee", "p9"), ["owner", "service"]),
            (add("/driver", "ipmi"), ["owner's manager", "service"]),
            (add("/shard", "s"), ["service"]),
            (add("/description", "d"), ["owner", "service"]),
        ],
    )
    @pytest.mark.parametrize(
        ("who", "caller"),
        [
            ("owner", OWNER),
            ("owner's manager", OWNERS_MANAGER),
            ("owner's reader", OWNERS_READER),
            ("lessee", LESSEE),
            ("lessee's manager", LESSEES_MANAGER),
            ("stranger", STRANGER),
            ("auditor", AUDITOR),
            ("service", SERVICE),
        ],
    )
    def test_go_by_the_field(self, baremetal, operation, allowed, who, caller):
        response = baremetal.patch("/v1/nodes/node-1", [operation], **caller)

        is_allowed = who in allowed or (who == "owner's manager" and "owner" in allowed)
        assert response.status_code == (200 if is_allowed else 404 if who == "stranger" else 403)

    @pytest.mark.parametrize(
        ("method", "path"),
        [("PUT", "/maintenance"), ("DELETE", "/maintenance"), ("PUT", "/traits/CUSTOM_A"), ("DELETE", "")],
    )
    def test_by_strangers_find_no_node(self, baremetal, method, path):
        assert baremetal.send(method, f"/v1/nodes/node-1{path}", **STRANGER).status_code == 404
        assert Node.objects.get(name="node-1").generation == 0

    def test_that_end_ones_own_rights_are_the_last_ones(self, baremetal):
        baremetal.patch("/v1/nodes/node-1", [add("/owner", "p9")])

        assert baremetal.patch("/v1/nodes/node-1", [add("/extra/a", 1)], **OWNER).status_code == 404


class TestSelfService:
    """Projects enrol and delete nodes of their own from 1.80 on."""

    def test_makes_nodes_of_ones_own(self, baremetal):
        response = baremetal.post("/v1/nodes", {"driver": "fake-hardware"}, **OWNERS_MANAGER)

        assert (response.status_code, response.json()["owner"]) == (201, "p1")

    @pytest.mark.parametrize(
        ("values", "version", "caller"),
        [({"owner": "p2"}, "1.109", OWNERS_MANAGER), ({}, "1.79", OWNERS_MANAGER), ({}, "1.109", OWNER)],
    )
    def test_makes_no_nodes_of_others_none_before_and_none_for_members(self, baremetal, values, version, caller):
        response = baremetal.post("/v1/nodes", {"driver": "fake-hardware"} | values, version=version, **caller)

        assert response.status_code == 403
        assert Node.objects.count() == 2

    @pytest.mark.parametrize(
        ("caller", "version", "status"),
        [
            (OWNERS_MANAGER, "1.109", 204),
            (OWNERS_MANAGER, "1.79", 403),
            (OWNER, "1.109", 403),
            (LESSEES_MANAGER, "1.109", 403),
            (STRANGER, "1.109", 404),
        ],
    )
    def test_deletes_nodes_of_ones_own(self, baremetal, caller, version, status):
        Node.objects.filter(name="node-1").update(instance_uuid=None)

        assert baremetal.delete("/v1/nodes/node-1", version=version, **caller).status_code == status
