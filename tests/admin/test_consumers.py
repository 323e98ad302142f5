"""The pages of consumers: who holds what."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from claimsite.foundation.uuids import new_uuid
from placement_app.admin import timeline
from placement_app.models import ClaimEvent, Consumer
from placement_app.services import allocations
from tests.admin.acting import PROJECT, claimed, claims_again, client_origin, text_of
from tests.builders import claim, provider

LIST = reverse("admin:placement_app_consumer_changelist")
OTHER = "99999999-0000-4000-8000-000000000009"


def page_of(uuid: str) -> str:
    return reverse("admin:placement_app_consumer_change", args=[uuid])


def shown(response) -> set[str]:
    return {row.uuid for row in response.context["cl"].result_list}


@pytest.fixture
def host(db):
    return provider(name="cmp-07", vcpu=64)


class TestTheList:
    def test_says_what_each_holds_and_where(self, viewer, host):
        claimed({host: {"VCPU": 2}})

        assert "cmp-07 VCPU 2" in text_of(viewer.get(LIST))

    @pytest.mark.parametrize("column", range(1, 7))
    def test_shows_each_once_on_all_its_pages_whatever_is_equal(self, viewer, db, column):
        """DRF #6886: rows with equal keys moved between pages, some shown twice and some never."""
        Consumer.objects.bulk_create(Consumer(uuid=new_uuid(), project_id="p", user_id="u") for _ in range(120))
        Consumer.objects.update(created_at=timezone.now())

        pages = [viewer.get(LIST, {"o": str(column), "p": str(page)}) for page in (1, 2, 3)]

        rows = [row.uuid for page in pages for row in page.context["cl"].result_list]
        assert len(rows) == len(set(rows)) == 120

    def test_teaches_where_it_is_empty(self, viewer):
        text = text_of(viewer.get(LIST))

        assert "Nothing here now." in text
        assert "Consumers are whoever holds allocations" in text

    @pytest.mark.parametrize(
        "filters",
        [
            {"project": OTHER},
            {"project": OTHER.replace("-", "").upper()},
            {"user": OTHER},
            {"type": "MIGRATION"},
            {"provider": "cmp-08"},
            {"generation": "2"},
            {"generation": ">1"},
            {"age": "1h"},
            {"holds": "something", "type": "MIGRATION"},
        ],
    )
    def test_is_narrowed_by(self, viewer, host, filters):
        claimed({host: {"VCPU": 2}})
        other = provider(name="cmp-08", vcpu=4)
        wanted = claimed(
            {other: {"VCPU": 1}}, project=OTHER, user=OTHER, consumer_type="MIGRATION", age=timedelta(minutes=5)
        )
        Consumer.objects.filter(uuid=wanted.uuid).update(generation=2)

        assert shown(viewer.get(LIST, filters)) == {wanted.uuid}

    def test_finds_those_that_hold_nothing(self, viewer, host):
        claimed({host: {"VCPU": 2}})
        Consumer.objects.create(uuid=OTHER, project_id=PROJECT, user_id="user")

        assert shown(viewer.get(LIST, {"holds": "nothing"})) == {OTHER}

    def test_finds_the_old_ones(self, viewer, host):
        claimed({host: {"VCPU": 2}})
        old = claimed({host: {"VCPU": 1}}, age=timedelta(days=30))

        assert shown(viewer.get(LIST, {"age": "-7d"})) == {old.uuid}

    @pytest.mark.parametrize("spelt", [str, str.upper, lambda it: it.replace("-", ""), lambda it: f"{{{it}}}"])
    def test_is_searched_by_any_spelling_of_a_uuid(self, viewer, host, spelt):
        claimed({host: {"VCPU": 1}})
        wanted = claimed({host: {"VCPU": 1}})

        assert shown(viewer.get(LIST, {"q": spelt(wanted.uuid)})) == {wanted.uuid}

    @pytest.mark.parametrize("length", [4, 8, 11])
    def test_is_searched_by_how_a_uuid_begins(self, viewer, host, length):
        claimed({host: {"VCPU": 1}}, uuid="11111111-aaaa-4000-8000-000000000000")
        wanted = claimed({host: {"VCPU": 1}}, uuid="22222222-bbbb-4000-8000-000000000000")

        assert shown(viewer.get(LIST, {"q": wanted.uuid.replace("-", "")[:length]})) == {wanted.uuid}

    @pytest.mark.parametrize(
        "filters", [{"generation": "many"}, {"age": "x"}, {"p": "x"}, {"p": "99999999"}, {"o": "99"}]
    )
    def test_survives_nonsense(self, viewer, host, filters):
        claimed({host: {"VCPU": 1}})

        assert viewer.get(LIST, filters).status_code in {200, 302}


