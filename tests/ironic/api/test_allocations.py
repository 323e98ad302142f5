"""/v1/allocations and /v1/nodes/<node>/allocation, as clients speak to them."""

import json

import pytest

from claimsite.foundation.uuids import new_uuid
from ironic_app.models import Allocation, Node
from tests.ironic.builders import make_allocation, make_node

pytestmark = pytest.mark.django_db(transaction=True)

FIELDS = {
    "uuid", "created_at", "updated_at", "candidate_nodes", "extra", "last_error", "name", "node_uuid",
    "resource_class", "state", "traits", "links",
}  # fmt: skip


def fault(response):
    return json.loads(response.json()["error_message"])["faultstring"]


def free_node(**attributes):
    return make_node(**{"resource_class": "baremetal", "power_state": "power off"} | attributes)


def held_node(allocation, **attributes):
    return free_node(allocation=allocation, instance_uuid=allocation.uuid, **attributes)


class TestPost:
    def test_answers_with_what_was_accepted_and_its_address(self, baremetal):
        node = free_node()

        response = baremetal.post("/v1/allocations", {"resource_class": "baremetal", "name": "web-1"})

        made = response.json()
        assert response.status_code == 201
        assert made.keys() == FIELDS | {"owner"}
        assert (made["state"], made["node_uuid"], made["name"]) == ("allocating", None, "web-1")
        assert response["Location"] == f"http://testserver/baremetal/v1/allocations/{made['uuid']}"
        found = baremetal.get("/v1/allocations/web-1").json()
        assert (found["state"], found["node_uuid"]) == ("active", node.uuid)
        assert baremetal.get(f"/v1/nodes/{node.uuid}").json()["allocation_uuid"] == made["uuid"]

    @pytest.mark.parametrize(
        ("body", "text"),
        [
            ({}, "The resource_class field is mandatory when not backfilling"),
            ({"resource_class": ""}, "The resource_class field is mandatory when not backfilling"),
            ([], "Schema error: [] is not of type 'object'"),
            ({"resource_class": 7}, "Schema error: 7 is not of type 'string', 'null'"),
            ({"resource_class": "x" * 81}, f"Schema error: '{'x' * 81}' is too long"),
            ({"resource_class": "x", "uuid": "zz"}, "Expected UUID for uuid: zz"),
            ({"resource_class": "x", "name": "bad name"}, "Cannot create allocation with invalid name 'bad name'"),
            ({"resource_class": "x", "traits": ["bad"]}, "Invalid trait 'bad'"),
            ({"resource_class": "x", "candidate_nodes": ["nope"]}, "Nodes cannot be found: nope"),
            ({"resource_class": "x", "candidate_nodes": [7]}, "Schema error: 7 is not of type 'string'"),
            ({"resource_class": "x", "state": "active"}, "Schema error: Additional properties are not allowed"),
            ({"resource_class": "x", "node": "nope"}, "Node nope could not be found."),
        ],
    )
    def test_says_what_is_wrong_with_a_body(self, baremetal, body, text):
        response = baremetal.post("/v1/allocations", body)

        assert response.status_code == 400
        assert fault(response).startswith(text)
        assert not Allocation.objects.exists()

    def test_takes_null_for_what_is_not_given_and_an_empty_name_for_none(self, baremetal):
        body = {"resource_class": "x", "name": "", "traits": None, "candidate_nodes": None, "extra": None}

        response = baremetal.post("/v1/allocations", body)

        assert response.status_code == 201
        assert response.json()["name"] is None

    def test_takes_any_spelling_of_a_uuid_for_the_same(self, baremetal):
        spelled = "AAAAAAAA-BBBB-4CCC-8DDD-EEEEEEEEEEEE"

        first = baremetal.post("/v1/allocations", {"resource_class": "x", "uuid": spelled})
        second = baremetal.post("/v1/allocations", {"resource_class": "x", "uuid": spelled.lower().replace("-", "")})

        assert (first.status_code, second.status_code) == (201, 409)
        assert first.json()["uuid"] == spelled.lower()

    @pytest.mark.parametrize(("field", "since"), [("node", 58), ("owner", 60)])
    def test_knows_a_field_from_its_version_on(self, baremetal, field, since):
        make_node(name="node-1", provision_state="active", resource_class="x")
        body = {"resource_class": "x", field: "node-1"}

        assert baremetal.post("/v1/allocations", body, version=f"1.{since - 1}").status_code == 406
        assert baremetal.post("/v1/allocations", body, version=f"1.{since}").status_code == 201

    def test_makes_an_active_allocation_of_a_node_in_use(self, baremetal):
        node = make_node(provision_state="active", resource_class="baremetal", instance_uuid=new_uuid())

        made = baremetal.post("/v1/allocations", {"node": node.uuid}).json()

        assert (made["state"], made["node_uuid"], made["uuid"]) == ("active", node.uuid, node.instance_uuid)

    def test_of_a_node_in_other_use_is_a_conflict(self, baremetal):
        node = make_node(provision_state="available", resource_class="baremetal")

        response = baremetal.post("/v1/allocations", {"node": node.uuid})

        assert response.status_code == 409
        assert "Cannot backfill" in fault(response)

    def test_of_a_project_is_for_itself(self, baremetal):
        mine, other = free_node(owner="p1"), free_node(owner="p2")
        member = {"token": "user:p1", "headers": {"X-Roles": "member"}}

        made = baremetal.post("/v1/allocations", {"resource_class": "baremetal"}, **member)
        foreign = baremetal.post("/v1/allocations", {"resource_class": "baremetal", "owner": "p2"}, **member)

        assert (made.status_code, made.json()["owner"], foreign.status_code) == (201, "p1", 403)
        mine.refresh_from_db()
        other.refresh_from_db()
        assert (mine.instance_uuid, other.instance_uuid) == (made.json()["uuid"], None)


