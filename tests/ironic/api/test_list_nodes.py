"""GET /v1/nodes and /v1/nodes/detail: what is listed, by which conditions."""

import pytest

from ironic_app.models import Chassis, Node
from tests.ironic.builders import fault, make_node

CHASSIS = "c0000000-0000-4000-8000-000000000001"
INSTANCE = "1f0e8f0a-0000-4000-8000-00000000000a"


def names(response):
    assert response.status_code == 200, response.content
    return [node["name"] for node in response.json()["nodes"]]


class TestShape:
    def test_is_short_by_default(self, baremetal):
        make_node(name="node-1")

        (node,) = baremetal.get("/v1/nodes").json()["nodes"]

        assert node.keys() == {
            "uuid",
            "name",
            "instance_uuid",
            "maintenance",
            "power_state",
            "provision_state",
            "links",
        }

    def test_has_no_names_before_there_were_any(self, baremetal):
        make_node(name="node-1")

        (node,) = baremetal.get("/v1/nodes", version="1.4").json()["nodes"]

        assert "name" not in node

    @pytest.mark.parametrize(
        "path", ["/v1/nodes/detail", "/v1/nodes?detail=True", "/nodes/detail/", "/v1/nodes/?detail=1"]
    )
    def test_is_whole_on_request(self, baremetal, path):
        node = make_node()

        (listed,) = baremetal.get(path).json()["nodes"]

        assert listed == baremetal.get(f"/v1/nodes/{node.uuid}").json()

    def test_cuts_nodes_down_to_the_fields_that_are_asked_for(self, baremetal):
        make_node(name="node-1", traits=["HW_CPU_X86_VMX"])

        (node,) = baremetal.get("/v1/nodes?fields=name,Traits,ports").json()["nodes"]

        assert node.keys() == {"name", "traits", "ports", "links"}
        assert node["traits"] == ["HW_CPU_X86_VMX"]

    @pytest.mark.parametrize(
        ("query", "version", "status"),
        [
            ("fields=name,nonsense", "1.109", 400),
            ("fields=name&detail=True", "1.109", 400),
            ("fields=name", "1.7", 406),
            ("fields=owner", "1.49", 406),
            ("fields=owner", "1.50", 200),
            ("detail=True", "1.42", 406),
            ("detail=perhaps", "1.109", 400),
        ],
    )
    def test_judges_what_is_asked_for(self, baremetal, query, version, status):
        assert baremetal.get(f"/v1/nodes?{query}", version=version).status_code == status

    def test_of_details_takes_no_fields(self, baremetal):
        assert baremetal.get("/v1/nodes/detail?fields=name").status_code == 400

    def test_takes_the_same_statements_for_one_node_and_for_many(self, baremetal, django_assert_max_num_queries):
        for number in range(30):
            make_node(name=f"node-{number}", traits=["CUSTOM_A"])

        with django_assert_max_num_queries(1):
            assert len(names(baremetal.get("/v1/nodes/detail"))) == 30

    def test_reads_no_column_that_is_not_shown(self, baremetal, django_assert_num_queries):
        make_node(name="node-1")

        with django_assert_num_queries(1) as read:
            baremetal.get("/v1/nodes?fields=name")

        assert "driver_info" not in read[0]["sql"]


