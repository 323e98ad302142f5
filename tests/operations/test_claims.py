"""POST, GET and DELETE /operations/claims: a node and its allocation, taken and given back as one."""

from __future__ import annotations

from collections import Counter

import orjson
import pytest
from django.test import Client

from claimsite.foundation.uuids import new_uuid
from ironic_app.models import Node, OwnershipEvent
from placement_app.models import Allocation, ConflictRecord, Consumer, Inventory
from tests.builders import A_UUID, claim, provider
from tests.ironic.builders import make_node
from tests.racing import together

INSTANCE = "11111111-aaaa-4aaa-8aaa-111111111111"


class Site:
    """A client of the site's own paths."""

    def __init__(self) -> None:
        self.client = Client(raise_request_exception=False)

    def send(self, method, path, body=None, token="admin", **headers):
        return self.client.generic(
            method,
            f"/operations/claims{path}",
            orjson.dumps(body) if body is not None else b"",
            content_type="application/json",
            headers={"X-Auth-Token": token, "OpenStack-API-Version": "placement 1.39", **headers},
        )

    def post(self, **wish):
        body = {"instance_uuid": INSTANCE, "project_id": "p1", "user_id": "u1", "resource_class": "baremetal"} | wish
        return self.send("POST", "", body)


@pytest.fixture
def site(db) -> Site:
    return Site()


def machine(**attributes) -> Node:
    """A free node, and the provider of its uuid."""
    node = make_node(**{"resource_class": "baremetal", "power_state": "power off"} | attributes)
    provider(uuid=node.uuid, name=node.uuid, CUSTOM_BAREMETAL=1)
    return node


class TestClaim:
    def test_takes_a_free_node_in_both_services_at_once(self, site):
        node = machine(name="node-1")

        response = site.post()

        assert response.status_code == 201
        assert response.headers["location"].endswith(f"/operations/claims/{INSTANCE}")
        assert response.json() == {
            "instance_uuid": INSTANCE,
            "node_uuid": node.uuid,
            "node_name": "node-1",
            "resources": {"CUSTOM_BAREMETAL": 1},
        }
        node.refresh_from_db()
        assert node.instance_uuid == INSTANCE
        assert Consumer.objects.get(uuid=INSTANCE).project_id == "p1"
        assert site.send("GET", f"/{INSTANCE}").json() == response.json()

    @pytest.mark.parametrize(
        "reason",
        [
            {"provision_state": "cleaning"},
            {"maintenance": True},
            {"instance_uuid": A_UUID},
            {"power_state": None},
            {"resource_class": "other"},
        ],
        ids=lambda reason: next(iter(reason)),
    )
    def test_never_takes_a_node_that_is_not_free(self, site, reason):
        machine(**reason)

        response = site.post()

        assert response.status_code == 409
        assert "no free node suits" in response.content.decode()
        assert Consumer.objects.count() == 0

    def test_passes_over_a_node_that_is_locked_and_says_so(self, site):
        node = machine(reservation="conductor-1")

        response = site.post()

        node.refresh_from_db()
        assert response.status_code == 409
        assert "it is locked by conductor-1 for now." in response.content.decode()
        assert (node.instance_uuid, Consumer.objects.count()) == (None, 0)

    def test_picks_by_traits_owner_and_candidates(self, site):
        right = machine(name="right", traits=["CUSTOM_FAST"], owner="lab")
        machine(name="slow", owner="lab")
        machine(name="foreign", traits=["CUSTOM_FAST"])
        machine(name="elsewhere", traits=["CUSTOM_FAST"], lessee="lab")

        response = site.post(traits=["CUSTOM_FAST"], node_owner="lab", candidate_nodes=["right", "slow", "foreign"])

        assert response.json()["node_uuid"] == right.uuid

    def test_says_what_keeps_the_nodes_that_suit_otherwise(self, site):
        machine()
        machine()
        node = machine(traits=["CUSTOM_FAST"])
        make_node(resource_class="baremetal", power_state="power off", traits=["CUSTOM_FAST"])
        Inventory.objects.filter(provider__uuid=node.uuid).update(reserved=1)

        response = site.post(traits=["CUSTOM_FAST"])

        text = response.content.decode()
        assert response.status_code == 409
        assert "it lacks a trait (2 nodes)" in text
        assert "CUSTOM_BAREMETAL is not to be had of its provider" in text
        assert "it is no provider in Placement" in text
        assert "(1 node" not in text

    def test_that_is_refused_by_placement_leaves_the_node_free(self, site):
        node = machine()
        Inventory.objects.update(reserved=1)

        site.post()

        node.refresh_from_db()
        assert (node.instance_uuid, Consumer.objects.count(), OwnershipEvent.objects.count()) == (None, 0, 0)
        assert ConflictRecord.objects.get().operation == "ownership.claim"

    def test_of_an_instance_that_holds_something_already_is_refused_once_and_for_all(self, site, api):
        machine()
        api.put(f"/allocations/{INSTANCE}", claim({provider(vcpu=4): {"VCPU": 1}}))

        response = site.post()

        assert response.status_code == 409
        assert response.json()["errors"][0]["code"] == "placement.concurrent_update"
        assert not Node.objects.exclude(instance_uuid=None).exists()

    def test_finds_its_own_uuid_for_whoever_names_none(self, site):
        machine()

        response = site.send("POST", "", {"project_id": "p", "user_id": "u", "resource_class": "baremetal"})

        assert Node.objects.get().instance_uuid == response.json()["instance_uuid"]

    @pytest.mark.parametrize("body", [{}, [], {"project_id": "p"}, {"extra": 1}])
    def test_refuses_what_it_does_not_understand(self, site, body):
        response = site.send("POST", "", body)

        assert response.status_code == 400
        assert "JSON does not validate" in response.content.decode()

    def test_is_for_administrators_and_services(self, site):
        machine()
        body = {"project_id": "p", "user_id": "u", "resource_class": "baremetal"}

        assert site.send("POST", "", body, token="somebody").status_code == 403
        assert site.send("POST", "", body, token="").status_code == 401


