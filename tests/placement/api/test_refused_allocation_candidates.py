"""GET /allocation_candidates: every way to ask wrongly, and what is said of it."""

from __future__ import annotations

import pytest

from tests.builders import A_UUID, ANOTHER_UUID, provider

SHARING, FAST = "MISC_SHARES_VIA_AGGREGATE", "HW_CPU_X86_AVX2"


def refusal(api, query: str, **options) -> dict[str, str]:
    response = api.get(f"/allocation_candidates?{query}", **options)
    assert response.status_code == 400, response.content
    return response.json()["errors"][0]


class TestRefusals:
    @pytest.mark.parametrize(
        ("version", "query", "complaint"),
        [
            ("1.10", "", "'resources' is a required property"),
            ("1.10", "resources=VCPU:1&limit=1", "'limit' was unexpected"),
            ("1.16", "resources=VCPU:1&required=X", "'required' was unexpected"),
            ("1.20", f"resources=VCPU:1&member_of={A_UUID}", "'member_of' was unexpected"),
            ("1.24", "resources=VCPU:1&resources1=VCPU:1", "'resources1' was unexpected"),
            ("1.24", "resources=VCPU:1&group_policy=none", "'group_policy' was unexpected"),
            ("1.25", "resources01=VCPU:1", "'resources01' does not match any of the regexes"),
            ("1.32", "resources_A=VCPU:1", "'resources_A' does not match any of the regexes"),
            ("1.33", "resources%24=VCPU:1", "'^member_of([a-zA-Z0-9_-]{1,64})?$'"),
            ("1.30", f"resources=VCPU:1&in_tree={A_UUID}", "'in_tree' does not match any of the regexes"),
            ("1.34", f"resources=VCPU:1&root_required={FAST}", "'root_required' does not match any of the regexes"),
            ("1.35", "resources_A=VCPU:1&same_subtree=_A", "'same_subtree' does not match any of the regexes"),
            ("1.39", "resources=VCPU:1&bogus=1", "'bogus' does not match any of the regexes"),
            ("1.39", "resources1%0A=VCPU:1", "Invalid query string parameters"),
            ("1.39", "resources=VCPU:1&limit=0", "Failed validating 'pattern'"),
            ("1.39", "resources=VCPU:1&group_policy=bogus", "'bogus' is not one of ['none', 'isolate']"),
            ("1.39", "resources=VCPU:%FF", "Invalid query string parameters"),
            ("1.39", "resources=VCPU:1&root_required=%00", "NUL"),
        ],
    )
    def test_of_parameters_that_the_version_does_not_know(self, api, version, query, complaint):
        assert complaint in refusal(api, query, version=version)["detail"]

    @pytest.mark.parametrize(
        ("query", "code", "complaint"),
        [
            (f"root_required={FAST}&root_required={FAST}&resources=VCPU:1", "duplicate_key", "specified only once."),
            (f"root_required={FAST},!{FAST}&resources=VCPU:1", "bad_value", f"found in root_required: {FAST}"),
            ("resources_A=VCPU:1&same_subtree=_A,", "bad_value", "Empty string (unsuffixed group) can not be"),
            ("", "missing_value", "There must be at least one resources or resources[$S] parameter."),
            (f"required_A={FAST}&same_subtree=_A", "missing_value", "at least one resources"),
            (f"resources=VCPU:1&required_A={FAST}", "bad_value", "should be specified in `same_subtree` query param"),
            (f"resources_A=VCPU:1&required={FAST}", "bad_value", "bad group(s) - ['']"),
            ("resources_A=VCPU:1&same_subtree=_A,_B", "bad_value", "Real suffixes should be specified"),
        ],
    )
    def test_with_codes_of_their_own(self, api, query, code, complaint):
        error = refusal(api, query)

        assert error["code"] == f"placement.query.{code}"
        assert complaint in error["detail"]

    @pytest.mark.parametrize(
        ("query", "complaint"),
        [
            (f"required={FAST}&required1={FAST},!{SHARING}", "orphaned traits keys: required, required1"),
            (
                f"resources2=VCPU:1&member_of={A_UUID}&member_of3={ANOTHER_UUID}",
                "orphaned member_of keys: member_of, member_of3",
            ),
            (f"resources=VCPU:1&required1=!{FAST}", "All request groups must specify resources."),
            (f"resources=VCPU:1&in_tree1={A_UUID}", "All request groups must specify resources."),
            ("limit=1", "At least one request group (`resources` or `resources{$S}`) is required."),
        ],
    )
    def test_of_groups_without_resources_before_they_meant_something(self, api, query, complaint):
        error = refusal(api, query, version="1.35")

        assert error["code"] == "placement.undefined_code"
        assert complaint in error["detail"]

    @pytest.mark.parametrize(
        ("query", "complaint"),
        [
            ("resources=", "Got: empty string."),
            ("resources=VCPU", "Badly formed resources parameter."),
            ("resources=VCPU:0", "requires amount >= 1"),
            ("resources=VCPU:1&required=", "Expected 'required' parameter value of the form"),
            ("resources=VCPU:1&member_of=foo", "Expected 'member_of' parameter to contain valid UUID(s)."),
            ("resources=VCPU:1&in_tree=foo", "Expected 'in_tree' parameter to be a format of uuid"),
            (
                f"resources_A=VCPU:1&required_A={FAST},!{FAST}",
                f"in the following traits keys: required_A: ({FAST})",
            ),
            (
                "resources1=VCPU:1&resources2=VCPU:1",
                'The "group_policy" parameter is required when specifying more than one "resources{N}" parameter.',
            ),
            (
                "resources_A=VCPU:1&same_subtree=_B&required_B=CUSTOM_A",
                'The "group_policy" parameter is required when specifying more than one "resources{N}" parameter.',
            ),
        ],
    )
    def test_of_values(self, api, query, complaint):
        error = refusal(api, query)

        assert error["code"] == "placement.undefined_code"
        assert complaint in error["detail"]

    @pytest.mark.parametrize(
        ("query", "complaint"),
        [
            ("resources=BOGUS:1", "Invalid resource class in resources parameter: No such resource class BOGUS."),
            ("resources=VCPU:9&resources_A=BOGUS:1", "No such resource class BOGUS"),
            ("resources=VCPU:1&required=BOGUS_TRAIT", "No such trait(s): BOGUS_TRAIT."),
            ("resources=VCPU:1&root_required=!BOGUS_TRAIT", "No such trait(s): BOGUS_TRAIT."),
            (
                f"resources=VCPU:1&member_of={A_UUID}&required=in:{FAST},BOGUS_TRAIT",
                "No such trait(s): BOGUS_TRAIT",
            ),
        ],
    )
    def test_of_names_that_do_not_exist_even_where_nothing_would_fit_anyway(self, api, query, complaint):
        assert complaint in refusal(api, query)["detail"]

    @pytest.mark.parametrize("parameter", ["member_of", "in_tree"])
    def test_are_not_for_aggregates_and_trees_that_nobody_knows(self, api, parameter):
        provider(vcpu=1)

        response = api.get(f"/allocation_candidates?resources=VCPU:1&{parameter}={A_UUID}")

        assert response.status_code == 200
        assert response.json()["allocation_requests"] == []
