"""How full is it, tree by tree."""

import pytest
from django.urls import reverse

from placement_app.admin import heat
from placement_app.models import Inventory
from tests.admin.acting import claimed, text_of
from tests.admin.test_quick_lists import statements
from tests.builders import A_UUID, ANOTHER_UUID, provider

HEAT = reverse("admin:heat")


def cells(client, **query) -> dict[str, heat.Cell]:
    groups = client.get(HEAT, query).context["groups"]
    return {cell.name: cell for group in groups for cell in group.cells}


@pytest.fixture
def hosts(db):
    """Empty, a quarter, nearly full, full, over, and nothing to claim."""
    rows = {name: provider(name=name, vcpu=8) for name in ("empty", "quarter", "high", "full", "over")}
    for name, used in (("quarter", 2), ("high", 7), ("full", 8), ("over", 8)):
        claimed({rows[name]: {"VCPU": used}})
    Inventory.objects.filter(provider=rows["over"]).update(total=4)
    provider(name="shut", vcpu={"total": 8, "reserved": 8})
    return rows


class TestTheCells:
    def test_say_how_full_each_tree_is(self, viewer, hosts):
        told = {name: (cell.text, cell.band) for name, cell in cells(viewer).items()}

        assert told == {
            "empty": ("0", "empty"),
            "quarter": ("25", "used"),
            "high": ("87", "high"),
            "full": ("100", "full"),
            "over": ("200!", "over"),
        }

    def test_tell_the_numbers_in_words_and_lead_to_the_tree(self, viewer, hosts):
        page = viewer.get(HEAT).content.decode()

        assert 'title="quarter: 2 of 8, claimed at all"' in page
        assert reverse("admin:placement_app_resourceprovider_change", args=[hosts["quarter"].uuid]) in page

    def test_have_the_shade_of_what_is_full_only_if_they_are(self, viewer, db):
        for name, used in (("half", 50), ("nearly", 98), ("full", 100)):
            claimed({provider(name=name, vcpu=100): {"VCPU": used}})

        assert {name: cell.shade for name, cell in cells(viewer).items()} == {"half": 5, "nearly": 9, "full": 10}

    def test_add_up_what_is_below_a_root(self, viewer, db):
        root = provider(name="cmp-03", vcpu=4)
        child = provider(name="cmp-03-numa0", parent=root, vcpu=4)
        claimed({root: {"VCPU": 4}, child: {"VCPU": 1}})

        assert {name: cell.text for name, cell in cells(viewer).items()} == {"cmp-03": "62"}

    def test_mark_a_tree_of_which_one_provider_is_over(self, viewer, db):
        root = provider(name="cmp-03", vcpu=90)
        child = provider(name="cmp-03-numa0", parent=root, vcpu=10)
        claimed({child: {"VCPU": 10}})
        Inventory.objects.filter(provider=child).update(total=5)

        cell = cells(viewer)["cmp-03"]

        assert (cell.text, cell.band) == ("10!", "over")

    def test_call_a_whole_machine_that_somebody_has_full(self, viewer, db):
        host = provider(name="rack1-n3", custom_machine=1)
        claimed({host: {"CUSTOM_MACHINE": 1}})
        Inventory.objects.update(reserved=1)

        assert cells(viewer)["rack1-n3"].band == "full"

    def test_are_in_the_order_that_people_count_in(self, viewer, db):
        for name in ("n10", "n9", "m1"):
            provider(name=name, vcpu=4)

        assert list(cells(viewer)) == ["m1", "n9", "n10"]

    def test_stop_at_a_bound_with_the_fullest_and_say_so(self, viewer, hosts, monkeypatch):
        monkeypatch.setattr(heat, "MOST_CELLS", 2)

        response = viewer.get(HEAT)

        assert {cell.name for group in response.context["groups"] for cell in group.cells} == {"over", "full"}
        assert "3 more trees are less full" in text_of(response)


