"""/v1/ports, and the ports of a node."""

import pytest

from ironic_app.models import Node, Port, PortGroup, VifAttachment
from tests.ironic.builders import add, fault, make_node, make_port, project, remove, replace

pytestmark = pytest.mark.django_db(transaction=True)

MAC = "52:54:00:00:00:01"
OTHER_MAC = "52:54:00:00:00:02"
FIELDS = {
    "uuid", "address", "node_uuid", "extra", "created_at", "updated_at", "internal_info", "local_link_connection",
    "pxe_enabled", "portgroup_uuid", "physical_network", "is_smartnic", "name", "description", "vendor", "category",
    "links",
}  # fmt: skip
LINK = {"switch_id": "aa:bb:cc:dd:ee:ff", "port_id": "p1", "switch_info": "x"}


def text(response):
    return fault(response)["faultstring"]


class TestPost:
    def test_makes_a_port_with_its_address_in_lower_case(self, baremetal):
        node = make_node()

        response = baremetal.post("/v1/ports", {"address": "AA:BB:CC:00:11:22", "node_uuid": node.uuid})

        made = response.json()
        assert response.status_code == 201
        assert made.keys() == FIELDS
        assert (made["address"], made["node_uuid"], made["pxe_enabled"]) == ("aa:bb:cc:00:11:22", node.uuid, True)
        assert response["Location"] == f"http://testserver/baremetal/v1/ports/{made['uuid']}"
        assert baremetal.get(f"/v1/ports/{made['uuid']}").json() == made

    @pytest.mark.parametrize(
        ("values", "told"),
        [
            ({"address": "aa-bb-cc-00-11-22"}, "Expected valid MAC address for address: aa-bb-cc-00-11-22"),
            ({"address": None}, "Schema error for port: 'address' is a required property"),
            ({"node_uuid": None}, "Schema error for port: 'node_uuid' is a required property"),
            ({"node_uuid": "node-1"}, "Expected UUID for node_uuid: node-1"),
            ({"node_uuid": "11111111-1111-4111-8111-111111111111"}, "Node 11111111-1111-4111-8111-111111111111 could"),
            ({"bogus": 1}, "Schema error for port: Additional properties are not allowed ('bogus' was unexpected)"),
            ({"internal_info": {}}, "Schema error for port: Additional properties are not allowed"),
            ({"uuid": "xyz"}, "Expected UUID for uuid: xyz"),
            ({"extra": 7}, "Schema error for port: 7 is not of type 'object'"),
            ({"pxe_enabled": "perhaps"}, "Invalid pxe_enabled: Unrecognized value 'perhaps'"),
            ({"physical_network": ""}, "A non-empty value is required when setting physical_network"),
            ({"physical_network": "x" * 65}, "Schema error for port: 'xxx"),
            (
                {"local_link_connection": {"foo": 1}},
                "Schema error for port: Additional properties are not allowed ('foo')",
            ),
            (
                {"local_link_connection": {"port_id": "p1"}},
                "Schema error for port: 'switch_id' and 'port_id' are required",
            ),
            ({"portgroup_uuid": "11111111-1111-4111-8111-111111111111"}, "Portgroup 1111"),
            ({"name": "bad name"}, "Cannot create port with invalid name 'bad name'"),
        ],
    )
    def test_says_what_is_wrong_with_a_body(self, baremetal, values, told):
        body = {"address": MAC, "node_uuid": make_node().uuid} | values

        response = baremetal.post("/v1/ports", body)

        assert response.status_code == 400
        assert text(response).startswith(told)
        assert not Port.objects.exists()

    @pytest.mark.parametrize("body", [None, [], "x", 7])
    def test_wants_an_object(self, baremetal, body):
        assert baremetal.post("/v1/ports", body).status_code == 400

    @pytest.mark.parametrize(
        ("taken", "wanted", "told"),
        [
            ({"address": MAC}, {"address": MAC.upper()}, f"A port with MAC address {MAC} already exists."),
            ({"name": "eth0"}, {"name": "eth0"}, "A port with name eth0 already exists."),
            (
                {"uuid": "11111111-1111-4111-8111-111111111111"},
                {"uuid": "11111111-1111-4111-8111-111111111111"},
                "A port with UUID 11111111-1111-4111-8111-111111111111 already exists.",
            ),
        ],
    )
    def test_refuses_what_is_there_already(self, baremetal, taken, wanted, told):
        node = make_node()
        make_port(node, **{"address": OTHER_MAC} | taken)

        response = baremetal.post("/v1/ports", {"address": "52:54:00:00:00:03", "node_uuid": node.uuid} | wanted)

        assert (response.status_code, text(response)) == (409, told)

    @pytest.mark.parametrize("link", [{}, LINK, {"network_type": "unmanaged"}, {"port_id": "p1", "hostname": "h"}])
    def test_takes_links_that_say_where_they_lead(self, baremetal, link):
        body = {"address": MAC, "node_uuid": make_node().uuid, "local_link_connection": link}

        assert baremetal.post("/v1/ports", body).json()["local_link_connection"] == link

    def test_takes_a_group_of_the_same_node_only(self, baremetal):
        node, other = make_node(), make_node()
        group = PortGroup.objects.create(uuid="11111111-1111-4111-8111-111111111111", node=other)
        body = {"address": MAC, "node_uuid": node.uuid, "portgroup_uuid": group.uuid}

        refused = baremetal.post("/v1/ports", body)
        taken = baremetal.post("/v1/ports", body | {"node_uuid": other.uuid})

        assert text(refused) == "Port can not be added to a portgroup belonging to a different node."
        assert (refused.status_code, taken.status_code) == (400, 201)

    def test_may_name_its_node_by_name_from_its_version_on(self, baremetal):
        make_node(name="node-1")
        body = {"address": MAC, "node_ident": "node-1"}

        assert baremetal.post("/v1/ports", body, version="1.93").status_code == 406
        assert baremetal.post("/v1/ports", body | {"node_uuid": "x"}).status_code == 400
        assert baremetal.post("/v1/ports", body).status_code == 201

    @pytest.mark.parametrize(
        ("field", "value", "since"),
        [
            ("pxe_enabled", True, 19),
            ("physical_network", "net", 34),
            ("is_smartnic", False, 53),
            ("name", "eth0", 88),
            ("description", "left", 97),
            ("vendor", "acme", 100),
            ("category", "fast", 101),
        ],
    )
    def test_knows_a_field_from_its_version_on(self, baremetal, field, value, since):
        body = {"address": MAC, "node_uuid": make_node().uuid, field: value}

        assert baremetal.post("/v1/ports", body, version=f"1.{since - 1}").status_code == 406
        assert baremetal.post("/v1/ports", body, version=f"1.{since}").json()[field] == value

    def test_of_a_locked_node_is_refused(self, baremetal):
        node = make_node(reservation="conductor-1")

        response = baremetal.post("/v1/ports", {"address": MAC, "node_uuid": node.uuid})

        assert response.status_code == 409
        assert fault(response)["code"] == "NodeLocked"