class TestRelease:
    def test_gives_both_halves_back(self, site):
        node = machine()
        site.post()

        response = site.send("DELETE", f"/{INSTANCE.upper()}")

        node.refresh_from_db()
        assert response.status_code == 204
        assert (node.instance_uuid, Consumer.objects.count(), Inventory.objects.get().used) == (None, 0, 0)

    def test_that_is_repeated_cannot_rob_the_next_owner(self, site):
        node, other = machine(), new_uuid()
        site.post()
        site.send("DELETE", f"/{INSTANCE}")
        site.post(instance_uuid=other)

        again = site.send("DELETE", f"/{INSTANCE}")

        node.refresh_from_db()
        assert (again.status_code, node.instance_uuid) == (404, other)

    def test_of_a_node_in_use_is_refused_and_changes_nothing(self, site):
        """LP #1974070: freed in the books before it is free in fact."""
        node = machine()
        site.post()
        Node.objects.update(provision_state="active")

        response = site.send("DELETE", f"/{INSTANCE}")

        node.refresh_from_db()
        assert (response.status_code, node.instance_uuid) == (409, INSTANCE)
        assert Consumer.objects.count() == 1

    def test_waits_for_a_conductor_to_let_go_of_the_node(self, site, monkeypatch):
        node = machine()
        site.post()
        Node.objects.update(reservation="conductor-1")
        monkeypatch.setattr("ironic_app.locks.time.sleep", lambda seconds: Node.objects.update(reservation=None))

        response = site.send("DELETE", f"/{INSTANCE}")

        node.refresh_from_db()
        assert (response.status_code, node.instance_uuid) == (204, None)

    def test_of_a_node_that_stays_locked_says_that_it_may_be_free_soon(self, site, settings):
        settings.NODE_LOCK_WAIT_SECONDS = 0
        node = machine()
        site.post()
        Node.objects.update(reservation="conductor-1")

        response = site.send("DELETE", f"/{INSTANCE}")

        node.refresh_from_db()
        assert (response.status_code, response.headers["Retry-After"]) == (409, "1")
        assert "is locked by host conductor-1" in response.content.decode()
        assert node.instance_uuid == INSTANCE

    def test_cleans_up_half_a_claim_too(self, site):
        node = make_node(instance_uuid=INSTANCE)

        response = site.send("DELETE", f"/{INSTANCE}")

        node.refresh_from_db()
        assert (response.status_code, node.instance_uuid) == (204, None)


@pytest.mark.django_db(transaction=True)
def test_sixty_four_clients_racing_for_sixteen_nodes_make_sixteen_winners_and_both_services_agree():
    nodes = [machine(name=f"node-{number}") for number in range(16)]

    answers = together(lambda: Site().post(instance_uuid=new_uuid()) for _ in range(64))

    assert Counter(answer.status_code for answer in answers) == {201: 16, 409: 48}
    # Whoever lost is told what is final, not that somebody was in the way for a moment.
    assert not [answer for answer in answers if "somebody is at it" in answer.content.decode()]
    owners = dict(Node.objects.values_list("uuid", "instance_uuid"))
    holders = dict(Allocation.objects.values_list("provider__uuid", "consumer_id"))
    assert owners == holders
    assert set(owners) == {node.uuid for node in nodes}
    assert len(set(owners.values())) == 16
