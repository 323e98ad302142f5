"""POST /reshaper."""

from __future__ import annotations

import pytest

from claimsite.foundation.uuids import new_uuid
from placement_app.models import ClaimEvent, Consumer, Inventory
from tests.builders import claim, provider

ONE = "11111111-aaaa-4aaa-8aaa-111111111111"
TWO = "22222222-bbbb-4bbb-8bbb-222222222222"


def code(response) -> str:
    return response.json()["errors"][0]["code"]


def shape(row, generation=None, **totals) -> dict:
    row.refresh_from_db()
    return {
        row.uuid: {
            "resource_provider_generation": row.generation if generation is None else generation,
            "inventories": {name.upper(): {"total": total} for name, total in totals.items()},
        }
    }


def stock(row) -> dict[str, tuple[int, int]]:
    return {each.resource_class_id: (each.total, each.used) for each in Inventory.objects.filter(provider=row)}


def reshape(api, body, **options):
    """By policy the reshaper is for other services only."""
    return api.post("/reshaper", body, headers={"X-Roles": "service"}, **options)


@pytest.fixture
def host(db):
    return provider(vcpu=8, vgpu=4)


@pytest.fixture
def child(host):
    return provider(parent=host)


class TestReshaper:
    def test_moves_inventory_and_what_is_claimed_of_it_in_one_step(self, api, host, child):
        api.put(f"/allocations/{ONE}", claim({host: {"VCPU": 2, "VGPU": 3}}))

        response = reshape(
            api,
            {
                "inventories": {**shape(host, vcpu=8), **shape(child, vgpu=4)},
                "allocations": {ONE: claim({host: {"VCPU": 2}, child: {"VGPU": 3}}, generation=1)},
            },
        )

        assert (response.status_code, response.content) == (204, b"")
        assert (stock(host), stock(child)) == ({"VCPU": (8, 2)}, {"VGPU": (4, 3)})
        assert api.get(f"/allocations/{ONE}").json()["consumer_generation"] == 2

    def test_moves_generations_for_each_step_that_touches_a_provider(self, api, host, child):
        api.put(f"/allocations/{ONE}", claim({host: {"VGPU": 3}}))

        reshape(
            api,
            {
                "inventories": {**shape(host), **shape(child, vgpu=4)},
                "allocations": {ONE: claim({child: {"VGPU": 3}}, generation=1)},
            },
        )

        host.refresh_from_db()
        child.refresh_from_db()
        assert (host.generation, child.generation) == (1 + 1, 3)

    @pytest.mark.parametrize("fault", ["forgotten consumer", "provider generation", "consumer generation"])
    def test_that_forgets_or_misjudges_somebody_changes_nothing(self, api, host, child, fault):
        """Nova spec reshape-provider-tree: the inventory of a forgotten consumer must not be pulled away beneath it."""
        api.put(f"/allocations/{ONE}", claim({host: {"VGPU": 1}}))
        api.put(f"/allocations/{TWO}", claim({host: {"VGPU": 2}}))
        moved = {
            ONE: claim({child: {"VGPU": 1}}, generation=1),
            TWO: claim({child: {"VGPU": 2}}, generation=7 if fault == "consumer generation" else 1),
        }
        if fault == "forgotten consumer":
            del moved[TWO]

        response = reshape(
            api,
            {
                "inventories": {
                    **shape(host, vcpu=8),
                    **shape(child, generation=99 if fault == "provider generation" else 0, vgpu=4),
                },
                "allocations": moved,
            },
        )

        wire = "placement.inventory.inuse" if fault == "forgotten consumer" else "placement.concurrent_update"
        assert (response.status_code, code(response)) == (409, wire)
        assert (stock(host), stock(child)) == ({"VCPU": (8, 0), "VGPU": (4, 3)}, {})
        assert dict(Consumer.objects.values_list("uuid", "generation")) == {ONE: 1, TWO: 1}

    def test_judges_the_providers_generation_before_the_consumers(self, api, host):
        api.put(f"/allocations/{ONE}", claim({host: {"VGPU": 1}}))

        response = reshape(
            api,
            {
                "inventories": shape(host, generation=99, vcpu=8),
                "allocations": {ONE: claim({host: {"VCPU": 1}}, generation=99)},
            },
        )

        assert "resource provider generation conflict" in response.content.decode()
        assert "actual: 1, given: 99" in response.content.decode()

    def test_of_an_unknown_provider_has_a_code_of_its_own(self, api):
        unknown = new_uuid()

        response = reshape(
            api,
            {
                "inventories": {unknown: {"resource_provider_generation": 0, "inventories": {}}},
                "allocations": {},
            },
        )

        assert (response.status_code, code(response)) == (400, "placement.resource_provider.not_found")

    def test_with_claims_that_do_not_fit_leaves_no_new_consumer(self, api, host):
        response = reshape(
            api,
            {"inventories": shape(host, vcpu=8), "allocations": {ONE: claim({host: {"VCPU": 9}})}},
        )

        assert response.status_code == 409
        assert "Unable to allocate inventory" in response.content.decode()
        assert (Consumer.objects.count(), ClaimEvent.objects.count()) == (0, 0)
        assert stock(host) == {"VCPU": (8, 0), "VGPU": (4, 0)}

    def test_takes_away_a_claim_and_its_inventory_together(self, api, host):
        api.put(f"/allocations/{ONE}", claim({host: {"VGPU": 3}}))

        response = reshape(
            api,
            {"inventories": shape(host, vcpu=8), "allocations": {ONE: claim({}, generation=1)}},
        )

        assert response.status_code == 204
        assert stock(host) == {"VCPU": (8, 0)}
        assert Consumer.objects.count() == 0

    def test_did_not_exist_before_1_30(self, api):
        assert reshape(api, {}, version="1.29").status_code == 404

    @pytest.mark.parametrize(
        "body",
        [{}, {"inventories": {}, "allocations": {}}, {"inventories": {"x": {}}, "allocations": {}}, []],
    )
    def test_refuses_what_it_does_not_understand(self, api, body):
        response = reshape(api, body)

        assert response.status_code == 400
        assert "JSON does not validate" in response.content.decode()