class TestThePage:
    def test_says_what_it_holds_and_whose_it_is(self, viewer, host):
        consumer = claimed({host: {"VCPU": 2}})

        text = text_of(viewer.get(page_of(consumer.uuid)))

        assert "cmp-07" in text
        assert "VCPU 2" in text
        assert PROJECT in text
        assert "INSTANCE" in text

    def test_is_found_under_any_spelling(self, viewer, host):
        consumer = claimed({host: {"VCPU": 2}})

        assert consumer.uuid in text_of(viewer.get(page_of(consumer.uuid.replace("-", "").upper())))

    def test_tells_all_that_happened_newest_first(self, viewer, host, api):
        consumer = claimed({host: {"VCPU": 2}})
        claims_again(consumer, {host: {"VCPU": 3}})
        api.put(f"/allocations/{consumer.uuid}", claim({host: {"VCPU": 1}}, generation=1))
        allocations.release(consumer_uuid=consumer.uuid, origin=client_origin("admin", "req-9"))

        lines = viewer.get(page_of(consumer.uuid)).context["timeline"].lines

        assert [line.kind for line in lines] == ["released", "refused", "changed", "claimed"]
        assert lines[2].what == "VCPU 2 → VCPU 3"
        assert (lines[0].actor, lines[0].door, lines[0].request_id) == ("admin", "placement", "req-9")

    def test_remembers_a_consumer_that_is_gone(self, viewer, host):
        consumer = claimed({host: {"VCPU": 2}})
        allocations.release(consumer_uuid=consumer.uuid, origin=client_origin())

        text = text_of(viewer.get(page_of(consumer.uuid)))

        assert "holds nothing" in text
        assert PROJECT in text
        assert "released" in text

    def test_remembers_one_that_was_only_ever_refused(self, viewer, host, api):
        uuid = new_uuid()
        api.put(f"/allocations/{uuid}", claim({host: {"VCPU": 65}}))

        assert "CapacityExceeded" in text_of(viewer.get(page_of(uuid)))

    def test_of_one_never_heard_of_leads_back_to_the_list(self, viewer):
        response = viewer.get(page_of(new_uuid()))

        assert response.status_code == 302

    def test_tells_a_long_story_by_pages_without_losing_a_line(self, viewer, host):
        consumer = claimed({host: {"VCPU": 1}})
        now = timezone.now()
        ClaimEvent.objects.bulk_create(
            ClaimEvent(
                event="changed",
                consumer_uuid=consumer.uuid,
                consumer_generation=number,
                provider_uuid=host.uuid,
                door="placement",
                actor=f"actor-{number % 300}",
            )
            for number in range(2 * timeline.PAGE + 5)
        )
        ClaimEvent.objects.update(created_at=now)

        seen, older = [], ""
        while True:
            page = viewer.get(page_of(consumer.uuid), {"older": older}).context["timeline"]
            seen += [line.generation for line in page.lines]
            older = page.older
            if not older:
                break

        assert len(seen) == 2 * timeline.PAGE + 6
        assert seen[:-1] == list(reversed(range(2 * timeline.PAGE + 5)))

    def test_takes_no_orders(self, operator_client, host):
        consumer = claimed({host: {"VCPU": 2}})

        assert operator_client.post(page_of(consumer.uuid), {"project_id": "mine"}).status_code == 405
        assert operator_client.get(f"{page_of(consumer.uuid)[:-7]}delete/").status_code == 403
        assert Consumer.objects.get().project_id == PROJECT
