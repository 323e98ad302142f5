"""What was different about providers in older versions."""

from __future__ import annotations

import pytest

from tests.builders import A_UUID, ANOTHER_UUID, provider, tree

URL = "/resource_providers"


class TestTheDocument:
    @pytest.mark.parametrize(
        ("version", "expected"),
        [
            ("1.0", ["self", "inventories", "usages"]),
            ("1.1", ["self", "inventories", "usages", "aggregates"]),
            ("1.6", ["self", "inventories", "usages", "aggregates", "traits"]),
            ("1.11", ["self", "inventories", "usages", "aggregates", "traits", "allocations"]),
        ],
    )
    def test_links_to_what_the_version_knows(self, api, version, expected):
        host = provider()

        one = api.get(f"{URL}/{host.uuid}", version=version).json()

        assert [link["rel"] for link in one["links"]] == expected
        assert api.get(URL, version=version).json() == {"resource_providers": [one]}

    def test_knows_no_trees_before_1_14(self, api):
        host = provider()

        old, new = (api.get(f"{URL}/{host.uuid}", version=version).json() for version in ("1.13", "1.14"))

        assert new.keys() - old.keys() == {"parent_provider_uuid", "root_provider_uuid"}

    @pytest.mark.parametrize("path", [URL, f"{URL}/{{0}}"])
    def test_has_no_cache_headers_before_1_15(self, api, path):
        """LP #1632852."""
        host = provider()

        headers = api.get(path.format(host.uuid), version="1.14").headers

        assert not {"last-modified", "cache-control"} & {name.lower() for name in headers}
        assert headers["vary"] == "openstack-api-version"


class TestPost:
    def test_answers_without_a_body_before_1_20(self, api):
        response = api.post(URL, {"name": "host-a"}, version="1.19")

        assert (response.status_code, response.content) == (201, b"")
        assert not {"content-type", "last-modified"} & {name.lower() for name in response.headers}
        assert api.get(response.headers["location"]).json()["name"] == "host-a"

    def test_knows_no_parent_before_1_14(self, api):
        root = provider()

        response = api.post(URL, {"name": "child", "parent_provider_uuid": root.uuid}, version="1.13")

        assert response.status_code == 400
        assert "Additional properties are not allowed" in response.json()["errors"][0]["detail"]

    def test_refuses_without_a_code_before_1_23(self, api):
        """LP #1778929: before there were codes, clients read the text."""
        provider(name="host-a")

        old, new = (api.post(URL, {"name": "host-a"}, version=version).json() for version in ("1.22", "1.23"))

        assert "code" not in old["errors"][0]
        assert new["errors"][0]["code"] == "placement.duplicate_name"
        assert old["errors"][0].keys() == {"status", "title", "detail", "request_id"}


class TestPut:
    def test_keeps_the_parent_where_none_can_be_named(self, api):
        members = tree({"root": {"child": {}}})
        url = f"{URL}/{members['child'].uuid}"

        response = api.put(url, {"name": "new"}, version="1.13")

        assert response.status_code == 200
        assert api.get(url).json()["parent_provider_uuid"] == members["root"].uuid
        assert api.put(url, {"name": "new", "parent_provider_uuid": None}, version="1.13").status_code == 400

    def test_lets_a_root_get_a_parent_from_1_14(self, api):
        members = tree({"root": {}, "other": {"child": {}}})

        response = api.put(
            f"{URL}/{members['other'].uuid}",
            {"name": "other", "parent_provider_uuid": members["root"].uuid},
            version="1.14",
        )

        assert response.status_code == 200
        child = api.get(f"{URL}/{members['child'].uuid}").json()
        assert child["root_provider_uuid"] == members["root"].uuid

    def test_keeps_a_child_with_its_parent_before_1_37(self, api):
        members = tree({"root": {"child": {}}, "other": {}})
        url = f"{URL}/{members['child'].uuid}"

        def put(parent):
            return api.put(url, {"name": "child", "parent_provider_uuid": parent}, version="1.36")

        to_another, to_none, to_the_same = (
            put(parent) for parent in (members["other"].uuid, None, members["root"].uuid)
        )

        assert (to_another.status_code, to_none.status_code, to_the_same.status_code) == (400, 400, 200)
        assert "re-parenting a provider is not currently allowed" in to_another.json()["errors"][0]["detail"]
        assert "un-parenting a provider is not currently allowed" in to_none.json()["errors"][0]["detail"]

    def test_sees_loops_at_any_version(self, api):
        members = tree({"root": {"child": {}}})

        response = api.put(
            f"{URL}/{members['root'].uuid}",
            {"name": "root", "parent_provider_uuid": members["child"].uuid},
            version="1.14",
        )

        assert response.status_code == 400
        assert "creating loop in the provider tree is not allowed." in response.json()["errors"][0]["detail"]


class TestTheFilters:
    @pytest.mark.parametrize(
        ("parameter", "last_without", "first_with"),
        [
            (f"member_of={A_UUID}", "1.2", "1.3"),
            ("resources=VCPU:1", "1.3", "1.4"),
            (f"in_tree={A_UUID}", "1.13", "1.14"),
            ("required=HW_CPU_X86_AVX2", "1.17", "1.18"),
            ("required=!HW_CPU_X86_AVX2", "1.21", "1.22"),
            (f"member_of={A_UUID}&member_of={ANOTHER_UUID}", "1.23", "1.24"),
            (f"member_of=!{A_UUID}", "1.31", "1.32"),
            (f"member_of=!in:{A_UUID},{ANOTHER_UUID}", "1.31", "1.32"),
            ("required=in:HW_CPU_X86_AVX2,HW_CPU_X86_AVX", "1.38", "1.39"),
        ],
    )
    def test_came_one_by_one(self, api, parameter, last_without, first_with):
        answers = [api.get(f"{URL}?{parameter}", version=version).status_code for version in (last_without, first_with)]

        assert answers == [400, 200]

    def test_of_the_first_version_are_name_and_uuid(self, api):
        host = provider(name="a")
        provider(name="b")

        response = api.get(f"{URL}?name=a&uuid={host.uuid}", version="1.0")

        assert [document["name"] for document in response.json()["resource_providers"]] == ["a"]
