"""GET /resource_providers."""

from __future__ import annotations

from urllib.parse import quote

import pytest

from claimsite.foundation.uuids import new_uuid
from tests.builders import claim, inventory, provider, tree

FAST, SHARING, CUSTOM = "HW_CPU_X86_AVX2", "MISC_SHARES_VIA_AGGREGATE", "CUSTOM_GOLD"


def names(response) -> list[str]:
    assert response.status_code == 200, response.content
    return [document["name"] for document in response.json()["resource_providers"]]


def listed(api, query: str, **options) -> list[str]:
    return names(api.get(f"/resource_providers?{query}", **options))


def refusal(api, query: str, **options) -> str:
    response = api.get(f"/resource_providers?{query}", **options)
    assert response.status_code == 400, response.content
    return response.json()["errors"][0]["detail"]


class TestTheList:
    def test_has_every_provider_in_order_of_creation(self, api):
        for name in ("c", "a", "b"):
            provider(name=name)

        assert listed(api, "") == ["c", "a", "b"]

    def test_shows_a_provider_as_its_own_page_does(self, api):
        members = tree({"root": {"child": {}}})

        (root, child) = api.get("/resource_providers").json()["resource_providers"]

        assert root == api.get(f"/resource_providers/{members['root'].uuid}").json()
        assert child == api.get(f"/resource_providers/{members['child'].uuid}").json()

    def test_costs_the_same_queries_for_any_number_of_providers(self, api, django_assert_num_queries):
        """LP #1786055."""
        for _ in range(3):
            provider(vcpu=1, traits=(FAST,))

        with django_assert_num_queries(1):
            api.get("/resource_providers")
        # One for the names of classes, one for those of traits, one for the list.
        with django_assert_num_queries(3):
            api.get(f"/resource_providers?resources=VCPU:1&required={FAST}&member_of={new_uuid()}&in_tree={new_uuid()}")

    def test_was_last_modified_when_its_youngest_row_was(self, api):
        provider()
        young = provider()

        response = api.get("/resource_providers")

        assert (
            response.headers["last-modified"] == api.get(f"/resource_providers/{young.uuid}").headers["last-modified"]
        )

    def test_is_empty_but_dated_when_there_is_nothing(self, api):
        response = api.get("/resource_providers", version="1.15")

        assert response.json() == {"resource_providers": []}
        assert {"last-modified", "cache-control"} <= {name.lower() for name in response.headers}

    def test_joins_all_its_filters(self, api):
        aggregate = new_uuid()
        match = provider(name="match", vcpu=4, traits=(FAST,), aggregates=(aggregate,))
        provider(vcpu=4, traits=(FAST,))
        provider(vcpu=4, aggregates=(aggregate,))
        provider(traits=(FAST,), aggregates=(aggregate,))

        query = f"resources=VCPU:1&required={FAST}&member_of={aggregate}"

        assert listed(api, query) == ["match"]
        assert listed(api, f"{query}&name=match&uuid={match.uuid}&in_tree={match.uuid}") == ["match"]
        assert listed(api, f"{query}&name=other") == []


class TestByName:
    @pytest.mark.parametrize("name", ["hôst-🤖", "Host-A", "a b&c=d", "100%", "' OR '1'='1"])
    def test_finds_the_exact_name_only(self, api, name):
        """LP #1621605."""
        for other in ("host-a", "HOST-A", "ho\u0302st-🤖", "a b", "100"):
            provider(name=other)
        provider(name=name)

        assert listed(api, f"name={quote(name)}") == [name]

    def test_an_empty_name_filters_nothing(self, api):
        provider(name="a")

        assert listed(api, "name=") == ["a"]


class TestByUuid:
    def test_in_capitals_too(self, api):
        host = provider(name="a")
        provider()

        assert listed(api, f"uuid={host.uuid}") == listed(api, f"uuid={host.uuid.upper()}") == ["a"]

    @pytest.mark.parametrize("parameter", ["uuid", "in_tree"])
    @pytest.mark.parametrize("value", ["", "spameggs", "5" * 32, "g" * 36])
    def test_must_be_one_with_dashes(self, api, parameter, value):
        assert "Invalid query string parameters" in refusal(api, f"{parameter}={value}")


