"""DELETE /resource_providers/{uuid}."""

from __future__ import annotations

from claimsite.foundation.uuids import new_uuid
from placement_app.models import ConflictRecord, Inventory, ProviderAggregate, ProviderTrait, ResourceProvider, Trait
from tests.builders import claim, provider, tree


def error(response) -> dict:
    return response.json()["errors"][0]


class TestDeleting:
    def test_takes_inventory_traits_and_aggregates_along(self, api):
        """LP #1727719, LP #1647697, LP #1739571: each, and the root that it was itself, once stood in the way."""
        aggregate = new_uuid()
        host = provider(name="host-a", vcpu=4, traits=("CUSTOM_GOLD",), aggregates=(aggregate,))
        other = provider(vcpu=4, traits=("CUSTOM_GOLD",), aggregates=(aggregate,))

        response = api.delete(f"/resource_providers/{host.uuid}")

        assert (response.status_code, response.content) == (204, b"")
        assert not {"content-type", "last-modified"} & {name.lower() for name in response.headers}
        assert api.get(f"/resource_providers/{host.uuid}").status_code == 404
        left = [
            model.objects.values_list("provider", flat=True) for model in (Inventory, ProviderTrait, ProviderAggregate)
        ]
        assert [list(ids) for ids in left] == [[other.pk]] * 3
        assert Trait.objects.filter(name="CUSTOM_GOLD").exists()

    def test_sets_name_and_uuid_free(self, api):
        host = provider(name="host-a")
        api.delete(f"/resource_providers/{host.uuid}")

        response = api.post("/resource_providers", {"name": "host-a", "uuid": host.uuid})

        assert response.status_code == 200

    def test_of_leaves_first_takes_down_a_tree(self, api):
        members = tree({"root": {"child": {"leaf": {}}}})

        answers = [
            api.delete(f"/resource_providers/{members[name].uuid.upper()}").status_code
            for name in ("leaf", "child", "root")
        ]

        assert answers == [204, 204, 204]

    def test_is_possible_once_the_claims_are_gone(self, api):
        host, consumer = provider(vcpu=4), new_uuid()
        api.put(f"/allocations/{consumer}", claim({host: {"VCPU": 1}}))
        api.delete(f"/allocations/{consumer}")

        assert api.delete(f"/resource_providers/{host.uuid}").status_code == 204


class TestARefusal:
    def test_for_claims_removes_nothing(self, api):
        """LP #1763183: providers of hosts that are gone stay for as long as somebody holds some of them."""
        host = provider(vcpu=4, traits=("CUSTOM_GOLD",))
        api.put(f"/allocations/{new_uuid()}", claim({host: {"VCPU": 1}}))

        response = api.delete(f"/resource_providers/{host.uuid}")

        assert (response.status_code, error(response)["code"]) == (409, "placement.resource_provider.inuse")
        text = f"Unable to delete resource provider {host.uuid}: Resource provider has allocations."
        assert text in error(response)["detail"]
        assert Inventory.objects.get().provider == ProviderTrait.objects.get().provider == host
        assert ConflictRecord.objects.get().provider_uuid == host.uuid

    def test_for_children_comes_before_that_for_claims(self, api):
        root = provider(vcpu=4)
        provider(parent=root)
        api.put(f"/allocations/{new_uuid()}", claim({root: {"VCPU": 1}}))

        response = api.delete(f"/resource_providers/{root.uuid}")

        code = "placement.resource_provider.cannot_delete_parent"
        assert (response.status_code, error(response)["code"]) == (409, code)
        text = f"Unable to delete parent resource provider {root.uuid}: It has child resource providers."
        assert text in error(response)["detail"]
        assert ResourceProvider.objects.count() == 2

    def test_of_an_unknown_provider(self, api):
        unknown = new_uuid()

        response = api.delete(f"/resource_providers/{unknown}")

        assert response.status_code == 404
        assert f"No resource provider with uuid {unknown} found for delete" in error(response)["detail"]
