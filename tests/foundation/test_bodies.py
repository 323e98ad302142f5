"""Hostile documents and query strings get an answer that says what is wrong with them, and soon."""

import itertools
import time

import jsonschema
import orjson
import pytest

from claimsite.foundation.openstack import bodies
from claimsite.foundation.openstack.bodies import (
    DEEPEST,
    LONGEST_EXPLAINED,
    InvalidBody,
    InvalidQuery,
    Schema,
    parse_body,
    parse_json,
    parse_query,
)

UUID = "6f2b1d0c-7a7e-4d53-9a3c-1e9a5f0b7c11"
RECORD = Schema(
    {
        "type": "object",
        "properties": {
            "name": {"type": "string", "pattern": "^[A-Z]+$", "minLength": 1, "maxLength": 10},
            "uuid": {"type": "string", "format": "uuid"},
            "total": {"type": "integer", "minimum": 1, "maximum": 2147483647},
            "traits": {"type": "array", "items": {"type": "string"}, "uniqueItems": True},
            "classes": {
                "type": "object",
                "minProperties": 1,
                "patternProperties": {"^[A-Z_]+$": {"type": "integer"}},
                "additionalProperties": False,
            },
        },
        "required": ["total"],
        "additionalProperties": False,
    }
)


class TestJson:
    @pytest.mark.parametrize(
        ("raw", "data"),
        [
            (b"{}", {}),
            (b' {"a": [1, 2.5, null, true, "\xc3\xa9"]} ', {"a": [1, 2.5, None, True, "é"]}),
            (b'"\\u00e9\\ud83e\\udd16"', "é🤖"),
            (b'{"a": 1, "a": 2}', {"a": 2}),
            (b"-0", 0),
            (b'"\\\\u0000"', "\\u0000"),
        ],
    )
    def test_is_read(self, raw, data):
        assert parse_json(raw) == data

    @pytest.mark.parametrize(
        "raw",
        [
            b"",
            b" ",
            b"pony",
            b"{",
            b"{}{}",
            b"[1,]",
            b"{'a': 1}",
            b"01",
            b"NaN",
            b"[Infinity, -Infinity]",
            b"1e400",
            b'"\xff"',
            b'"\xed\xa0\x80"',
            b'"\\ud800"',
            b'"\\udc00\\ud800"',
            b'"\n"',
            b'"\x00"',
            b'"\\u0000"',
            b'{"a": ["b", {"c\\u0000": 1}]}',
            b"\xef\xbb\xbf{}",
            '{"a": 1}'.encode("utf-16"),
            b"\x80\x04K\x01.",
        ],
    )
    def test_what_is_none_is_refused(self, raw):
        with pytest.raises(InvalidBody, match=r"^Malformed JSON: "):
            parse_json(raw)

    @pytest.mark.parametrize(("opening", "closing"), [(b"[", b"]"), (b'{"a":', b"}"), (b'[{"a":', b"}]")])
    @pytest.mark.parametrize("levels", [DEEPEST + 2, 500, 1_000, 5_000, 100_000])
    def test_what_is_nested_without_end_is_refused(self, opening, closing, levels):
        with pytest.raises(InvalidBody, match=r"Malformed JSON: .*(deep|depth)"):
            parse_json(opening * levels + b'"\\u0000"' + closing * levels)

    def test_what_is_wide_is_not_deep(self):
        wide: list[list[dict[str, list[int]]]] = [[{"a": []}] * 3] * 100

        assert parse_json(orjson.dumps(wide)) == wide


