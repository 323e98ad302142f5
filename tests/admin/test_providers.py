"""The pages of providers: what each has, among which others, how full it is and by whom."""

import pytest
from django.urls import reverse

from placement_app.admin import forest
from placement_app.models import ResourceProvider
from placement_app.services import inventories
from placement_app.services.inventories import Record
from tests.admin.acting import claimed, client_origin, text_of
from tests.builders import A_UUID, ANOTHER_UUID, provider

LIST = reverse("admin:placement_app_resourceprovider_changelist")


def names(client, **query) -> set[str]:
    return {row.name for row in client.get(LIST, query).context["cl"].result_list}


def page(client, row: ResourceProvider):
    response = client.get(reverse("admin:placement_app_resourceprovider_change", args=[row.uuid]))
    assert response.status_code == 200
    return response


class TestTheList:
    @pytest.fixture(autouse=True)
    def providers(self, db):
        root = provider(name="cmp-03", vcpu=4, traits=("CUSTOM_FAST",), aggregates=(A_UUID,))
        child = provider(name="cmp-03-numa0", parent=root, pcpu=8)
        provider(name="cmp-04", vcpu=4, aggregates=(ANOTHER_UUID,))
        claimed({root: {"VCPU": 4}, child: {"PCPU": 1}})

    @pytest.mark.parametrize(
        ("query", "found"),
        [
            ({"full": "full"}, {"cmp-03"}),
            ({"full": "used"}, {"cmp-03", "cmp-03-numa0"}),
            ({"full": "empty"}, {"cmp-04"}),
            ({"full": "over"}, set()),
            ({"full": "nonsense"}, set()),
            ({"place": "root"}, {"cmp-03", "cmp-04"}),
            ({"place": "child"}, {"cmp-03-numa0"}),
            ({"class": "pcpu"}, {"cmp-03-numa0"}),
            ({"trait": "custom_fast"}, {"cmp-03"}),
            ({"aggregate": A_UUID.upper()}, {"cmp-03"}),
            ({"tree": "cmp-03-numa0"}, {"cmp-03", "cmp-03-numa0"}),
            ({"q": "numa"}, {"cmp-03-numa0"}),
        ],
    )
    def test_is_narrowed(self, viewer, query, found):
        assert names(viewer, **query) == found

    def test_finds_a_provider_by_its_uuid_in_any_spelling(self, viewer):
        row = ResourceProvider.objects.get(name="cmp-04")

        for spelling in (row.uuid.upper(), row.uuid.replace("-", ""), row.uuid[:13]):
            assert names(viewer, q=spelling) == {"cmp-04"}

    def test_shows_how_full_each_class_is_and_what_it_is_below(self, viewer):
        text = text_of(viewer.get(LIST))

        assert "VCPU 4 / 4 100 % FULL" in text
        assert "PCPU 1 / 8 12 %" in text


class TestThePage:
    def test_shows_the_tree_and_who_shares_with_it(self, viewer, db):
        root = provider(name="cmp-03", vcpu=4, aggregates=(A_UUID,))
        provider(name="cmp-03-numa0", parent=root, pcpu=8)
        provider(name="nfs-a", disk_gb=1000, traits=(forest.SHARING_TRAIT,), aggregates=(A_UUID,))

        text = text_of(page(viewer, root))

        assert "1 below, fullest 0 %" in text
        assert "cmp-03-numa0" in text
        assert "Shares with it nfs-a DISK_GB 0 / 1,000 0 %" in text

    def test_shows_who_holds_what_of_it(self, viewer, db):
        host = provider(name="cmp-03", vcpu=4, memory_mb=1024)
        consumer = claimed({host: {"VCPU": 2, "MEMORY_MB": 512}})

        text = text_of(page(viewer, host))

        assert f"{consumer.uuid[:8]} VCPU 2, MEMORY_MB 512" in text

    def test_says_who_took_away_what_is_claimed(self, viewer, db):
        host = provider(name="cmp-03", vcpu=8)
        claimed({host: {"VCPU": 8}})
        host.refresh_from_db()
        inventories.replace(
            provider=host.uuid,
            generation=host.generation,
            resource_class="VCPU",
            record=Record(total=4),
            origin=client_origin("svc-nova", "req-9"),
        )

        text = text_of(page(viewer, host))

        assert "OVER More is claimed than there is" in text
        assert "by svc-nova (placement): VCPU" in text
        assert "total 8 → 4" in text

    def test_says_nothing_of_that_where_all_is_well(self, viewer, db):
        host = provider(name="cmp-03", vcpu=8)
        claimed({host: {"VCPU": 8}})

        assert "More is claimed than there is" not in text_of(page(viewer, host))

    def test_leads_to_the_question_why_a_request_would_not_land_here(self, viewer, db):
        host = provider(vcpu=8)

        assert f"{reverse('admin:explain')}?in_tree={host.uuid}" in page(viewer, host).content.decode()

    def test_of_nobody_leads_back_to_the_first_page(self, viewer, db):
        response = viewer.get(reverse("admin:placement_app_resourceprovider_change", args=[A_UUID]))

        assert response.status_code == 302
