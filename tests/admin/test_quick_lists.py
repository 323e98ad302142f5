"""Pages cost a bounded number of statements, however many rows there are, and count no table to its end."""

import re

import pytest
from django.contrib import admin
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from claimsite.foundation.admin.lists import PAGES_AHEAD
from claimsite.foundation.admin.pages import ReadOnlyModelAdmin
from placement_app.models import Allocation, ClaimEvent, Consumer
from tests.admin.acting import claimed
from tests.admin.test_conflicts import refused_claim
from tests.builders import provider

MOST_STATEMENTS = 13
PAGES = [page for page in admin.site._registry.values() if isinstance(page, ReadOnlyModelAdmin)]


def statements(client, url: str, **query) -> list[str]:
    with CaptureQueriesContext(connection) as captured:
        response = client.get(url, query)
    assert response.status_code == 200
    return [query["sql"] for query in captured]


def fill(times: int) -> None:
    host = provider(vcpu=1000, disk_gb=1000, traits=("HW_CPU_X86_AVX2",))
    for _ in range(times):
        child = provider(parent=host, vcpu=4)
        claimed({host: {"VCPU": 1, "DISK_GB": 1}, child: {"VCPU": 1}})
        refused_claim(child, 9)


class TestAList:
    @pytest.mark.parametrize("page", PAGES, ids=lambda page: page.opts.label)
    def test_costs_the_same_for_few_rows_and_for_many(self, viewer, page):
        fill(2)
        few = statements(viewer, page.list_url)
        fill(8)
        many = statements(viewer, page.list_url)

        assert len(many) <= len(few)
        assert len(many) <= MOST_STATEMENTS

    @pytest.mark.parametrize("page", PAGES, ids=lambda page: page.opts.label)
    def test_counts_no_table_to_its_end(self, viewer, page):
        fill(1)

        unbounded = [sql for sql in statements(viewer, page.list_url) if "COUNT(*)" in sql and "LIMIT" not in sql]

        assert unbounded == []

    def test_says_how_far_it_counted(self, viewer, db):
        Consumer.objects.bulk_create(
            Consumer(uuid=f"{n:036}", project_id="p", user_id="u") for n in range((PAGES_AHEAD + 1) * 50 + 5)
        )

        response = viewer.get(reverse("admin:placement_app_consumer_changelist"))

        assert f"more than {(PAGES_AHEAD + 1) * 50}" in response.content.decode()
        assert len(response.context["cl"].result_list) == 50

    def test_lets_one_leaf_on_beyond_what_was_counted(self, viewer, db):
        Consumer.objects.bulk_create(Consumer(uuid=f"{n:036}", project_id="p", user_id="u") for n in range(700))

        response = viewer.get(reverse("admin:placement_app_consumer_changelist"), {"p": "14"})

        assert len(response.context["cl"].result_list) == 50

    def test_reads_no_more_than_a_page_of_a_big_table(self, viewer, db):
        Consumer.objects.bulk_create(Consumer(uuid=f"{n:036}", project_id="p", user_id="u") for n in range(200))

        reads = statements(viewer, reverse("admin:placement_app_consumer_changelist"))

        of_consumers = [sql for sql in reads if re.search(r'FROM "placement_app_consumer"', sql)]
        assert of_consumers
        assert all("LIMIT" in sql for sql in of_consumers)


class TestAPage:
    def test_of_a_consumer_costs_the_same_however_long_its_story(self, viewer):
        """Mozilla Experimenter #13990: a query a line made history pages time out."""
        host = provider(vcpu=1000)
        consumer = claimed({host: {"VCPU": 1}})
        url = reverse("admin:placement_app_consumer_change", args=[consumer.uuid])
        few = statements(viewer, url)
        ClaimEvent.objects.bulk_create(
            ClaimEvent(
                event="changed",
                consumer_uuid=consumer.uuid,
                consumer_generation=n,
                provider_uuid=host.uuid,
                door="placement",
                actor=f"actor-{n % 300}",
            )
            for n in range(500)
        )

        many = statements(viewer, url)

        assert len(many) == len(few) <= MOST_STATEMENTS

    def test_of_a_provider_costs_the_same_however_big_its_tree(self, viewer):
        fill(1)
        host = Allocation.objects.first().provider
        url = reverse("admin:placement_app_resourceprovider_change", args=[host.uuid])
        few = statements(viewer, url)
        for _ in range(5):
            claimed({host: {"VCPU": 1}, provider(parent=host, vcpu=4): {"VCPU": 1}})

        many = statements(viewer, url)

        assert len(many) == len(few) <= 18

    def test_of_a_conflict_costs_the_same_however_many_others(self, viewer):
        host = provider(vcpu=4)
        record = refused_claim(host, 9)
        url = reverse("admin:placement_app_conflictrecord_change", args=[record.pk])
        few = statements(viewer, url)
        for _ in range(10):
            refused_claim(host, 9)

        many = statements(viewer, url)

        assert len(many) == len(few) <= 20

    def test_home_costs_the_same_for_few_rows_and_for_many(self, viewer):
        fill(2)
        few = statements(viewer, reverse("admin:index"))
        fill(10)
        many = statements(viewer, reverse("admin:index"))

        assert len(many) <= len(few) <= 35

    def test_home_looks_closely_at_no_provider_that_was_never_a_machine(self, viewer):
        provider(vcpu=8)
        few = statements(viewer, reverse("admin:index"))
        for _ in range(300):
            provider(vcpu=8)
        many = statements(viewer, reverse("admin:index"))

        assert len(many) == len(few)

    @pytest.mark.parametrize("page", ["index", "heat"])
    def test_that_reads_itself_again_writes_nothing(self, viewer, page):
        """Every few seconds, for every tab: SQLite has one writer."""
        fill(1)

        assert {sql.split()[0] for sql in statements(viewer, reverse(f"admin:{page}"))} == {"SELECT"}

    def test_home_counts_no_big_table_to_its_end(self, viewer):
        fill(1)

        counts = [sql for sql in statements(viewer, reverse("admin:index")) if "COUNT(*)" in sql]

        assert counts
        assert all("LIMIT" in sql for sql in counts)