class TestSchema:
    @pytest.mark.parametrize(
        "data",
        [
            {"total": 1},
            {"total": 10.0},
            {"total": 1, "uuid": UUID},
            {"total": 1, "uuid": UUID.upper()},
            {"total": 1, "uuid": UUID.replace("-", "")},
            {"total": 1, "uuid": f"{{{UUID}}}"},
            {"total": 1, "uuid": f"urn:uuid:{UUID}"},
            {"total": 1, "name": "A", "traits": ["A", "a"], "classes": {"A_B": -1}},
        ],
        ids=str,
    )
    def test_accepts(self, data):
        assert RECORD.complaint(data) is None

    @pytest.mark.parametrize(
        ("data", "words"),
        [
            ({}, "'total' is a required property Failed validating 'required' in schema"),
            (
                {"total": 0},
                "0 is less than the minimum of 1 Failed validating 'minimum' in schema['properties']['total']",
            ),
            ({"total": 2**31}, "2147483648 is greater than the maximum of 2147483647"),
            ({"total": 1e30}, "1e+30 is greater than the maximum of 2147483647"),
            ({"total": True}, "True is not of type 'integer'"),
            ({"total": "1"}, "'1' is not of type 'integer'"),
            ({"total": 1.5}, "1.5 is not of type 'integer'"),
            ({"total": None}, "None is not of type 'integer'"),
            ({"total": 1, "bad": 1}, "Additional properties are not allowed ('bad' was unexpected)"),
            ({"total": 1, "name": "a"}, "'a' does not match '^[A-Z]+$' Failed validating 'pattern'"),
            ({"total": 1, "name": ""}, "'' does not match '^[A-Z]+$'"),
            ({"total": 1, "name": "A" * 11}, "is too long Failed validating 'maxLength'"),
            ({"total": 1, "uuid": "pony"}, "'pony' is not a 'uuid' Failed validating 'format'"),
            ({"total": 1, "uuid": UUID + "0"}, "is not a 'uuid'"),
            ({"total": 1, "traits": "A"}, "'A' is not of type 'array'"),
            ({"total": 1, "traits": ["A", "A"]}, "['A', 'A'] has non-unique elements"),
            ({"total": 1, "classes": {}}, "{} should be non-empty"),
            ({"total": 1, "classes": {"a": 1}}, "'a' does not match any of the regexes: '^[A-Z_]+$'"),
            ([], "[] is not of type 'object'"),
            (None, "None is not of type 'object'"),
        ],
        ids=str,
    )
    def test_says_in_the_words_that_clients_know(self, data, words):
        complaint = RECORD.complaint(data)

        assert complaint is not None
        assert words in complaint
        assert "\n" not in complaint

    @pytest.mark.parametrize("data", [{"name": "A\n"}, {"classes": {"A\n": 1}}, {"uuid": f"{UUID}\n"}], ids=str)
    def test_a_line_break_at_the_end_is_part_of_the_text(self, data):
        assert RECORD.complaint({"total": 1, **data}) is not None

    def test_the_words_are_those_of_the_library(self):
        data = {"total": 1, "name": "a b"}

        told = RECORD.complaint(data)
        expected = jsonschema.exceptions.best_match(
            jsonschema.Draft202012Validator(RECORD.definition).iter_errors(data)
        )

        assert told.startswith(
            f"{expected.message} Failed validating 'pattern' in schema['properties']['name']: {{'type'"
        )
        assert told.endswith("On instance['name']: 'a b'")

    @pytest.mark.parametrize(
        "data",
        [
            "x" * 10_000_000,
            {"total": "x" * 10_000_000},
            {"x" * 1_000_000: 1},
            {"total": list(range(100_000))},
            {str(number): number for number in range(100_000)},
            {"total": 1, "classes": {f"a{number}": "x" for number in range(20_000)}},
        ],
        ids=["text", "value", "key", "list", "keys", "many errors"],
    )
    def test_does_not_repeat_megabytes(self, data):
        started = time.process_time()

        complaint = RECORD.complaint(data)

        assert complaint is not None
        assert len(complaint) < 10_000
        assert time.process_time() - started < 3

    def test_a_long_document_is_refused_in_short_words_instead_of_seconds(self):
        classes = {"".join(letters): 1 for letters in itertools.product("ABCDEFGHIJ", repeat=5)}
        raw = orjson.dumps({"total": 0, "classes": classes})
        started = time.process_time()

        with pytest.raises(InvalidBody, match=r"JSON does not validate: data.total must be bigger than or equal to 1"):
            parse_body(raw, RECORD)

        assert len(raw) > LONGEST_EXPLAINED
        assert time.process_time() - started < 2


class TestQuery:
    ANY = Schema(
        {"type": "object", "properties": {"a": {"type": "string", "minLength": 1}}, "additionalProperties": False}
    )

    @pytest.mark.parametrize(
        ("raw", "values"),
        [
            ("", {}),
            ("a=1", {"a": ["1"]}),
            ("a=1&a=2", {"a": ["1", "2"]}),
            ("a=%C3%A9+%2B", {"a": ["é +"]}),
            # As a server hands on bytes that were not escaped.
            ("a=é".encode().decode("latin-1"), {"a": ["é"]}),
            ("a=%zz%", {"a": ["%zz%"]}),
            ("a=b=c&&", {"a": ["b=c"]}),
        ],
    )
    def test_is_read(self, raw, values):
        assert parse_query(raw, self.ANY) == values

    @pytest.mark.parametrize(
        ("raw", "words"),
        [
            ("a=", "'' should be non-empty"),
            # The last value is the one that is judged.
            ("a=1&a=", "'' should be non-empty"),
            ("b=1", "Additional properties are not allowed ('b' was unexpected)"),
            ("=1", "Additional properties are not allowed ('' was unexpected)"),
            ("a=%ff", "'utf-8' codec can't decode"),
            ("%ff=1", "'utf-8' codec can't decode"),
            ("a=\xff", "'utf-8' codec can't decode"),
            ("a=%ED%A0%80", "'utf-8' codec can't decode"),
            ("a=%00", "the character NUL is not allowed"),
            ("%00=a", "the character NUL is not allowed"),
        ],
    )
    def test_what_is_wrong_is_said(self, raw, words):
        with pytest.raises(InvalidQuery) as raised:
            parse_query(raw, self.ANY)

        assert str(raised.value).startswith("Invalid query string parameters: ")
        assert words in str(raised.value)


def test_limits_are_far_from_what_real_documents_need():
    """A claim is four levels deep, a reshape five."""
    assert bodies.DEEPEST > 10