class TestGet:
    def test_shows_the_owner_from_its_version_on(self, baremetal):
        make_allocation(name="web-1", owner="p1")

        assert baremetal.get("/v1/allocations/web-1", version="1.59").json().keys() == FIELDS
        assert baremetal.get("/v1/allocations/web-1", version="1.60").json()["owner"] == "p1"

    def test_of_what_is_not_there_is_404(self, baremetal):
        response = baremetal.get("/v1/allocations/nope")

        assert response.status_code == 404
        assert fault(response) == "Allocation nope could not be found."

    def test_shows_the_fields_that_are_asked_for(self, baremetal):
        make_allocation(name="web-1")

        assert baremetal.get("/v1/allocations/web-1?fields=name,state").json().keys() == {"name", "state", "links"}
        assert baremetal.get("/v1/allocations/web-1?fields=bogus").status_code == 400

    @pytest.mark.parametrize(
        ("method", "path", "before", "status"),
        [
            ("GET", "/v1/allocations", "1.51", 404),
            ("POST", "/v1/allocations", "1.51", 405),
            ("GET", "/v1/allocations/web-1", "1.51", 404),
            ("DELETE", "/v1/allocations/web-1", "1.51", 405),
            ("PATCH", "/v1/allocations/web-1", "1.56", 405),
            ("GET", "/v1/nodes/node-1/allocation", "1.51", 404),
            ("DELETE", "/v1/nodes/node-1/allocation", "1.51", 404),
        ],
    )
    def test_was_not_there_before_its_version(self, baremetal, method, path, before, status):
        assert baremetal.send(method, path, version=before).status_code == status

    def test_of_others_does_not_exist_for_a_project(self, baremetal):
        make_allocation(name="mine", owner="p1")
        make_allocation(name="theirs", owner="p2")
        reader = {"token": "user:p1", "headers": {"X-Roles": "reader"}}

        answers = [baremetal.get(f"/v1/allocations/{name}", **reader).status_code for name in ("mine", "theirs")]

        assert answers == [200, 404]


