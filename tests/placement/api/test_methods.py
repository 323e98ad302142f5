"""Which path knows which methods: the same at every version."""

from __future__ import annotations

import pytest

PROVIDER = "/resource_providers/c0ffee00-0000-4000-8000-000000000001"
PATHS = {
    "/": "GET",
    "/resource_providers": "GET, POST",
    PROVIDER: "GET, PUT, DELETE",
    f"{PROVIDER}/inventories": "GET, POST, PUT, DELETE",
    f"{PROVIDER}/inventories/VCPU": "GET, PUT, DELETE",
    f"{PROVIDER}/usages": "GET",
    f"{PROVIDER}/aggregates": "GET, PUT",
    f"{PROVIDER}/traits": "GET, PUT, DELETE",
    f"{PROVIDER}/allocations": "GET",
    "/resource_classes": "GET, POST",
    "/resource_classes/VCPU": "GET, PUT, DELETE",
    "/traits": "GET",
    "/traits/CUSTOM_A": "GET, PUT, DELETE",
    "/allocations": "POST",
    "/allocations/c0ffee00-0000-4000-8000-000000000002": "GET, PUT, DELETE",
    "/allocation_candidates": "GET",
    "/usages": "GET",
    "/reshaper": "POST",
}


@pytest.mark.parametrize("path", PATHS)
class TestAPath:
    @pytest.mark.parametrize("version", ["1.0", "1.39"])
    def test_names_its_methods_when_asked_for_another(self, api, path, version):
        methods = {"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"} - set(PATHS[path].split(", "))

        answers = {method: api.send(method, path, {}, version=version) for method in methods}

        assert {answer.status_code for answer in answers.values()} == {405}
        assert {answer.headers["allow"] for answer in answers.values()} == {PATHS[path]}
        assert {answer.headers["openstack-api-version"] for answer in answers.values()} == {f"placement {version}"}
        text = answers["PATCH"].json()["errors"][0]["detail"]
        assert "The method PATCH is not allowed for this resource." in text

    def test_does_not_bear_a_slash_at_its_end(self, api, path):
        if path != "/":
            assert api.get(f"{path}/").status_code == 404
