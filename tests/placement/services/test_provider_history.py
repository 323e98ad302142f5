"""The history of what providers are and have."""

from __future__ import annotations

import pytest

from claimsite.foundation.uuids import new_uuid
from placement_app.models import ProviderEvent
from tests.builders import claim, provider, tree


def events(host) -> list[tuple[str, int, dict, dict]]:
    """Subject, generation after the write, before, after; oldest first."""
    rows = ProviderEvent.objects.filter(provider_uuid=host.uuid).order_by("pk")
    return [(row.subject, row.generation, row.before, row.after) for row in rows]


class TestTheHistory:
    def test_tells_of_inventories_only_what_differs(self, api):
        host = provider(vcpu=4, disk_gb=10)
        url = f"/resource_providers/{host.uuid}/inventories"

        api.put(
            url,
            {"resource_provider_generation": 0, "inventories": {"VCPU": {"total": 8}, "DISK_GB": {"total": 10}}},
        )
        api.delete(f"{url}/DISK_GB")

        record = {"reserved": 0, "min_unit": 1, "max_unit": 2147483647, "step_size": 1, "allocation_ratio": 1.0}
        assert events(host) == [
            ("inventories", 1, {"VCPU": {"total": 4, **record}}, {"VCPU": {"total": 8, **record}}),
            ("inventories", 2, {"DISK_GB": {"total": 10, **record}}, {}),
        ]

    def test_tells_of_traits_and_aggregates_which_came_and_went(self, api):
        old, new = new_uuid(), new_uuid()
        host = provider(traits=("CUSTOM_A", "CUSTOM_B"), aggregates=(old,))
        url = f"/resource_providers/{host.uuid}"

        api.put(f"{url}/traits", {"traits": ["CUSTOM_B", "HW_CPU_X86_AVX2"], "resource_provider_generation": 0})
        api.put(f"{url}/aggregates", {"aggregates": [new], "resource_provider_generation": 1})

        assert events(host) == [
            ("traits", 1, {"CUSTOM_A": True}, {"HW_CPU_X86_AVX2": True}),
            ("aggregates", 2, {old: True}, {new: True}),
        ]

    def test_tells_of_a_provider_from_its_beginning_to_its_end(self, api):
        members = tree({"root": {}})
        document = api.post("/resource_providers", {"name": "a"}).json()
        url = f"/resource_providers/{document['uuid']}"

        api.put(url, {"name": "b", "parent_provider_uuid": members["root"].uuid})
        api.delete(url)

        rows = ProviderEvent.objects.filter(provider_uuid=document["uuid"]).order_by("pk")
        assert [(row.before.get("name"), row.after.get("name")) for row in rows] == [
            (None, "a"),
            ("a", "b"),
            ("b", None),
        ]

    @pytest.mark.parametrize("part", ["inventories", "traits", "aggregates"])
    def test_is_silent_where_nothing_changed(self, api, part):
        host = provider()

        api.put(
            f"/resource_providers/{host.uuid}/{part}",
            {part: {} if part == "inventories" else [], "resource_provider_generation": 0},
        )

        assert events(host) == []

    def test_knows_nothing_of_what_was_refused(self, api):
        host = provider(vcpu=4)
        api.put(f"/allocations/{new_uuid()}", claim({host: {"VCPU": 1}}))

        api.delete(f"/resource_providers/{host.uuid}/inventories")

        assert events(host) == []

    def test_says_who_it_was_and_under_which_request(self, api):
        host = provider()

        response = api.put(f"/resource_providers/{host.uuid}", {"name": "new"}, token="admin")

        event = ProviderEvent.objects.get()
        assert (event.actor, event.door) == ("admin", "placement")
        assert event.request_id == response.headers["x-openstack-request-id"]
