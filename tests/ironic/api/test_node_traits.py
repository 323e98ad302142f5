"""/v1/nodes/<node>/traits."""

import pytest

from ironic_app.models import Node
from tests.ironic.builders import fault, make_node


@pytest.fixture
def node(db):
    return make_node(name="node-1", traits=["CUSTOM_OLD", "HW_CPU_X86_VMX"])


def traits():
    return Node.objects.get().traits


class TestTraits:
    def test_are_listed(self, baremetal, node):
        assert baremetal.get("/v1/nodes/node-1/traits").json() == {"traits": ["CUSTOM_OLD", "HW_CPU_X86_VMX"]}
        assert baremetal.get("/v1/nodes/node-1").json()["traits"] == ["CUSTOM_OLD", "HW_CPU_X86_VMX"]

    def test_are_replaced(self, baremetal, node):
        response = baremetal.put("/v1/nodes/node-1/traits", {"traits": ["CUSTOM_B", "CUSTOM_A", "CUSTOM_B"]})

        assert (response.status_code, response.content) == (204, b"")
        assert traits() == ["CUSTOM_A", "CUSTOM_B"]

    def test_are_all_taken_away(self, baremetal, node):
        assert baremetal.delete("/v1/nodes/node-1/traits").status_code == 204
        assert traits() == []

    def test_are_added_one_by_one(self, baremetal, node):
        for _ in range(2):
            response = baremetal.put("/v1/nodes/node-1/traits/CUSTOM_NEW")

            assert response.status_code == 204
            assert response["Location"] == "http://testserver/baremetal/v1/nodes/node-1/traits/CUSTOM_NEW"
            assert traits() == ["CUSTOM_NEW", "CUSTOM_OLD", "HW_CPU_X86_VMX"]

    def test_are_taken_away_one_by_one(self, baremetal, node):
        assert baremetal.delete("/v1/nodes/node-1/traits/CUSTOM_OLD").status_code == 204
        assert traits() == ["HW_CPU_X86_VMX"]
        assert baremetal.delete("/v1/nodes/node-1/traits/CUSTOM_OLD").status_code == 404

    @pytest.mark.parametrize(
        "trait", ["CUSTOM_", "CUSTOM_a", "custom_a", "NONSENSE", "CUSTOM_" + "A" * 249, "CUSTOM_A\n"]
    )
    def test_have_valid_names(self, baremetal, node, trait):
        assert baremetal.put("/v1/nodes/node-1/traits", {"traits": [trait]}).status_code == 400
        assert traits() == node.traits

    def test_may_be_long_and_many(self, baremetal, node):
        longest = "CUSTOM_" + "A" * 248
        most = [longest, *(f"CUSTOM_{number}" for number in range(49))]

        assert baremetal.put("/v1/nodes/node-1/traits", {"traits": most}).status_code == 204
        assert baremetal.put("/v1/nodes/node-1/traits/CUSTOM_MORE").status_code == 400
        assert baremetal.put("/v1/nodes/node-1/traits", {"traits": [*most, "CUSTOM_MORE"]}).status_code == 400

    @pytest.mark.parametrize("body", [None, [], {}, {"traits": "CUSTOM_A"}, {"traits": [1]}, {"traits": [], "more": 1}])
    def test_are_refused_in_another_form(self, baremetal, node, body):
        assert baremetal.put("/v1/nodes/node-1/traits", body).status_code == 400

    def test_are_added_without_a_body(self, baremetal, node):
        assert baremetal.put("/v1/nodes/node-1/traits/CUSTOM_A", {}).status_code == 204
        assert baremetal.put("/v1/nodes/node-1/traits/CUSTOM_A", {"traits": []}).status_code == 400

    @pytest.mark.parametrize("method", ["get", "put", "delete"])
    def test_were_unknown_before_their_version(self, baremetal, node, method):
        response = getattr(baremetal, method)("/v1/nodes/node-1/traits", version="1.36")

        assert (response.status_code, fault(response)["faultstring"]) == (406, "Request not acceptable.")

    def test_move_the_nodes_version(self, baremetal, node):
        before = baremetal.get("/v1/nodes/node-1")["ETag"]

        baremetal.put("/v1/nodes/node-1/traits/CUSTOM_NEW")

        assert baremetal.get("/v1/nodes/node-1")["ETag"] != before


class TestShards:
    def test_are_counted(self, baremetal):
        for shard in ("s1", "s1", "s2", None):
            make_node(shard=shard)

        shards = baremetal.get("/v1/shards").json()["shards"]

        assert {each["name"]: each["count"] for each in shards} == {"s1": 2, "s2": 1, None: 1}

    def test_were_unknown_before_their_version(self, baremetal):
        assert baremetal.get("/v1/shards", version="1.81").status_code == 404
