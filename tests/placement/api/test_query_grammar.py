"""The values of resources, required, root_required, member_of and in_tree, without HTTP."""

import pytest

from placement_app.api import features
from placement_app.api.errors import Refusal
from placement_app.api.parse import queries
from placement_app.api.parse.queries import Grammar, Terms

NEWEST = Grammar.of(features.NEWEST)
BEFORE_FORBIDDEN_TRAITS = Grammar.of(features.CANDIDATE_MEMBER_OF)
BEFORE_ANY_TRAITS = Grammar.of(features.CONSUMER_TYPE)
BEFORE_FORBIDDEN_MEMBER_OF = Grammar.of(features.CANDIDATE_IN_TREE)

A = "11111111-1111-1111-1111-1111111111aa"
B = "22222222-2222-2222-2222-2222222222bb"


class TestResources:
    def test_reads_amounts_by_class(self):
        assert queries.resources("VCPU:2,CUSTOM_GOLD:1") == {"VCPU": 2, "CUSTOM_GOLD": 1}

    def test_takes_the_last_amount_of_a_class_named_twice(self):
        assert queries.resources("VCPU:2,VCPU:3") == {"VCPU": 3}

    @pytest.mark.parametrize(
        ("text", "complaint"),
        [
            ("", "Got: empty string."),
            ("VCPU", "Got: VCPU."),
            ("VCPU:1,", "Got: ."),
            ("VCPU:1:2", "Got: VCPU:1:2."),
            ("VCPU:fred", "Requested resource VCPU expected positive integer amount. Got: fred."),
            ("VCPU:1.5", "expected positive integer amount."),
            ("VCPU:1_0", "expected positive integer amount."),
            ("VCPU:٣", "expected positive integer amount."),
            ("VCPU:" + "9" * 5000, "expected positive integer amount."),
            ("VCPU:0", "Requested resource VCPU requires amount >= 1. Got: 0."),
            ("VCPU:-2", "Requested resource VCPU requires amount >= 1. Got: -2."),
        ],
    )
    def test_refuses_what_is_no_amount_of_a_class(self, text, complaint):
        with pytest.raises(Refusal) as refusal:
            queries.resources(text)

        assert refusal.value.status == 400
        assert complaint in refusal.value.text


class TestRequired:
    def test_wants_every_trait_and_forbids_the_marked_ones(self):
        terms = queries.required(["A, B,!C,!!D"], NEWEST)

        assert terms == Terms((frozenset("A"), frozenset("B")), frozenset("CD"))

    def test_takes_any_of_several_and_adds_up_repeated_parameters(self):
        terms = queries.required(["in:A,B", "!C"], NEWEST)

        assert terms == Terms((frozenset("AB"),), frozenset("C"))

    def test_takes_the_last_value_where_repetition_has_no_meaning_yet(self):
        assert queries.required(["A", "B"], BEFORE_ANY_TRAITS) == Terms((frozenset("B"),))

    def test_finds_alternatives_that_are_all_forbidden(self):
        terms = queries.required(["in:A,B", "in:C,D", "!A,!B,!C"], NEWEST)

        assert terms.contradictions() == frozenset("AB")

    @pytest.mark.parametrize(
        ("value", "grammar", "complaint"),
        [
            ("", NEWEST, "Expected 'required' parameter value of the form: HW_CPU_X86_VMX,!CUSTOM_MAGIC."),
            ("A,", NEWEST, "Got an empty trait in: A,"),
            ("!", NEWEST, "Got an empty trait in: !"),
            ("in:", NEWEST, "Got an empty trait in: in:"),
            ("in:A,!B", NEWEST, "does not support forbidden traits. Got: in:A,!B"),
            ("!A", BEFORE_FORBIDDEN_TRAITS, "of the form: HW_CPU_X86_VMX,CUSTOM_MAGIC. Got: !A"),
            ("in:A", BEFORE_ANY_TRAITS, "only supported since microversion 1.39. Got: in:A"),
        ],
    )
    def test_refuses_what_the_version_does_not_know(self, value, grammar, complaint):
        with pytest.raises(Refusal) as refusal:
            queries.required([value], grammar)

        assert refusal.value.status == 400
        assert refusal.value.text.startswith("Invalid query string parameters: ")
        assert complaint in refusal.value.text

    def test_says_that_the_root_knows_no_alternatives(self):
        with pytest.raises(Refusal, match="not supported in 'root_required'"):
            queries.root_required("in:A,B", NEWEST)


class TestMemberOf:
    def test_reads_every_form(self):
        terms = queries.member_of([A, f"in:{A},{B}", f"!{A}", f"!in:{A},{B}"], NEWEST)

        assert terms == Terms((frozenset([A]), frozenset([A, B])), frozenset([A, B]))

    def test_brings_every_spelling_of_a_uuid_into_one_form(self):
        terms = queries.member_of([A.upper().replace("-", "")], NEWEST)

        assert terms == Terms((frozenset([A]),))

    @pytest.mark.parametrize(
        ("values", "grammar", "complaint"),
        [
            ([""], NEWEST, "Expected 'member_of' parameter to contain valid UUID(s). Got: "),
            (["in:"], NEWEST, "Expected 'member_of' parameter to contain valid UUID(s)."),
            ([f"in:{A},foo"], NEWEST, "valid UUID(s). Got: foo"),
            ([f"{A},{B}"], NEWEST, "must be prefixed with the 'in:' or '!in:' keyword"),
            ([f"!{A},{B}"], NEWEST, "must be prefixed with the 'in:' or '!in:' keyword"),
            ([f"!{A}"], BEFORE_FORBIDDEN_MEMBER_OF, "Forbidden member_of parameters are not supported"),
            ([A, B], BEFORE_FORBIDDEN_TRAITS, "Multiple member_of7 parameters are not supported"),
        ],
    )
    def test_refuses_what_the_version_does_not_know(self, values, grammar, complaint):
        with pytest.raises(Refusal) as refusal:
            queries.member_of(values, grammar, suffix="7")

        assert refusal.value.status == 400
        assert complaint in refusal.value.text


class TestInTree:
    def test_takes_any_spelling_of_a_uuid_and_nothing_else(self):
        assert queries.in_tree(A.upper()) == A
        with pytest.raises(Refusal, match="Expected 'in_tree' parameter to be a format of uuid"):
            queries.in_tree("foo")
