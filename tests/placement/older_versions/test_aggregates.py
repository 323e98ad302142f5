"""What was different about aggregates in older versions: a bare list, guarded by nothing."""

from __future__ import annotations

import pytest

from claimsite.foundation.uuids import new_uuid
from tests.builders import provider

ONE, TWO = new_uuid(), new_uuid()


def url(host) -> str:
    return f"/resource_providers/{host.uuid}/aggregates"


class TestTheBareList:
    @pytest.mark.parametrize("version", ["1.1", "1.18"])
    def test_replaces_them_and_moves_no_generation(self, api, version):
        host = provider(aggregates=(TWO,))

        response = api.put(url(host), [ONE], version=version)

        assert response.json() == {"aggregates": [ONE]} == api.get(url(host), version=version).json()
        host.refresh_from_db()
        assert host.generation == 0

    @pytest.mark.parametrize(
        ("sent", "text"),
        [
            (["x"], "is not a 'uuid'"),
            ([ONE, ONE], "has non-unique elements"),
            ({"aggregates": [ONE], "resource_provider_generation": 0}, "is not of type 'array'"),
            ("{", "Malformed JSON"),
        ],
    )
    def test_is_the_only_form(self, api, sent, text):
        response = api.put(url(provider()), sent, version="1.18")

        assert response.status_code == 400
        assert text in response.json()["errors"][0]["detail"]

    def test_has_no_cache_headers_before_1_15(self, api):
        host = provider()

        for response in (api.get(url(host), version="1.14"), api.put(url(host), [ONE], version="1.14")):
            assert not {"last-modified", "cache-control"} & {name.lower() for name in response.headers}


class TestTheRoute:
    def test_came_with_1_1(self, api):
        host = provider()

        assert [api.get(url(host), version=version).status_code for version in ("1.0", "1.1")] == [404, 200]

    def test_tells_of_a_wrong_media_type_before_it_tells_of_the_version(self, api):
        """The one route that always has."""
        host = provider()

        assert api.get(url(host), version="1.0", headers={"Accept": "text/plain"}).status_code == 406
        assert api.put(url(host), "[]", version="1.0", content_type="text/plain").status_code == 415
        assert api.put(url(host), "[]", version="1.0").status_code == 404
