"""/v1/portgroups, and the groups of a node."""

import pytest

from ironic_app.models import PortGroup
from tests.ironic.builders import add, fault, make_node, make_port, remove, replace

pytestmark = pytest.mark.django_db(transaction=True)

FIELDS = {
    "uuid", "name", "address", "node_uuid", "extra", "internal_info", "standalone_ports_supported", "created_at",
    "updated_at", "mode", "properties", "physical_network", "category", "links", "ports",
}  # fmt: skip


def make_group(node=None, **attributes):
    values = {"uuid": "22222222-2222-4222-8222-222222222222", "node": node or make_node()} | attributes
    return PortGroup.objects.create(**values)


class TestPost:
    def test_makes_a_group_with_the_usual_mode(self, baremetal):
        node = make_node()

        response = baremetal.post("/v1/portgroups", {"node_uuid": node.uuid, "name": "group-1"})

        made = response.json()
        assert response.status_code == 201
        assert made.keys() == FIELDS
        assert (made["mode"], made["standalone_ports_supported"]) == ("active-backup", True)
        assert made["ports"][0]["href"] == f"http://testserver/baremetal/v1/portgroups/{made['uuid']}/ports"
        assert response["Location"].endswith(f"/v1/portgroups/{made['uuid']}")

    @pytest.mark.parametrize(
        ("values", "status"),
        [
            ({"node_uuid": None}, 400),
            ({"name": "bad name"}, 400),
            ({"address": "z"}, 400),
            ({"bogus": 1}, 400),
            ({"mode": ""}, 400),
            ({"name": "taken"}, 409),
            ({"address": "52:54:00:00:00:01"}, 409),
            ({"mode": "802.3ad", "properties": {"miimon": 100}, "standalone_ports_supported": False}, 201),
        ],
    )
    def test_judges_what_is_asked_for(self, baremetal, values, status):
        make_group(name="taken", address="52:54:00:00:00:01")
        body = {"node_uuid": make_node().uuid} | values

        assert baremetal.post("/v1/portgroups", body).status_code == status


class TestShard:
    def test_is_that_of_the_node_and_excludes_it(self, baremetal):
        group = make_group(make_node(name="node-1", shard="s1"), name="group-1")
        make_group(uuid="33333333-3333-4333-8333-333333333333")

        found = baremetal.get("/v1/portgroups?shard=s0,s1").json()["portgroups"]
        refused = baremetal.get("/v1/portgroups?shard=s1&node=node-1")

        assert [shown["uuid"] for shown in found] == [group.uuid]
        assert (refused.status_code, fault(refused)["faultstring"]) == (
            400,
            "Filtering by node, address, or shard simultaneously is not supported.",
        )
        assert baremetal.get("/v1/nodes/node-1/portgroups?shard=s1").status_code == 400
        assert baremetal.get("/v1/portgroups?shard=s1", version="1.105").status_code == 406


class TestGet:
    @pytest.mark.parametrize("version", ["1.22", "1.1"])
    def test_was_not_there_before_its_version(self, baremetal, version):
        make_group(name="group-1")

        assert baremetal.get("/v1/portgroups", version=version).status_code == 404
        assert baremetal.get("/v1/portgroups/group-1", version=version).status_code == 404

    def test_shows_mode_and_properties_from_their_version_on(self, baremetal):
        make_group(name="group-1")

        before = baremetal.get("/v1/portgroups/group-1", version="1.25").json()
        after = baremetal.get("/v1/portgroups/group-1", version="1.26").json()

        assert after.keys() - before.keys() == {"mode", "properties"}

    def test_lists_them_by_node_and_address(self, baremetal):
        node = make_node(name="node-1")
        make_group(node, name="group-1", address="52:54:00:00:00:01")
        make_group(uuid="33333333-3333-4333-8333-333333333333", name="group-2")

        for query in ("?node=node-1", "/detail?node=node-1", "?address=52:54:00:00:00:01"):
            found = baremetal.get(f"/v1/portgroups{query}").json()["portgroups"]
            assert [shown["name"] for shown in found] == ["group-1"], query
        assert len(baremetal.get("/v1/nodes/node-1/portgroups").json()["portgroups"]) == 1
        assert baremetal.get("/v1/portgroups").json()["portgroups"][0].keys() == {"uuid", "name", "address", "links"}


class TestPatch:
    @pytest.mark.parametrize(
        ("operation", "status"),
        [
            (replace("/mode", "balance-xor"), 200),
            (remove("/mode"), 400),
            (remove("/name"), 200),
            (add("/uuid", "x"), 400),
            (add("/standalone_ports_supported", False), 200),
            (add("/properties/x", 1), 200),
            (add("/node_uuid", "33333333-3333-4333-8333-333333333333"), 400),
        ],
    )
    def test_changes_what_can_be_changed(self, baremetal, operation, status):
        group = make_group(name="group-1")

        assert baremetal.patch(f"/v1/portgroups/{group.uuid}", [operation]).status_code == status

    def test_leaves_the_address_of_a_node_in_use_alone(self, baremetal):
        group = make_group(make_node(provision_state="active"))

        response = baremetal.patch(f"/v1/portgroups/{group.uuid}", [add("/address", "52:54:00:00:00:09")])

        assert response.status_code == 409


class TestDelete:
    def test_is_refused_while_ports_are_in_it(self, baremetal):
        group = make_group()
        port = make_port(group.node, address="52:54:00:00:00:01", portgroup=group)

        refused = baremetal.delete(f"/v1/portgroups/{group.uuid}")
        port.delete()
        allowed = baremetal.delete(f"/v1/portgroups/{group.uuid}")

        assert (refused.status_code, allowed.status_code) == (400, 204)
        assert fault(refused)["faultstring"].endswith(f"portgroup {group.uuid} contains ports.")