class TestByTree:
    def test_any_member_names_the_tree(self, api):
        members = tree({"root": {"child": {"leaf": {}}}, "other": {}})

        for name in ("root", "child", "leaf"):
            assert listed(api, f"in_tree={members[name].uuid.upper()}") == ["root", "child", "leaf"]

    def test_an_unknown_provider_has_none(self, api):
        provider()

        assert listed(api, f"in_tree={new_uuid()}") == []


class TestByResources:
    @pytest.mark.parametrize(("amount", "expected"), [(3, []), (4, ["a"]), (6, []), (20, ["a"]), (24, [])])
    def test_minds_the_units(self, api, amount, expected):
        """LP #1623545."""
        provider(name="a", disk_gb={"total": 100, "min_unit": 4, "max_unit": 20, "step_size": 4})

        assert listed(api, f"resources=DISK_GB:{amount}") == expected

    def test_minds_what_is_reserved_and_claimed_and_the_ratio(self, api):
        host = provider(name="a", vcpu={"total": 5, "reserved": 1, "allocation_ratio": 2.0})
        api.put(f"/allocations/{new_uuid()}", claim({host: {"VCPU": 3}}))

        assert listed(api, "resources=VCPU:5") == ["a"]
        assert listed(api, "resources=VCPU:6") == []

    def test_asks_for_all_classes_of_one_provider(self, api):
        members = tree({"root": {"child": {}}, "both": {}})
        inventory(members["root"], "VCPU", total=4)
        inventory(members["child"], "MEMORY_MB", total=4)
        for resource_class in ("VCPU", "MEMORY_MB"):
            inventory(members["both"], resource_class, total=4)

        assert listed(api, "resources=VCPU:1,MEMORY_MB:1") == ["both"]

    def test_passes_by_a_provider_that_is_reserved_in_full(self, api):
        """LP #1771577."""
        provider(disk_gb={"total": 10, "reserved": 10})

        assert listed(api, "resources=DISK_GB:1") == []

    @pytest.mark.parametrize("amount", [2147483648, 2**63, 10**39])
    def test_never_finds_more_than_can_be(self, api, amount):
        provider(vcpu={"total": 2147483647, "allocation_ratio": 1e30})

        assert listed(api, f"resources=VCPU:{amount}") == []

    @pytest.mark.parametrize(
        ("value", "text"),
        [
            ("", "Got: empty string."),
            ("VCPU", "Got: VCPU."),
            ("VCPU:1,", "Got: ."),
            ("VCPU:fred", "Requested resource VCPU expected positive integer amount. Got: fred."),
            ("VCPU:-2", "Requested resource VCPU requires amount >= 1. Got: -2."),
            ("VCPU:0", "Requested resource VCPU requires amount >= 1. Got: 0."),
            ("CUSTOM_NONE:1", "Invalid resource class in resources parameter"),
            ("CUSTOM_NONE:9999999999", "Invalid resource class in resources parameter"),
        ],
    )
    def test_refuses_what_is_no_amount_of_a_class(self, api, value, text):
        assert text in refusal(api, f"resources={value}")