class TestFilters:
    @pytest.fixture(autouse=True)
    def nodes(self, db):
        Chassis.objects.create(uuid=CHASSIS)
        make_node(
            name="rich",
            chassis_id=CHASSIS,
            instance_uuid=INSTANCE,
            instance_name="vm-1",
            maintenance=True,
            provision_state="active",
            driver="ipmi",
            resource_class="bm.large",
            fault="power failure",
            conductor_group="cellar",
            conductor="host-1",
            owner="p1",
            lessee="p2",
            shard="s1",
            description="100% in the Cellar_1",
            retired=True,
        )
        make_node(name="plain")
        make_node(name="child", parent_id=Node.objects.get(name="rich").uuid, provision_state="enroll", owner="p2")

    @pytest.mark.parametrize(
        ("query", "found"),
        [
            ("", ["rich", "plain"]),
            (f"chassis_uuid={CHASSIS}", ["rich"]),
            (f"instance_uuid={INSTANCE}", ["rich"]),
            (f"instance_uuid={CHASSIS}", []),
            ("associated=True", ["rich"]),
            ("associated=no", ["plain"]),
            ("maintenance=TRUE", ["rich"]),
            ("maintenance=0", ["plain"]),
            ("provision_state=active", ["rich"]),
            ("provision_state=available", ["plain"]),
            ("driver=ipmi", ["rich"]),
            ("resource_class=bm.large", ["rich"]),
            ("fault=power+failure", ["rich"]),
            ("conductor_group=Cellar", ["rich"]),
            ("conductor_group=", ["plain"]),
            ("conductor=host-1", ["rich"]),
            ("owner=p1", ["rich"]),
            ("lessee=p2", ["rich"]),
            ("project=p1", ["rich"]),
            ("project=p2", ["rich"]),
            ("project=p2&include_children=True", ["rich", "child"]),
            ("shard=s1", ["rich"]),
            ("shard=s0,s1", ["rich"]),
            ("sharded=True", ["rich"]),
            ("sharded=False", ["plain"]),
            ("description_contains=100%25", ["rich"]),
            ("description_contains=IN+the+cellar", ["rich"]),
            ("description_contains=100_", []),
            ("retired=True", ["rich"]),
            ("retired=False", ["plain"]),
            ("instance_name=vm-1", ["rich"]),
            ("include_children=True", ["rich", "plain", "child"]),
            ("parent_node=rich", ["child"]),
            ("parent_node=plain", []),
            ("owner=p1&maintenance=False", []),
            ("owner=p1&maintenance=True&associated=True&resource_class=bm.large", ["rich"]),
        ],
    )
    @pytest.mark.parametrize("path", ["/v1/nodes?fields=name&", "/v1/nodes/detail?"])
    def test_all_hold_together(self, baremetal, path, query, found):
        assert names(baremetal.get(path + query)) == found

    def test_find_a_child_by_its_parents_uuid_in_any_spelling(self, baremetal):
        parent = Node.objects.get(name="rich").uuid.upper()

        assert names(baremetal.get(f"/v1/nodes?parent_node={parent}")) == ["child"]

    @pytest.mark.parametrize(
        "query",
        [
            "bogus=1",
            "associated=perhaps",
            "maintenance=",
            "instance_uuid=instance-1",
            "chassis_uuid=1",
            "provision_state=nonsense",
            "fault=nonsense",
            "retired=2",
            "name=node-1",
            "owner=%00",
            "owner=%ff",
        ],
    )
    def test_that_cannot_be_meant_are_refused(self, baremetal, query):
        assert baremetal.get(f"/v1/nodes?{query}").status_code == 400

    def test_name_the_argument_that_is_unknown(self, baremetal):
        response = baremetal.get("/v1/nodes?bogus=1")

        assert fault(response)["faultstring"] == "Unexpected arguments: bogus"

    def test_by_a_chassis_that_is_not_there_find_no_chassis(self, baremetal):
        assert baremetal.get(f"/v1/nodes?chassis_uuid={INSTANCE}").status_code == 404

    @pytest.mark.parametrize(
        ("name", "since"),
        [
            ("provision_state=available", 9),
            ("driver=ipmi", 16),
            ("resource_class=bm", 21),
            ("fault=power+failure", 42),
            ("conductor_group=a", 46),
            ("conductor=a", 49),
            ("owner=p1", 50),
            ("description_contains=a", 51),
            ("retired=True", 61),
            ("lessee=p1", 65),
            ("shard=s1", 82),
            ("sharded=True", 82),
            ("include_children=True", 83),
            ("parent_node=rich", 83),
            ("instance_name=vm", 104),
        ],
    )
    def test_are_not_acceptable_before_their_version(self, baremetal, name, since):
        before = baremetal.get(f"/v1/nodes?{name}", version=f"1.{since - 1}")

        assert (before.status_code, fault(before)["faultstring"]) == (406, "Request not acceptable.")
        assert baremetal.get(f"/v1/nodes?{name}", version=f"1.{since}").status_code == 200
