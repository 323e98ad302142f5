"""The clients that the other tests speak through."""

import pytest

from tests.clients import PlacementClient


class TestPlacementClient:
    def test_speaks_the_newest_version_unless_told_otherwise(self, api):
        newest = api.get("/traits")
        older = api.get("/traits", version="1.6")
        oldest = api.get("/", version=None)

        assert newest.headers["OpenStack-API-Version"] == "placement 1.39"
        assert older.headers["OpenStack-API-Version"] == "placement 1.6"
        assert oldest.headers["OpenStack-API-Version"] == "placement 1.0"

    def test_shows_a_bug_as_the_answer_that_clients_get(self, api, monkeypatch):
        def bug(**_):
            raise RuntimeError("a bug")

        monkeypatch.setattr("placement_app.services.traits.find", bug)

        answer = api.get("/traits")

        assert answer.status_code == 500
        assert "a bug" not in answer.content.decode()

    @pytest.mark.parametrize(
        ("url", "path"),
        [
            ("/traits", "/placement/traits"),
            ("traits?name=in:A,B", "/placement/traits?name=in:A,B"),
            ("/placement/traits", "/placement/traits"),
            ("http://testserver/placement/traits/A", "/placement/traits/A"),
            ("", "/placement"),
            ("/", "/placement/"),
        ],
    )
    def test_takes_addresses_relative_to_the_service_and_the_services_own_links(self, settings, url, path):
        settings.PLACEMENT_PREFIX = "placement"

        assert PlacementClient().path(url) == path
