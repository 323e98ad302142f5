"""The generation of a provider, through all the writes that name it."""

from __future__ import annotations

from claimsite.foundation.uuids import new_uuid
from tests.builders import provider


class TestAProvidersGeneration:
    def test_that_a_write_returned_serves_the_next_one_of_any_kind(self, api):
        """LP #1655761: one path handed out the old number, so its caller's next write conflicted with itself."""
        url = f"/resource_providers/{provider().uuid}"
        generation, seen = 0, []
        writes: list[tuple[str, dict]] = [
            ("inventories", {"inventories": {"VCPU": {"total": 4}}}),
            ("traits", {"traits": ["HW_CPU_X86_AVX2"]}),
            ("aggregates", {"aggregates": [new_uuid()]}),
            ("inventories/VCPU", {"total": 8}),
            ("traits", {"traits": ["HW_CPU_X86_AVX2"]}),
            ("inventories", {"inventories": {}}),
        ]

        for part, body in writes:
            response = api.put(f"{url}/{part}", {**body, "resource_provider_generation": generation})
            assert response.status_code == 200, (part, response.content)
            generation = response.json()["resource_provider_generation"]
            seen.append(generation)
            assert api.get(url).json()["generation"] == generation

        # Traits that are no news leave it where it is.
        assert seen == [1, 2, 3, 4, 4, 5]

    def test_that_is_not_the_providers_is_refused_by_every_guarded_write(self, api):
        host = provider(vcpu=4)
        writes: list[tuple[str, dict]] = [
            ("inventories", {"inventories": {}}),
            ("inventories/VCPU", {"total": 8}),
            ("traits", {"traits": []}),
            ("aggregates", {"aggregates": []}),
        ]

        answers = [
            api.put(f"/resource_providers/{host.uuid}/{part}", {**body, "resource_provider_generation": generation})
            for part, body in writes
            for generation in (-1, 1, 10**30)
        ]

        assert {answer.status_code for answer in answers} == {409}
        assert {answer.json()["errors"][0]["code"] for answer in answers} == {"placement.concurrent_update"}
        host.refresh_from_db()
        assert host.generation == 0