class TestGet:
    def test_shows_what_its_version_knows(self, baremetal):
        port = make_port(make_node(), address=MAC)

        shown = baremetal.get(f"/v1/ports/{port.uuid}", version="1.1").json()

        assert shown.keys() == {"uuid", "address", "node_uuid", "extra", "created_at", "updated_at", "links"}

    def test_finds_by_name_and_shows_the_fields_that_are_asked_for(self, baremetal):
        make_port(make_node(), address=MAC, name="eth0")

        assert baremetal.get("/v1/ports/eth0?fields=address").json().keys() == {"address", "links"}

    @pytest.mark.parametrize("ident", ["nope", "11111111-1111-4111-8111-111111111111"])
    def test_of_what_is_not_there_is_404(self, baremetal, ident):
        response = baremetal.get(f"/v1/ports/{ident}")

        assert (response.status_code, text(response)) == (404, f"Port {ident} could not be found.")


class TestList:
    def test_is_short_unless_asked_for_more(self, baremetal):
        make_port(make_node(), address=MAC)

        for path, keys in (
            ("/v1/ports", {"uuid", "address", "links"}),
            ("/v1/ports?fields=extra", {"extra", "links"}),
            ("/v1/ports?detail=True", FIELDS),
            ("/v1/ports/detail", FIELDS),
        ):
            assert [shown.keys() for shown in baremetal.get(path).json()["ports"]] == [keys], path

    @pytest.mark.parametrize(
        ("path", "found"),
        [
            ("/v1/ports?node=node-1", [1, 2]),
            ("/v1/ports?node_uuid=11111111-1111-4111-8111-111111111111", [1, 2]),
            ("/v1/ports?address=52:54:00:00:00:03", [3]),
            ("/v1/ports/detail?node=node-1&address=52:54:00:00:00:02", [2]),
            ("/v1/ports?shard=a,b", [3]),
            ("/v1/ports?conductor_groups=Rack-1", [3]),
            ("/v1/ports?description_contains=lef", [2]),
            ("/v1/ports?portgroup=group-1", [2]),
            ("/v1/portgroups/group-1/ports", [2]),
            ("/v1/nodes/node-1/ports", [1, 2]),
            ("/v1/nodes/node-1/ports/detail", [1, 2]),
        ],
    )
    def test_is_filtered(self, baremetal, path, found):
        node = make_node(name="node-1", uuid="11111111-1111-4111-8111-111111111111")
        other = make_node(shard="b", conductor_group="rack-1")
        group = PortGroup.objects.create(uuid="22222222-2222-4222-8222-222222222222", node=node, name="group-1")
        make_port(node, address="52:54:00:00:00:01")
        make_port(node, address="52:54:00:00:00:02", portgroup=group, description="left")
        make_port(other, address="52:54:00:00:00:03")

        ports = baremetal.get(path).json()["ports"]

        assert [int(shown["address"][-2:]) for shown in ports] == found

    @pytest.mark.parametrize("start", ["/v1/ports?node=node-1&limit=2", "/v1/nodes/node-1/ports?limit=2&detail=True"])
    def test_is_read_page_by_page_with_every_filter_kept(self, baremetal, start):
        node, other = make_node(name="node-1"), make_node()
        for number in range(5):
            make_port(node, address=f"52:54:00:00:01:{number:02x}")
            make_port(other, address=f"52:54:00:00:02:{number:02x}")

        seen, link = [], start
        while link:
            page = baremetal.get(link).json()
            seen += [shown["address"] for shown in page["ports"]]
            link = page.get("next")

        assert seen == [f"52:54:00:00:01:{number:02x}" for number in range(5)]

    @pytest.mark.parametrize(
        ("query", "status"),
        [
            ("bogus=1", 400),
            ("fields=bogus", 400),
            ("detail=True&fields=uuid", 400),
            ("address=zz", 400),
            ("node_uuid=zz", 400),
            ("node=nope", 404),
            ("portgroup=nope", 404),
            ("node=a&portgroup=b", 403),
            ("sort_key=extra", 400),
            ("sort_key=node_uuid", 200),
            ("limit=0", 400),
            ("marker=11111111-1111-4111-8111-111111111111", 404),
        ],
    )
    def test_refuses_what_can_not_be_meant(self, baremetal, query, status):
        assert baremetal.get(f"/v1/ports?{query}").status_code == status

    @pytest.mark.parametrize(
        ("path", "status"),
        [
            ("/v1/nodes/node-1/ports?shard=s1", 403),
            ("/v1/nodes/node-1/ports?portgroup=group-1", 403),
            ("/v1/nodes/node-1/ports/detail?node=node-1", 403),
            ("/v1/nodes/node-1/ports?conductor_groups=a", 400),
            ("/v1/ports?node=node-1&conductor_groups=a", 400),
            ("/v1/ports?shard=s1&conductor_groups=a", 200),
            ("/v1/nodes/node-1/ports?address=" + MAC, 200),
        ],
    )
    def test_takes_the_owner_in_the_address_for_a_filter(self, baremetal, path, status):
        make_node(name="node-1")

        assert baremetal.get(path).status_code == status

    def test_of_a_project_has_the_ports_of_its_nodes(self, baremetal):
        make_port(make_node(owner="p1"), address=MAC)
        make_port(make_node(owner="p2"), address=OTHER_MAC)

        found = baremetal.get("/v1/ports", **project("p1")).json()["ports"]

        assert [shown["address"] for shown in found] == [MAC]


