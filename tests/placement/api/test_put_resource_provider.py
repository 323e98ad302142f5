"""PUT /resource_providers/{uuid}."""

from __future__ import annotations

import pytest

from claimsite.foundation.uuids import new_uuid
from placement_app.models import ConflictRecord, ResourceProvider
from tests.builders import A_UUID, claim, inventory, provider, tree


def put(api, row: ResourceProvider, *parent: ResourceProvider | None, name: str | None = None):
    """Without a parent the body doesn't speak of one; None asks for none."""
    body: dict[str, str | None] = {"name": name or row.name}
    for wanted in parent:
        body["parent_provider_uuid"] = wanted.uuid if wanted else None
    return api.put(f"/resource_providers/{row.uuid}", body)


def detail(response) -> str:
    return response.json()["errors"][0]["detail"]


def shape() -> dict[str, tuple[str | None, str]]:
    """Name → names of parent and root."""
    rows = ResourceProvider.objects.select_related("parent", "root")
    return {row.name: (row.parent.name if row.parent else None, row.root.name) for row in rows}


class TestRenaming:
    def test_changes_the_name_and_nothing_else(self, api):
        members = tree({"root": {"child": {}}})

        response = put(api, members["child"], name="new")

        assert response.status_code == 200
        assert response.json() == api.get(f"/resource_providers/{members['child'].uuid}").json()
        assert (response.json()["name"], response.json()["generation"]) == ("new", 0)
        assert shape() == {"root": (None, "root"), "new": ("root", "root")}
        assert "location" not in response.headers

    def test_to_the_present_name_changes_nothing(self, api):
        host = provider()

        response = put(api, host)

        assert response.status_code == 200
        assert response.headers["last-modified"] == api.get(f"/resource_providers/{host.uuid}").headers["last-modified"]
        before = host.updated_at
        host.refresh_from_db()
        assert host.updated_at == before

    def test_to_a_name_that_is_taken_is_refused(self, api):
        """LP #1817833."""
        provider(name="host-a")
        host = provider(name="host-c")

        response = put(api, host, name="host-a")

        assert response.status_code == 409
        assert response.json()["errors"][0]["code"] == "placement.duplicate_name"
        assert "Conflicting resource provider name: host-a already exists" in detail(response)
        host.refresh_from_db()
        assert host.name == "host-c"
        assert ConflictRecord.objects.get().reason == "ProviderExists"

    def test_and_moving_happen_together_or_not_at_all(self, api):
        members = tree({"root": {}, "other": {}})

        response = put(api, members["other"], members["root"], name="root")

        assert response.status_code == 409
        assert shape()["other"] == (None, "other")


