import json

import pytest
from django.core.management import CommandError

from tests.builders import provider
from tests.commands.running import run

pytestmark = pytest.mark.django_db

FAST = "HW_CPU_X86_AVX2"


class TestExplain:
    def test_tells_how_many_are_left_after_each_condition_and_who_comes_nearest(self):
        provider(name="fast", vcpu=8, traits=(FAST,))
        provider(name="slow", vcpu=16)

        status, output = run("explain", f"resources=VCPU:12&required={FAST}")

        assert status == 3
        assert "1 left after capacity VCPU:12   without fast" in output
        assert "0 of 2 trees fit" in output
        assert "slow lacks" in output

    def test_ends_well_where_something_fits(self):
        provider(name="host", vcpu=8)

        assert run("explain", "?resources=VCPU:4")[0] == 0

    def test_prints_the_document_that_the_api_gives(self, api):
        provider(name="host", vcpu=8)

        _, output = run("explain", "resources=VCPU:12", "--json")

        assert json.loads(output) == api.get("/explain/allocation_candidates?resources=VCPU:12").json()

    @pytest.mark.parametrize("query", ["VCPU:500", "500VCPU", "500 VCPU", "VCPU 500", "VCPU=500"])
    def test_says_how_to_ask_for_amounts(self, query):
        with pytest.raises(CommandError, match=r"^This is no query: write resources=VCPU:500$") as refusal:
            run("explain", query)

        assert refusal.value.returncode == 2

    def test_names_a_parameter_that_there_is_not_without_the_schema(self):
        with pytest.raises(CommandError, match=r"^Invalid query string parameters: 'colour': no such parameter$"):
            run("explain", "resources=VCPU:1&colour=red")

    def test_tells_the_most_that_one_has_free(self):
        provider(name="host", vcpu=8)

        assert "The most that one provider has free: VCPU 8 (host)" in run("explain", "resources=VCPU:12")[1]

    @pytest.mark.parametrize("query", ["", "resources=VCPU", "resources=NO_SUCH:1", "colour=red", "resources=VCPU:1\0"])
    def test_says_what_is_wrong_with_a_query(self, query):
        with pytest.raises(CommandError) as refusal:
            run("explain", query)

        assert refusal.value.returncode == 2