class TestList:
    def test_shows_all_of_every_allocation(self, baremetal):
        allocation = make_allocation(state="active")
        node = held_node(allocation)

        (shown,) = baremetal.get("/v1/allocations").json()["allocations"]

        assert shown.keys() == FIELDS | {"owner"}
        assert shown["node_uuid"] == node.uuid

    @pytest.mark.parametrize(
        ("query", "names"),
        [
            ("state=active", ["a"]),
            ("state=error", ["b"]),
            ("state=bogus", []),
            ("resource_class=large", ["b", "c"]),
            ("resource_class=large&owner=p2", ["c"]),
            ("node=node-1", ["a"]),
        ],
    )
    def test_is_filtered(self, baremetal, query, names):
        allocation = make_allocation(name="a", state="active")
        held_node(allocation, name="node-1")
        make_allocation(name="b", state="error", resource_class="large", owner="p1")
        make_allocation(name="c", resource_class="large", owner="p2")

        found = baremetal.get(f"/v1/allocations?{query}").json()["allocations"]

        assert [shown["name"] for shown in found] == names

    def test_is_read_page_by_page_with_every_filter_kept(self, baremetal):
        for number in range(5):
            make_allocation(name=f"a{number}", state="error")
            make_allocation(name=f"b{number}")

        seen, link = [], "/v1/allocations?state=error&limit=2&fields=name"
        while link:
            page = baremetal.get(link).json()
            seen += [shown["name"] for shown in page["allocations"]]
            link = page.get("next")

        assert seen == ["a0", "a1", "a2", "a3", "a4"]

    @pytest.mark.parametrize(
        ("query", "status"),
        [
            ("node=nope", 400),
            ("bogus=1", 400),
            ("detail=True", 400),
            ("limit=0", 400),
            ("limit=x", 400),
            ("marker=zz", 400),
            ("marker=11111111-1111-4111-8111-111111111111", 404),
            ("sort_key=traits", 400),
            ("sort_key=node_uuid", 400),
            ("sort_key=name&sort_dir=up", 400),
            ("sort_key=name&sort_dir=desc", 200),
        ],
    )
    def test_refuses_what_can_not_be_meant(self, baremetal, query, status):
        assert baremetal.get(f"/v1/allocations?{query}").status_code == status

    def test_of_a_project_has_its_own_and_refuses_to_show_others(self, baremetal):
        make_allocation(name="mine", owner="p1")
        make_allocation(name="theirs", owner="p2")
        reader = {"token": "user:p1", "headers": {"X-Roles": "reader"}}

        plain = baremetal.get("/v1/allocations", **reader).json()["allocations"]

        assert [shown["name"] for shown in plain] == ["mine"]
        assert baremetal.get("/v1/allocations?owner=p1", **reader).status_code == 200
        assert baremetal.get("/v1/allocations?owner=p2", **reader).status_code == 403


class TestPatch:
    def test_changes_name_and_notes(self, baremetal):
        make_allocation(name="old", extra={"a": 1})
        patch = [
            {"op": "replace", "path": "/name", "value": "new"},
            {"op": "add", "path": "/extra/b", "value": 2},
            {"op": "remove", "path": "/extra/a"},
        ]

        response = baremetal.patch("/v1/allocations/old", patch)

        assert response.status_code == 200
        assert (response.json()["name"], response.json()["extra"]) == ("new", {"b": 2})
        assert response.json()["updated_at"] is not None

    @pytest.mark.parametrize(
        ("operation", "status"),
        [
            ({"op": "replace", "path": "/resource_class", "value": "x"}, 400),
            ({"op": "replace", "path": "/node_uuid", "value": "x"}, 400),
            ({"op": "replace", "path": "/name", "value": "bad name"}, 400),
            ({"op": "replace", "path": "/name", "value": "taken"}, 409),
            ({"op": "remove", "path": "/extra/nope"}, 400),
            ({"op": "test", "path": "/name", "value": "old"}, 400),
            ({"op": "remove", "path": "/name"}, 200),
        ],
    )
    def test_changes_nothing_else(self, baremetal, operation, status):
        make_allocation(name="taken")
        allocation = make_allocation(name="old")

        assert baremetal.patch(f"/v1/allocations/{allocation.uuid}", [operation]).status_code == status