class TestByTraits:
    @pytest.fixture(autouse=True)
    def providers(self, db):
        provider(name="plain")
        provider(name="fast", traits=(FAST,))
        provider(name="gold", traits=(CUSTOM,))
        provider(name="both", traits=(FAST, CUSTOM))

    @pytest.mark.parametrize(
        ("query", "expected"),
        [
            (f"required={FAST}", ["fast", "both"]),
            (f"required={FAST},{CUSTOM}", ["both"]),
            (f"required=!{FAST}", ["plain", "gold"]),
            (f"required={CUSTOM},!{FAST}", ["gold"]),
            (f"required=in:{FAST},{CUSTOM}", ["fast", "gold", "both"]),
            (f"required=in:{FAST},{CUSTOM}&required=!{FAST}", ["gold"]),
            (f"required={FAST}&required={CUSTOM}", ["both"]),
            (f"required=!{FAST}&required=!{CUSTOM}", ["plain"]),
            (f"required={FAST},!{FAST}", []),
            (f"required={SHARING}", []),
        ],
    )
    def test_wanted_and_not_wanted(self, api, query, expected):
        assert listed(api, query) == expected

    def test_last_one_counts_before_they_could_be_repeated(self, api):
        assert listed(api, f"required={CUSTOM}&required={FAST}", version="1.38") == ["fast", "both"]

    @pytest.mark.parametrize("query", ["required=NONE,{0}", "required={0},!NONE", "required=in:{0},NONE"])
    def test_must_be_known(self, api, query):
        assert "No such trait(s): NONE." in refusal(api, query.format(FAST))

    def test_must_be_known_also_where_nothing_else_would_match(self, api):
        assert "No such trait(s): NONE." in refusal(api, f"required=NONE&name=nobody&resources=VCPU:{10**12}")

    @pytest.mark.parametrize("value", ["", f"{FAST},,{CUSTOM}", "!", "in:", f"in:!{FAST}"])
    def test_must_be_traits(self, api, value):
        assert "Invalid query string parameters" in refusal(api, f"required={value}")


class TestByAggregate:
    A, B, C = (new_uuid() for _ in range(3))

    @pytest.fixture(autouse=True)
    def providers(self, db):
        provider(name="none")
        parent = provider(name="a", aggregates=(self.A,))
        provider(name="b", aggregates=(self.B,))
        provider(name="ab", aggregates=(self.A, self.B))
        provider(name="child of a", parent=parent)

    @pytest.mark.parametrize(
        ("query", "expected"),
        [
            ("member_of={A}", ["a", "ab"]),
            ("member_of={A}&member_of={B}", ["ab"]),
            ("member_of=in:{A},{B}", ["a", "b", "ab"]),
            ("member_of=!{A}", ["none", "b", "child of a"]),
            ("member_of=!in:{A},{B}", ["none", "child of a"]),
            ("member_of=in:{A},{B}&member_of=!{B}", ["a"]),
            ("member_of={C}", []),
            ("member_of=!{C}", ["none", "a", "b", "ab", "child of a"]),
        ],
    )
    def test_in_or_not_in(self, api, query, expected):
        assert listed(api, query.format(A=self.A, B=self.B.upper(), C=self.C.replace("-", ""))) == expected

    @pytest.mark.parametrize("value", ["nope", "in:{A},nope", "", "in:", "in:!{A},{B}"])
    def test_must_be_a_uuid(self, api, value):
        """LP #1656482: a typo gave an empty list."""
        text = refusal(api, f"member_of={value.format(A=self.A, B=self.B)}")

        assert "Expected 'member_of' parameter to contain valid UUID(s)." in text

    def test_several_need_to_say_in(self, api):
        text = refusal(api, f"member_of={self.A},{self.B}")

        assert "Multiple values for 'member_of' must be prefixed with the 'in:' or '!in:' keyword" in text


class TestARefusal:
    @pytest.mark.parametrize("query", ["spam=eggs", "limit=1", "name=a&nope="])
    def test_of_parameters_nobody_knows(self, api, query):
        """Nothing may be ignored: a misspelt filter would find everything."""
        text = refusal(api, query)

        assert "Invalid query string parameters" in text
        assert "Additional properties are not allowed" in text

    @pytest.mark.parametrize("query", ["name=%FF", "name=%00", "%00=1", "%FF=1", "name=%ED%A0%80"])
    def test_of_what_is_no_text(self, api, query):
        assert "Invalid query string parameters" in refusal(api, query)

    def test_of_an_answer_that_is_not_json(self, api):
        response = api.get("/resource_providers", headers={"Accept": "text/plain"})

        assert response.status_code == 406
        assert b"Only application/json is provided" in response.content

    @pytest.mark.parametrize("accept", ["x", "text/plain, x", "*"])
    def test_is_not_made_of_an_accept_header_that_names_no_media_types(self, api, accept):
        response = api.get("/resource_providers", headers={"Accept": accept})

        assert response.status_code == 200