class TestPatch:
    def test_changes_all_or_nothing(self, baremetal):
        port = make_port(make_node(provision_state="manageable"), address=MAC)
        path = f"/v1/ports/{port.uuid}"

        refused = baremetal.patch(path, [add("/extra/a", 1), replace("/address", "zz")])
        changed = baremetal.patch(path, [add("/extra/a", 1), replace("/address", OTHER_MAC)])

        assert refused.status_code == 400
        assert (changed.json()["extra"], changed.json()["address"]) == ({"a": 1}, OTHER_MAC)
        assert changed.json()["updated_at"] is not None

    @pytest.mark.parametrize(
        ("operation", "status"),
        [
            (replace("/uuid", "x"), 400),
            (replace("/internal_info", {}), 400),
            (add("/bogus", 1), 400),
            (remove("/address"), 400),
            (remove("/node_uuid"), 400),
            (replace("/node_uuid", "11111111-1111-4111-8111-111111111111"), 400),
            (remove("/extra/nope"), 400),
            (add("/name", "taken"), 409),
            (replace("/address", OTHER_MAC), 409),
            (remove("/name"), 200),
        ],
    )
    def test_refuses_what_can_not_be(self, baremetal, operation, status):
        node = make_node(provision_state="manageable")
        make_port(node, address=OTHER_MAC, name="taken")
        port = make_port(node, address=MAC)

        assert baremetal.patch(f"/v1/ports/{port.uuid}", [operation]).status_code == status

    def test_leaves_the_wiring_of_a_node_in_use_alone_except_in_maintenance(self, baremetal):
        port = make_port(make_node(provision_state="available"), address=MAC)
        path, patch = f"/v1/ports/{port.uuid}", [replace("/pxe_enabled", False)]

        refused = baremetal.patch(path, patch)
        Node.objects.update(maintenance=True)
        allowed = baremetal.patch(path, patch)

        assert (refused.status_code, allowed.status_code) == (409, 200)
        assert "can not have any connectivity attributes" in text(refused)

    @pytest.mark.parametrize(
        "attributes", [{"provision_state": "active"}, {"instance_uuid": "11111111-1111-4111-8111-111111111111"}]
    )
    def test_leaves_the_address_of_a_node_that_somebody_has_alone(self, baremetal, attributes):
        port = make_port(make_node(**attributes), address=MAC)

        response = baremetal.patch(f"/v1/ports/{port.uuid}", [replace("/address", OTHER_MAC)])

        assert response.status_code == 409
        assert text(response).startswith("Cannot update hardware address for port")
        assert baremetal.patch(f"/v1/ports/{port.uuid}", [add("/extra/a", 1)]).status_code == 200


class TestDelete:
    def test_removes_the_port(self, baremetal):
        port = make_port(make_node(), address=MAC)

        assert baremetal.delete(f"/v1/ports/{port.uuid}").status_code == 204
        assert baremetal.delete(f"/v1/ports/{port.uuid}").status_code == 404

    def test_is_refused_while_something_is_bound_to_it(self, baremetal):
        node = make_node()
        port = make_port(node, address=MAC)
        VifAttachment.objects.create(node=node, vif_id="vif-1", port=port)

        response = baremetal.delete(f"/v1/ports/{port.uuid}")

        assert response.status_code == 409
        assert "VIF vif-1 is attached" in text(response)

    def test_happens_with_the_node(self, baremetal):
        node = make_node(provision_state="manageable")
        port = make_port(node, address=MAC)
        VifAttachment.objects.create(node=node, vif_id="vif-1", port=port)

        assert baremetal.delete(f"/v1/nodes/{node.uuid}").status_code == 204
        assert not Port.objects.exists()