class TestDelete:
    @pytest.mark.parametrize("path", ["/v1/allocations/web-1", "/v1/nodes/node-1/allocation"])
    def test_frees_the_node_in_the_same_moment(self, baremetal, path):
        allocation = make_allocation(name="web-1", state="active")
        node = held_node(allocation, name="node-1")

        assert baremetal.delete(path).status_code == 204

        node.refresh_from_db()
        assert (node.instance_uuid, node.allocation_id) == (None, None)
        assert baremetal.get("/v1/allocations/web-1").status_code == 404
        assert baremetal.delete(path).status_code == 404

    def test_of_a_node_in_use_is_a_conflict_either_way(self, baremetal):
        allocation = make_allocation(name="web-1", state="active")
        node = held_node(allocation, provision_state="active")
        removal = [{"op": "remove", "path": "/instance_uuid"}]

        answers = [
            baremetal.delete("/v1/allocations/web-1"),
            baremetal.delete(f"/v1/nodes/{node.uuid}/allocation"),
            baremetal.patch(f"/v1/nodes/{node.uuid}", removal),
        ]

        assert [answer.status_code for answer in answers] == [409, 409, 409]
        assert "because the node is active (and maintenance mode is off)" in fault(answers[0])

    def test_happens_with_the_release_of_a_free_node(self, baremetal):
        allocation = make_allocation(name="web-1", state="active")
        node = held_node(allocation)

        assert (
            baremetal.patch(f"/v1/nodes/{node.uuid}", [{"op": "remove", "path": "/instance_uuid"}]).status_code == 200
        )

        assert baremetal.get("/v1/allocations/web-1").status_code == 404

    def test_happens_with_the_node_itself_in_maintenance(self, baremetal):
        allocation = make_allocation(name="web-1", state="active")
        node = held_node(allocation, maintenance=True)

        assert baremetal.delete(f"/v1/nodes/{node.uuid}").status_code == 204

        assert baremetal.get("/v1/allocations/web-1").status_code == 404


class TestNodeAllocation:
    def test_shows_the_allocation_of_a_node(self, baremetal):
        allocation = make_allocation(name="web-1", state="active")
        held_node(allocation, name="node-1")

        assert baremetal.get("/v1/nodes/node-1/allocation").json()["uuid"] == allocation.uuid
        assert baremetal.get("/v1/nodes/node-1/allocation?fields=name").json().keys() == {"name", "links"}

    def test_of_a_node_without_one_is_404_and_of_no_node_400(self, baremetal):
        node = free_node()

        assert baremetal.get(f"/v1/nodes/{node.uuid}/allocation").status_code == 404
        assert baremetal.get("/v1/nodes/nope/allocation").status_code == 400


class TestTearingDown:
    def test_ends_the_allocation_and_offers_the_node_only_when_it_is_available(self, baremetal):
        node = free_node()
        baremetal.post("/v1/allocations", {"resource_class": "baremetal", "name": "web-1"})
        baremetal.put(f"/v1/nodes/{node.uuid}/states/provision", {"target": "active"})

        baremetal.put(f"/v1/nodes/{node.uuid}/states/provision", {"target": "deleted"})

        assert baremetal.get("/v1/allocations/web-1").status_code == 404
        node.refresh_from_db()
        assert (node.provision_state, node.instance_uuid) == ("available", None)

        Node.objects.update(provision_state="cleaning", target_provision_state="available")
        made = baremetal.post("/v1/allocations", {"resource_class": "baremetal"}).json()
        assert baremetal.get(f"/v1/allocations/{made['uuid']}").json()["state"] == "error"
