"""Why would it not land? The explained search, with its form."""

import pytest
from django.urls import reverse

from tests.admin.acting import claimed, text_of
from tests.builders import provider

EXPLAIN = reverse("admin:explain")
AVX2 = "HW_CPU_X86_AVX2"


def asked(client, **fields) -> str:
    response = client.get(EXPLAIN, fields)
    assert response.status_code == 200
    return text_of(response)


class TestExplaining:
    def test_begins_with_a_form_and_a_word_about_it(self, viewer):
        assert "nobody says why" in asked(viewer)

    def test_says_where_it_would_land(self, viewer):
        provider(name="cmp-01", vcpu=4)
        provider(name="cmp-02", vcpu=2)

        text = asked(viewer, resources="VCPU: 3")

        assert "would land on 1 of 2 trees" in text
        assert "VCPU 3 of cmp-01" in text
        assert "cmp-02 lacks capacity VCPU:3: 2 free of 2" in text

    def test_says_what_removed_the_last(self, viewer):
        host = provider(name="cmp-01", vcpu=4)
        claimed({host: {"VCPU": 2}})
        provider(name="cmp-02", vcpu=4, traits=(AVX2,))

        text = asked(viewer, resources="VCPU:3", required=f"!{AVX2}")

        assert "would not land anywhere: none of 2 trees (2 providers)" in text
        assert "cmp-01 lacks capacity VCPU:3: 2 free of 4" in text

    def test_can_be_asked_of_one_tree_by_name(self, viewer):
        root = provider(name="cmp-01", vcpu=4)
        provider(name="cmp-01-numa0", parent=root, pcpu=4)
        provider(name="cmp-02", vcpu=4)

        text = asked(viewer, resources="VCPU:1", in_tree="cmp-01-numa0")

        assert "would land on 1 of 2 trees" in text

    def test_takes_a_whole_query_or_address(self, viewer):
        provider(name="cmp-01", vcpu=4)
        query = "resources1=VCPU:1&resources2=VCPU:2&group_policy=none"

        assert "would land on 1 of 1" in asked(viewer, query=query)
        assert "would land on 1 of 1" in asked(viewer, query=f"http://placement/allocation_candidates?{query}")

    def test_names_the_command(self, viewer):
        provider(vcpu=4)

        assert f"manage.py explain 'resources=VCPU:1&required={AVX2}'" in asked(
            viewer, resources="VCPU:1", required=AVX2
        )

    @pytest.mark.parametrize(
        ("fields", "complaint"),
        [
            ({"resources": "VCPU"}, "Badly formed resources"),
            ({"resources": "500 VCPU"}, "Write VCPU:500"),
            ({"resources": "VCPU:1, 4MEMORY_MB"}, "Write VCPU:1,MEMORY_MB:4"),
            ({"query": "VCPU:500"}, "write resources=VCPU:500"),
            ({"resources": "VCPU:0"}, "requires amount >= 1"),
            ({"resources": "CUSTOM_UNHEARD_OF:1"}, "No such resource class"),
            ({"resources": "VCPU:1", "required": "CUSTOM_UNHEARD_OF"}, "No such trait"),
            ({"resources": "VCPU:1", "member_of": "rack"}, "valid UUID"),
            ({"resources": "VCPU:1", "in_tree": "nobody"}, "No provider of this name"),
            ({"query": "nonsense=1"}, "nonsense"),
            ({"query": "resources=VCPU:1&required=\0"}, "Null characters"),
        ],
    )
    def test_says_what_is_wrong_with_a_question(self, viewer, fields, complaint):
        assert complaint in asked(viewer, **fields)

    def test_starts_from_a_provider_with_its_tree_filled_in(self, viewer):
        host = provider(vcpu=4)
        page = viewer.get(reverse("admin:placement_app_resourceprovider_change", args=[host.uuid])).content.decode()

        assert f"{EXPLAIN}?in_tree={host.uuid}" in page
        assert host.uuid in viewer.get(EXPLAIN, {"in_tree": host.uuid}).content.decode()

    def test_is_for_operators_only(self, anonymous):
        assert reverse("admin:login") in anonymous.get(EXPLAIN)["Location"]