class TestWhatIsLookedAt:
    def test_is_what_everybody_asks_for_first_unless_told_otherwise(self, viewer, db):
        provider(name="cmp-03", vcpu=4, custom_licence=3)

        assert viewer.get(HEAT).context["name"] == "VCPU"
        assert list(cells(viewer, **{"class": "custom_licence"})) == ["cmp-03"]

    @pytest.mark.parametrize("band", ["over", "full", "high", "used", "empty"])
    def test_is_one_band(self, viewer, hosts, band):
        assert {cell.band for cell in cells(viewer, show=band).values()} == {band}

    def test_is_what_nobody_can_have_only_if_asked_for(self, viewer, hosts):
        response = viewer.get(HEAT)

        assert "nothing to claim 1" in text_of(response)
        assert list(cells(viewer, show="none")) == ["shut"]

    def test_is_the_trees_of_an_aggregate_or_with_a_trait_anywhere_in_them(self, viewer, db):
        root = provider(name="cmp-03", vcpu=4)
        provider(name="cmp-03-numa0", parent=root, traits=("CUSTOM_FAST",), aggregates=(A_UUID,))
        provider(name="cmp-04", vcpu=4)

        assert list(cells(viewer, trait="custom_fast")) == ["cmp-03"]
        assert list(cells(viewer, aggregate=A_UUID.upper())) == ["cmp-03"]
        assert list(cells(viewer, aggregate="none-such")) == []

    def test_is_grouped_by_aggregates_each_tree_once(self, viewer, db):
        provider(name="a", vcpu=4, aggregates=(A_UUID,))
        provider(name="b", vcpu=4, aggregates=(A_UUID, ANOTHER_UUID))
        provider(name="c", vcpu=4)

        groups = viewer.get(HEAT).context["groups"]

        told = [(list(group.aggregates), [cell.name for cell in group.cells]) for group in groups]
        assert told == [([A_UUID], ["a"]), ([A_UUID, ANOTHER_UUID], ["b"]), ([], ["c"])]

    def test_is_headed_by_what_the_members_of_a_group_have_in_common(self, viewer, db):
        everywhere, model = "CUSTOM_SITE_NANCY", "CUSTOM_GPU_MODEL_A100"
        provider(name="a", vcpu=4, aggregates=(A_UUID,), traits=(everywhere, model, "CUSTOM_FAST"))
        provider(name="b", vcpu=4, aggregates=(A_UUID,), traits=(everywhere, model))
        provider(name="c", vcpu=4, traits=(everywhere,))

        response = viewer.get(HEAT)

        assert [list(group.traits) for group in response.context["groups"]] == [[model], []]
        assert f"{model} {A_UUID[:8]}" in text_of(response)

    def test_is_not_grouped_if_not_wanted(self, viewer, db):
        provider(name="a", vcpu=4, aggregates=(A_UUID,))
        provider(name="b", vcpu=4)

        assert len(viewer.get(HEAT, {"group": "none"}).context["groups"]) == 1

    @pytest.mark.parametrize(
        "query", [{"class": "NO\0NE"}, {"show": "whatever"}, {"group": "x"}, {"trait": "\0"}, {"class": "<b>"}]
    )
    def test_is_nothing_for_nonsense(self, viewer, hosts, query):
        response = viewer.get(HEAT, query)

        assert response.status_code == 200
        assert b"<b>" not in response.content


class TestThePage:
    def test_teaches_where_there_is_nothing_yet(self, viewer, db):
        assert "no provider has an inventory" in text_of(viewer.get(HEAT))

    def test_costs_the_same_for_few_trees_and_for_many(self, viewer, db):
        provider(vcpu=4, aggregates=(A_UUID,))
        few = statements(viewer, HEAT)
        for _ in range(30):
            provider(vcpu=4, aggregates=(A_UUID, ANOTHER_UUID))
        many = statements(viewer, HEAT)

        assert len(many) == len(few) <= 8

    def test_names_the_command_and_leads_to_the_same_as_a_list(self, viewer, hosts):
        response = viewer.get(HEAT, {"show": "full"})

        assert "openstack resource provider list --resource VCPU=1" in text_of(response)
        listed = viewer.get(response.context["list_url"])
        assert {row.name for row in listed.context["cl"].result_list} == {"full", "over"}

    def test_is_not_for_strangers(self, anonymous):
        assert anonymous.get(HEAT).status_code == 302

    def test_is_in_the_menu(self, viewer, db):
        assert "How full is it?" in text_of(viewer.get(reverse("admin:index")))
