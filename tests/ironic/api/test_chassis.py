"""/v1/chassis, and the nodes in them."""

import pytest

from ironic_app.models import Chassis
from tests.ironic.builders import add, fault, make_node, remove, replace

pytestmark = pytest.mark.django_db(transaction=True)

UUID = "44444444-4444-4444-8444-444444444444"
FIELDS = {"uuid", "description", "extra", "created_at", "updated_at", "links", "nodes"}


def make_chassis(**attributes):
    return Chassis.objects.create(**{"uuid": UUID} | attributes)


class TestPost:
    @pytest.mark.parametrize("body", [None, {}, {"description": "a box", "extra": {"a": 1}}, {"uuid": UUID.upper()}])
    def test_makes_a_chassis_of_whatever_is_said_of_it(self, baremetal, body):
        response = baremetal.post("/v1/chassis", body)

        assert response.status_code == 201
        assert response.json().keys() == FIELDS
        assert response["Location"].endswith(f"/v1/chassis/{response.json()['uuid']}")

    @pytest.mark.parametrize(
        ("body", "status"),
        [
            ({"bogus": 1}, 400),
            ({"description": "x" * 256}, 400),
            ({"description": 7}, 400),
            ({"extra": []}, 400),
            ({"uuid": "zz"}, 400),
            ({"uuid": UUID}, 409),
            ([], 400),
        ],
    )
    def test_refuses_what_it_can_not_be(self, baremetal, body, status):
        make_chassis()

        assert baremetal.post("/v1/chassis", body).status_code == status
        assert Chassis.objects.count() == 1


class TestGet:
    def test_shows_one_by_any_spelling_of_its_uuid(self, baremetal):
        make_chassis(description="a box")

        assert baremetal.get(f"/v1/chassis/{UUID.replace('-', '')}").json()["description"] == "a box"
        assert baremetal.get(f"/v1/chassis/{UUID}?fields=extra").json().keys() == {"extra", "links"}

    @pytest.mark.parametrize(("ident", "status"), [("nope", 400), ("55555555-5555-4555-8555-555555555555", 404)])
    def test_of_what_is_not_there_says_so(self, baremetal, ident, status):
        assert baremetal.get(f"/v1/chassis/{ident}").status_code == status

    def test_lists_them(self, baremetal):
        make_chassis()

        for path, keys in (
            ("/v1/chassis", {"uuid", "description", "links"}),
            ("/v1/chassis/detail", FIELDS),
            ("/v1/chassis?detail=True", FIELDS),
            ("/v1/chassis?fields=description", {"description", "links"}),
        ):
            assert [shown.keys() for shown in baremetal.get(path).json()["chassis"]] == [keys], path

    def test_lists_the_nodes_in_one_page_by_page(self, baremetal):
        chassis = make_chassis()
        inside = [make_node(chassis=chassis).uuid for _ in range(3)]
        make_node()

        seen, link = [], f"/v1/chassis/{UUID}/nodes?limit=2"
        while link:
            page = baremetal.get(link).json()
            seen += [shown["uuid"] for shown in page["nodes"]]
            link = page.get("next")

        assert seen == inside
        assert len(baremetal.get(f"/v1/chassis/{UUID}/nodes/detail").json()["nodes"]) == 3


class TestPatch:
    @pytest.mark.parametrize(
        ("operation", "status"),
        [
            (replace("/description", "another box"), 200),
            (remove("/description"), 200),
            (add("/extra/a", 1), 200),
            (replace("/uuid", UUID), 400),
            (add("/description", 7), 400),
            (remove("/extra/nope"), 400),
        ],
    )
    def test_changes_what_can_be_changed(self, baremetal, operation, status):
        make_chassis(description="a box")

        assert baremetal.patch(f"/v1/chassis/{UUID}", [operation]).status_code == status


class TestDelete:
    def test_is_refused_while_nodes_are_in_it(self, baremetal):
        node = make_node(chassis=make_chassis())

        refused = baremetal.delete(f"/v1/chassis/{UUID}")
        node.delete()
        allowed = baremetal.delete(f"/v1/chassis/{UUID}")

        assert (refused.status_code, allowed.status_code) == (400, 204)
        assert fault(refused)["faultstring"].endswith(f"chassis {UUID} contains nodes.")
        assert baremetal.delete(f"/v1/chassis/{UUID}").status_code == 404
