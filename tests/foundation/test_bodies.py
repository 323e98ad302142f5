"""What a schema lets pass, and in whose words it refuses."""

import pytest

from claimsite.foundation.openstack.bodies import InvalidBody, InvalidQuery, Schema, parse_body, parse_query

NAMED = Schema(
    {
        "type": "object",
        "properties": {"name": {"type": "string", "pattern": "^[A-Z]+$"}, "count": {"type": "integer"}},
        "patternProperties": {"^x-[a-z]+$": {"type": "string"}},
        "additionalProperties": False,
    }
)


class TestASchema:
    @pytest.mark.parametrize("data", [{}, {"name": "A"}, {"count": 10}, {"count": 10.0}, {"x-a": "b"}])
    def test_lets_pass_what_fits(self, data):
        assert NAMED.complaint(data) is None

    @pytest.mark.parametrize("data", [{"name": "a"}, {"count": 1.5}, {"count": True}, {"count": "1"}, {"x-1": "b"}, []])
    def test_refuses_in_the_words_of_the_usual_library(self, data):
        assert "Failed validating" in (NAMED.complaint(data) or "")

    @pytest.mark.parametrize("data", [{"name": "A\n"}, {"x-a\n": "b"}])
    def test_takes_the_end_of_a_pattern_for_the_end(self, data):
        """In Python's own patterns "$" also matches before a last newline."""
        assert NAMED.complaint(data)


class TestABody:
    @pytest.mark.parametrize("raw", [b"", b"{", b"NaN", b'{"name": "\\ud800"}', b'{"name": "\\u0000"}', b"\xff"])
    def test_must_be_json_that_a_column_can_hold(self, raw):
        with pytest.raises(InvalidBody, match="Malformed JSON:"):
            parse_body(raw, NAMED)

    def test_must_fit_the_schema(self):
        with pytest.raises(InvalidBody, match="JSON does not validate: 'a' does not match"):
            parse_body(b'{"name": "a"}', NAMED)


class TestAQuery:
    def test_keeps_all_values_in_order_and_judges_the_last(self):
        assert parse_query("name=a&name=A", NAMED) == {"name": ["a", "A"]}
        with pytest.raises(InvalidQuery, match="Invalid query string parameters: 'a' does not match"):
            parse_query("name=A&name=a", NAMED)

    @pytest.mark.parametrize("raw", ["name=%FF", "name=%00", "na%00me=A", "unknown=1"])
    def test_refuses_what_is_no_text_or_not_known(self, raw):
        with pytest.raises(InvalidQuery):
            parse_query(raw, NAMED)
