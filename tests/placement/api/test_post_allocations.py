"""POST /allocations: many consumers, all or nothing."""

from __future__ import annotations

import pytest

from claimsite.foundation.uuids import new_uuid
from placement_app.models import Allocation, Consumer, Inventory
from tests.builders import claim, provider

ONE = "11111111-aaaa-4aaa-8aaa-111111111111"
TWO = "22222222-bbbb-4bbb-8bbb-222222222222"


def code(response) -> str:
    return response.json()["errors"][0]["code"]


class TestPostAllocations:
    def test_writes_all_claims_and_moves_each_provider_once(self, api):
        host = provider(vcpu=4)

        response = api.post("/allocations", {ONE: claim({host: {"VCPU": 1}}), TWO: claim({host: {"VCPU": 3}})})

        assert (response.status_code, response.content) == (204, b"")
        host.refresh_from_db()
        assert host.generation == 1
        assert Inventory.objects.get().used == 4
        assert api.get(f"/allocations/{TWO}").json()["consumer_generation"] == 1

    def test_judges_capacity_over_the_sum_of_all_claims(self, api):
        """LP #1778743: each claim alone would fit, together they exceed the inventory."""
        host = provider(vcpu=4)

        refused = api.post("/allocations", {ONE: claim({host: {"VCPU": 3}}), TWO: claim({host: {"VCPU": 3}})})
        nobody = Consumer.objects.count()
        taken = api.post("/allocations", {ONE: claim({host: {"VCPU": 2}}), TWO: claim({host: {"VCPU": 2}})})

        assert (refused.status_code, code(refused)) == (409, "placement.undefined_code")
        assert nobody == 0
        assert taken.status_code == 204

    def test_moves_a_claim_to_another_consumer_on_a_full_provider(self, api):
        """LP #1785841: the end of one lease and the start of the next in one breath."""
        host = provider(vcpu=4)
        api.put(f"/allocations/{ONE}", claim({host: {"VCPU": 4}}))

        response = api.post("/allocations", {TWO: claim({host: {"VCPU": 4}}), ONE: claim({}, generation=1)})

        assert response.status_code == 204
        assert api.get(f"/allocations/{ONE}").json() == {"allocations": {}}
        assert Inventory.objects.get().used == 4

    def test_with_one_wrong_generation_changes_nothing(self, api):
        """Nova spec post-allocations: a swap must not half happen."""
        host = provider(vcpu=4)
        api.put(f"/allocations/{ONE}", claim({host: {"VCPU": 2}}))

        refused = api.post(
            "/allocations", {ONE: claim({}, generation=1), TWO: claim({host: {"VCPU": 2}}, generation=99)}
        )

        assert (refused.status_code, code(refused)) == (409, "placement.concurrent_update")
        assert list(Consumer.objects.values_list("uuid", "generation")) == [(ONE, 1)]
        host.refresh_from_db()
        assert host.generation == 1

    @pytest.mark.parametrize(
        "broken", [{"VCPU": 100}, {"CUSTOM_NONE": 1}, {"DISK_GB": 1}], ids=["no room", "unknown class", "no inventory"]
    )
    def test_leaves_none_of_its_new_consumers_behind_when_one_claim_fails(self, api, broken):
        host = provider(vcpu=4)
        many = {new_uuid(): claim({host: {"VCPU": 1}}) for _ in range(3)}

        refused = api.post("/allocations", {**many, ONE: claim({host: broken})})

        assert refused.status_code in {400, 409}
        assert (Consumer.objects.count(), Allocation.objects.count()) == (0, 0)
        assert api.post("/allocations", many).status_code == 204

    def test_with_an_unknown_provider_is_a_400_and_leaves_nothing(self, api):
        host = provider(vcpu=4)

        refused = api.post("/allocations", {ONE: claim({host: {"VCPU": 1}}), TWO: claim({new_uuid(): {"VCPU": 1}})})

        assert refused.status_code == 400
        assert Consumer.objects.count() == 0

    def test_names_one_consumer_in_two_spellings_is_a_400(self, api):
        host = provider(vcpu=4)

        response = api.post("/allocations", {ONE: claim({host: {"VCPU": 1}}), ONE.upper(): claim({host: {"VCPU": 1}})})

        assert response.status_code == 400
        assert Consumer.objects.count() == 0

    @pytest.mark.parametrize(
        "body",
        [{}, [], '"text"', {ONE: {}}, {"no-uuid": claim({})}, {"-" * 36: claim({})}, {ONE: {**claim({}), "extra": 1}}],
    )
    def test_refuses_what_is_no_claim(self, api, body):
        """LP #1714072, LP #1708260: empty parts of a claim once were a 500."""
        response = api.post("/allocations", body)

        assert response.status_code == 400
        assert "JSON does not validate" in response.content.decode()

    def test_of_nothing_for_a_consumer_never_seen_leaves_no_trace(self, api):
        response = api.post("/allocations", {ONE: claim({})})

        assert response.status_code == 204
        assert Consumer.objects.count() == 0

    def test_did_not_exist_before_1_13(self, api):
        assert api.post("/allocations", {}, version="1.12").status_code == 404

    def test_takes_empty_claims_at_every_version(self, api):
        host = provider(vcpu=4)
        api.put(f"/allocations/{ONE}", claim({host: {"VCPU": 2}}))

        response = api.post(
            "/allocations", {ONE: {"allocations": {}, "project_id": "p", "user_id": "u"}}, version="1.13"
        )

        assert response.status_code == 204
        assert Consumer.objects.count() == 0
