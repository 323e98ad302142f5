"""GET /traits; GET, PUT and DELETE /traits/{name}."""

from __future__ import annotations

import pytest

from placement_app.models import ConflictRecord, Trait
from placement_app.services import standards
from tests.builders import provider

FAST = "HW_CPU_X86_AVX2"
REFUSAL = (
    "The trait is invalid. A valid trait must be no longer than 255 characters, start with the prefix "
    '"CUSTOM_" and use following characters: "A"-"Z", "0"-"9" and "_"'
)


def traits(api, query: str = "") -> list[str]:
    response = api.get(f"/traits?{query}")
    assert response.status_code == 200, response.content
    return response.json()["traits"]


def detail(response) -> str:
    return response.json()["errors"][0]["detail"]


class TestTheList:
    def test_has_the_standard_ones_first_then_the_custom_ones_by_creation(self, api):
        for name in ("CUSTOM_B", "CUSTOM_A"):
            api.put(f"/traits/{name}")

        assert traits(api) == [*standards.standard_traits(), "CUSTOM_B", "CUSTOM_A"]

    def test_costs_one_query_and_is_dated(self, api, django_assert_num_queries):
        with django_assert_num_queries(1):
            response = api.get("/traits")

        assert {"last-modified", "cache-control"} <= {name.lower() for name in response.headers}

    def test_that_is_empty_is_dated_too(self, api):
        assert "last-modified" in api.get("/traits?name=in:NONE").headers

    @pytest.mark.parametrize(
        ("query", "expected"),
        [
            (f"name=in:CUSTOM_B,NONE,{FAST}", [FAST, "CUSTOM_B"]),
            ("name=startswith:CUSTOM_", ["CUSTOM_A", "CUSTOM_B"]),
            ("name=startswith:CUSTOM_A", ["CUSTOM_A"]),
            ("name=startswith:custom_", []),
            ("name=startswith:%25", []),
            ("name=in:", []),
        ],
    )
    def test_is_narrowed_by_name(self, api, query, expected):
        """A prefix is meant to the letter: "_" and "%" are no wildcards in it."""
        for number, name in enumerate(("CUSTOM_A", "CUSTOM_B", "CUSTOMXC")):
            Trait.objects.create(id=10_000 + number, name=name)

        assert traits(api, query) == expected

    def test_is_narrowed_by_use(self, api):
        provider(traits=(FAST, "CUSTOM_A"))
        api.put("/traits/CUSTOM_B")

        assert traits(api, "associated=true") == traits(api, "associated=TRUE") == [FAST, "CUSTOM_A"]
        assert traits(api, "associated=False&name=startswith:CUSTOM_") == ["CUSTOM_B"]

    @pytest.mark.parametrize(
        ("query", "text"),
        [
            ("name=in_abc", '?name=[in|startswith]:[name1,name2|prefix]. Got: "in_abc"'),
            ("name=foo:bar", "Badly formatted name parameter."),
            ("name=", "Badly formatted name parameter."),
            ("associated=xyz", 'The query parameter "associated" only accepts "true" or "false"'),
            ("associated=", 'The query parameter "associated" only accepts "true" or "false"'),
            ("bogus=1", "Invalid query string parameters: Additional properties are not allowed"),
            ("name=%FF", "Invalid query string parameters"),
        ],
    )
    def test_refuses_what_it_does_not_understand(self, api, query, text):
        response = api.get(f"/traits?{query}")

        assert response.status_code == 400
        assert text in detail(response)


class TestOneTrait:
    @pytest.mark.parametrize("name", [FAST, "CUSTOM_A"])
    def test_is_there_or_not(self, api, name):
        """LP #1760322: standard names are there from the start, whatever the first request was."""
        api.put("/traits/CUSTOM_A")

        response = api.get(f"/traits/{name}")

        assert (response.status_code, response.content) == (204, b"")
        assert "content-type" not in {header.lower() for header in response.headers}
        assert "last-modified" in response.headers

    @pytest.mark.parametrize("name", ["CUSTOM_NONE", "hw_cpu_x86_avx2", "%00", "%F0%9F%A4%96"])
    def test_that_nobody_made_is_not_found(self, api, name):
        assert api.get(f"/traits/{name}").status_code == 404

    def test_minds_no_accept_header(self, api):
        assert api.get(f"/traits/{FAST}", headers={"Accept": "text/plain"}).status_code == 204


class TestPut:
    def test_makes_a_trait_once(self, api):
        name = "CUSTOM_" + "X" * 248

        answers = [api.put(f"/traits/{name}") for _ in range(2)]

        assert [answer.status_code for answer in answers] == [201, 204]
        for answer in answers:
            assert answer.headers["location"] == f"http://testserver/placement/traits/{name}"
            assert "last-modified" in answer.headers
            assert answer.content == b""

    @pytest.mark.parametrize(
        "name",
        [FAST, "CUSTOM_", "CUSTOM_x", "CUSTOM-X", "CUSTOM_X%0A", "CUSTOM_%C3%84", "%00", "CUSTOM_" + "X" * 249],
    )
    def test_of_what_is_no_custom_name_is_refused(self, api, name):
        response = api.put(f"/traits/{name}")

        assert response.status_code == 400
        assert REFUSAL in detail(response)
        assert Trait.objects.count() == len(standards.standard_traits())


class TestDelete:
    def test_removes_a_trait_that_nobody_has(self, api):
        api.put("/traits/CUSTOM_A")

        assert api.delete("/traits/CUSTOM_A").status_code == 204
        assert api.get("/traits/CUSTOM_A").status_code == 404

    def test_of_a_trait_that_somebody_has_is_refused(self, api):
        provider(traits=("CUSTOM_A",))

        response = api.delete("/traits/CUSTOM_A")

        assert response.status_code == 409
        assert "The trait CUSTOM_A is in use by a resource provider." in detail(response)
        assert ConflictRecord.objects.get().operation == "traits.delete"

    def test_of_a_standard_trait_is_refused(self, api):
        response = api.delete(f"/traits/{FAST}")

        assert response.status_code == 400
        assert f"Cannot delete standard trait {FAST}" in detail(response)

    def test_of_what_nobody_made_is_not_found(self, api):
        assert api.delete("/traits/CUSTOM_NONE").status_code == 404


class TestTheRoutes:
    def test_came_with_1_6(self, api):
        before = [
            api.send(method, url, version="1.5").status_code
            for method, url in [
                ("GET", "/traits"),
                ("GET", f"/traits/{FAST}"),
                ("PUT", "/traits/CUSTOM_A"),
                ("DELETE", "/traits/CUSTOM_A"),
            ]
        ]

        assert before == [404] * 4
        assert api.get("/traits", version="1.6").status_code == 200

    def test_have_no_cache_headers_before_1_15(self, api):
        for response in (api.get("/traits", version="1.14"), api.put("/traits/CUSTOM_A", version="1.14")):
            assert not {"last-modified", "cache-control"} & {name.lower() for name in response.headers}
