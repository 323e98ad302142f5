"""GET, PUT and DELETE /resource_providers/{uuid}/traits."""

from __future__ import annotations

import pytest

from claimsite.foundation.uuids import new_uuid
from placement_app.models import ProviderTrait, ResourceProvider
from tests.builders import provider

FAST, SHARING, CUSTOM = "HW_CPU_X86_AVX2", "MISC_SHARES_VIA_AGGREGATE", "CUSTOM_GOLD"


def url(host: ResourceProvider) -> str:
    return f"/resource_providers/{host.uuid}/traits"


def body(generation: int, *traits: str) -> dict:
    return {"traits": traits, "resource_provider_generation": generation}


def error(response) -> dict:
    return response.json()["errors"][0]


def generation(host: ResourceProvider) -> int:
    host.refresh_from_db()
    return host.generation


class TestGet:
    def test_shows_them_in_the_order_of_the_vocabulary(self, api):
        host = provider(traits=(CUSTOM, SHARING, FAST))

        response = api.get(url(host))

        assert response.json() == {"traits": [FAST, SHARING, CUSTOM], "resource_provider_generation": 0}
        assert {"last-modified", "cache-control"} <= {name.lower() for name in response.headers}

    def test_costs_one_query(self, api, django_assert_num_queries):
        host = provider(traits=(CUSTOM, SHARING, FAST))

        with django_assert_num_queries(1):
            api.get(url(host))

    def test_is_dated_also_when_there_are_none(self, api):
        response = api.get(url(provider()))

        assert response.json()["traits"] == []
        assert "last-modified" in response.headers

    def test_of_an_unknown_provider_is_not_found(self, api):
        response = api.get(f"/resource_providers/{new_uuid()}/traits")

        assert response.status_code == 404
        assert "No resource provider with uuid" in error(response)["detail"]

    def test_came_with_1_6(self, api):
        host = provider()

        assert [api.get(url(host), version=version).status_code for version in ("1.5", "1.6")] == [404, 200]


class TestPut:
    def test_replaces_them(self, api):
        host = provider(traits=(FAST, CUSTOM))
        kept = ProviderTrait.objects.get(trait__name=CUSTOM).pk

        response = api.put(url(host), body(0, CUSTOM, SHARING))

        assert response.status_code == 200
        assert response.json() == {"traits": [SHARING, CUSTOM], "resource_provider_generation": 1}
        assert api.get(url(host)).json() == response.json()
        assert ProviderTrait.objects.get(trait__name=CUSTOM).pk == kept

    def test_of_the_same_set_keeps_the_generation(self, api):
        host = provider(traits=(FAST, CUSTOM))

        response = api.put(url(host), body(0, CUSTOM, FAST, CUSTOM))

        assert response.json() == {"traits": [FAST, CUSTOM], "resource_provider_generation": 0}
        assert generation(host) == 0

    def test_returns_the_generation_for_the_next_write(self, api):
        """LP #1655761."""
        host = provider()

        first = api.put(url(host), body(0, FAST)).json()
        second = api.put(url(host), body(first["resource_provider_generation"], SHARING))

        assert second.status_code == 200
        assert second.json()["resource_provider_generation"] == generation(host) == 2

    def test_of_none_clears_them(self, api):
        host = provider(traits=(FAST,))

        assert api.put(url(host), body(0)).json() == {"traits": [], "resource_provider_generation": 1}

    def test_of_an_old_generation_changes_nothing(self, api):
        """LP #1728722: this 409 is for trying again."""
        host = provider(traits=(FAST,))

        response = api.put(url(host), body(7, SHARING))

        assert (response.status_code, error(response)["code"]) == (409, "placement.concurrent_update")
        text = "Resource provider's generation already changed. Please update the generation and try again."
        assert text in error(response)["detail"]
        assert api.get(url(host)).json() == {"traits": [FAST], "resource_provider_generation": 0}

    def test_of_traits_nobody_knows_names_all_of_them(self, api):
        host = provider(traits=(FAST,))

        response = api.put(url(host), body(0, "CUSTOM_B", SHARING, "CUSTOM_A"))

        assert response.status_code == 400
        assert "No such trait CUSTOM_A, CUSTOM_B" in error(response)["detail"]
        assert api.get(url(host)).json() == {"traits": [FAST], "resource_provider_generation": 0}

    @pytest.mark.parametrize(
        ("sent", "text"),
        [
            ({"traits": []}, "'resource_provider_generation' is a required property"),
            ({"resource_provider_generation": 0}, "'traits' is a required property"),
            (body(0, ""), "JSON does not validate"),
            (body(0, "X" * 256), "Failed validating 'maxLength'"),
            ({"traits": FAST, "resource_provider_generation": 0}, "is not of type 'array'"),
            ({"traits": [5], "resource_provider_generation": 0}, "is not of type 'string'"),
            ({"traits": [], "resource_provider_generation": "0"}, "is not of type 'integer'"),
            ({**body(0), "more": 1}, "Additional properties are not allowed"),
        ],
    )
    def test_of_what_does_not_fit_is_refused(self, api, sent, text):
        response = api.put(url(provider()), sent)

        assert response.status_code == 400
        assert text in error(response)["detail"]

    def test_minds_the_body_before_it_looks_for_the_provider(self, api):
        unknown = f"/resource_providers/{new_uuid()}/traits"

        assert api.put(unknown, {"traits": []}).status_code == 400
        assert api.put(unknown, body(0)).status_code == 404


class TestDelete:
    def test_moves_the_generation_if_there_were_any(self, api):
        host = provider(traits=(FAST, CUSTOM))

        answers = [(api.delete(url(host)).status_code, generation(host)) for _ in range(2)]

        assert answers == [(204, 1), (204, 1)]
        assert not ProviderTrait.objects.exists()

    def test_of_an_unknown_provider_is_not_found(self, api):
        assert api.delete(f"/resource_providers/{new_uuid()}/traits").status_code == 404
