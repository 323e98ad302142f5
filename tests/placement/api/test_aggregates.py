"""GET and PUT /resource_providers/{uuid}/aggregates."""

from __future__ import annotations

import pytest

from claimsite.foundation.uuids import new_uuid
from placement_app.models import ProviderAggregate, ResourceProvider
from tests.builders import provider

ONE, TWO, THREE = (new_uuid() for _ in range(3))


def url(host: ResourceProvider) -> str:
    return f"/resource_providers/{host.uuid}/aggregates"


def body(generation: int, *aggregates: str) -> dict:
    return {"aggregates": aggregates, "resource_provider_generation": generation}


def error(response) -> dict:
    return response.json()["errors"][0]


class TestGet:
    def test_shows_them_with_the_generation(self, api):
        host = provider(aggregates=(TWO, ONE))

        response = api.get(url(host))

        assert response.json() == {"aggregates": [TWO, ONE], "resource_provider_generation": 0}
        assert {"last-modified", "cache-control"} <= {name.lower() for name in response.headers}

    def test_costs_one_query(self, api, django_assert_num_queries):
        host = provider(aggregates=(ONE, TWO, THREE))

        with django_assert_num_queries(1):
            api.get(url(host))

    def test_of_an_unknown_provider_is_not_found(self, api):
        response = api.get(f"/resource_providers/{new_uuid()}/aggregates")

        assert response.status_code == 404
        assert "No resource provider with uuid" in error(response)["detail"]


class TestPut:
    def test_replaces_them_in_the_order_given(self, api):
        host = provider(aggregates=(ONE, TWO))

        response = api.put(url(host), body(0, THREE, TWO))

        assert response.status_code == 200
        assert response.json() == {"aggregates": [THREE, TWO], "resource_provider_generation": 1}
        assert api.get(url(host)).json() == response.json()
        assert {"last-modified", "cache-control"} <= {name.lower() for name in response.headers}

    def test_moves_the_generation_also_when_nothing_changes(self, api):
        host = provider(aggregates=(ONE,))
        kept = ProviderAggregate.objects.get().pk

        generations = [
            api.put(url(host), body(generation, ONE)).json()["resource_provider_generation"] for generation in (0, 1)
        ]

        assert generations == [1, 2]
        assert ProviderAggregate.objects.get().pk == kept

    def test_of_none_clears_them(self, api):
        host = provider(aggregates=(ONE,))

        assert api.put(url(host), body(0)).json()["aggregates"] == []
        assert not ProviderAggregate.objects.exists()

    def test_makes_one_aggregate_of_all_its_spellings(self, api):
        first, second = provider(), provider()

        shown = [
            api.put(url(host), body(0, spelling)).json()["aggregates"]
            for host, spelling in ((first, ONE.upper()), (second, ONE.replace("-", "")))
        ]

        assert shown == [[ONE], [ONE]]
        assert ProviderAggregate.objects.filter(aggregate_uuid=ONE).count() == 2

    def test_of_an_old_generation_changes_nothing(self, api):
        host = provider(aggregates=(ONE,))

        response = api.put(url(host), body(1, TWO))

        assert (response.status_code, error(response)["code"]) == (409, "placement.concurrent_update")
        assert api.get(url(host)).json() == {"aggregates": [ONE], "resource_provider_generation": 0}

    @pytest.mark.parametrize(
        ("sent", "text"),
        [
            (body(0, "harry"), "is not a 'uuid'"),
            (body(0, ONE, ONE), "has non-unique elements"),
            (body(0, ONE, ONE.upper()), "has non-unique elements"),
            ({"aggregates": [ONE]}, "'resource_provider_generation' is a required property"),
            ({"resource_provider_generation": 0}, "'aggregates' is a required property"),
            ({**body(0, ONE), "more": 1}, "Additional properties are not allowed"),
            ([ONE], "is not of type 'object'"),
            ({"aggregates": {ONE: 1}, "resource_provider_generation": 0}, "is not of type 'array'"),
        ],
    )
    def test_of_what_does_not_fit_is_refused(self, api, sent, text):
        response = api.put(url(provider()), sent)

        assert response.status_code == 400
        assert "JSON does not validate" in error(response)["detail"]
        assert text in error(response)["detail"]

    def test_of_an_unknown_provider_is_not_found_before_the_body_is_read(self, api):
        assert api.put(f"/resource_providers/{new_uuid()}/aggregates", "{").status_code == 404