class TestMoving:
    def test_takes_all_below_along(self, api):
        members = tree({"a": {"b": {"c": {"d": {}}}, "e": {}}, "z": {"y": {}}})

        response = put(api, members["b"], members["y"])

        assert response.status_code == 200
        assert response.json()["parent_provider_uuid"] == members["y"].uuid
        assert response.json()["root_provider_uuid"] == members["z"].uuid
        assert shape() == {
            "a": (None, "a"),
            "e": ("a", "a"),
            "z": (None, "z"),
            "y": ("z", "z"),
            "b": ("y", "z"),
            "c": ("b", "z"),
            "d": ("c", "z"),
        }

    def test_within_the_tree_keeps_the_root(self, api):
        members = tree({"a": {"b": {"c": {}}, "d": {}}})

        put(api, members["b"], members["d"])

        assert shape() == {"a": (None, "a"), "d": ("a", "a"), "b": ("d", "a"), "c": ("b", "a")}

    def test_out_of_the_tree_makes_a_root(self, api):
        members = tree({"a": {"b": {"c": {}}}})

        response = put(api, members["b"], None)

        assert response.json()["parent_provider_uuid"] is None
        assert shape() == {"a": (None, "a"), "b": (None, "b"), "c": ("b", "b")}

    def test_of_a_whole_tree_below_another(self, api):
        members = tree({"a": {"b": {}}, "z": {"y": {}}})

        put(api, members["a"], members["y"])

        assert shape() == {"z": (None, "z"), "y": ("z", "z"), "a": ("y", "z"), "b": ("a", "z")}

    def test_to_where_it_is_changes_nothing(self, api):
        members = tree({"a": {"b": {}}})

        assert put(api, members["b"], members["a"]).status_code == 200
        assert put(api, members["a"], None).status_code == 200
        assert shape() == {"a": (None, "a"), "b": ("a", "a")}

    def test_moves_no_generation_and_leaves_what_the_providers_have(self, api):
        members = tree({"a": {"b": {}}, "z": {}})
        inventory(members["b"], "VCPU", total=4)
        api.put(f"/allocations/{new_uuid()}", claim({members["b"]: {"VCPU": 1}}))

        put(api, members["a"], members["z"])

        assert sorted(ResourceProvider.objects.values_list("name", "generation")) == [("a", 0), ("b", 1), ("z", 0)]
        usages = api.get(f"/resource_providers/{members['b'].uuid}/usages").json()["usages"]
        assert usages == {"VCPU": 1}

    def test_costs_the_same_queries_for_any_size_of_tree(self, api, django_assert_num_queries):
        members = tree({"a": {"b": {"c": {}, "d": {}, "e": {"f": {"g": {}}}}}, "z": {}})

        # A savepoint around two statements to lock and check the trees, one for those below, one for the provider,
        # and a line in its history.
        with django_assert_num_queries(7):
            put(api, members["b"], members["z"])
        with django_assert_num_queries(7):
            put(api, members["f"], members["a"])

    @pytest.mark.parametrize(
        ("name", "parent"), [("a", "a"), ("a", "b"), ("a", "c"), ("b", "b"), ("b", "c"), ("c", "c")]
    )
    def test_below_itself_is_refused(self, api, name, parent):
        """LP #1779635: a provider became its own ancestor."""
        members = tree({"a": {"b": {"c": {}}}})
        before = shape()

        response = put(api, members[name], members[parent])

        assert response.status_code == 400
        assert "creating loop in the provider tree is not allowed." in detail(response)
        assert shape() == before

    def test_below_nobody_is_refused(self, api):
        host = provider()

        response = api.put(f"/resource_providers/{host.uuid}", {"name": "a", "parent_provider_uuid": new_uuid()})

        assert response.status_code == 400
        assert "parent provider UUID does not exist" in detail(response)

    def test_takes_any_spelling_of_a_uuid(self, api):
        members = tree({"a": {}, "b": {}})
        spelled = members["a"].uuid.upper().replace("-", "")

        api.put(
            f"/resource_providers/{members['b'].uuid.upper()}",
            {"name": "b", "parent_provider_uuid": spelled},
        )

        assert shape()["b"] == ("a", "a")


class TestARefusal:
    @pytest.mark.parametrize(
        "body",
        [
            {},
            {"name": ""},
            {"name": "x" * 201},
            {"name": "a", "uuid": A_UUID},
            {"name": "a", "root_provider_uuid": A_UUID},
            {"name": "a", "parent_provider_uuid": "b"},
            {"parent_provider_uuid": None},
            [],
        ],
    )
    def test_of_what_does_not_fit(self, api, body):
        host = provider(name="host-a")

        response = api.put(f"/resource_providers/{host.uuid}", body)

        assert response.status_code == 400
        assert "JSON does not validate" in detail(response)
        host.refresh_from_db()
        assert host.name == "host-a"

    @pytest.mark.parametrize("body", [{"name": "a"}, {"name": "a", "parent_provider_uuid": None}, {"bad": 1}, "{"])
    def test_of_an_unknown_provider_comes_first(self, api, body):
        response = api.put(f"/resource_providers/{new_uuid()}", body)

        assert response.status_code == 404
        assert "No resource provider with uuid" in detail(response)
