"""What became of who was refused: whether it got a claim later, or gave up."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from placement_app.models import ClaimEvent, ConflictRecord
from placement_app.services import inventories
from tests.admin.acting import claimed, client_origin, text_of
from tests.admin.test_conflicts import refused_claim
from tests.builders import provider

LIST = reverse("admin:placement_app_conflictrecord_changelist")


def ago(record: ConflictRecord, age: timedelta) -> ConflictRecord:
    ConflictRecord.objects.filter(pk=record.pk).update(created_at=timezone.now() - age)
    return record


def page(client, record) -> str:
    return text_of(client.get(reverse("admin:placement_app_conflictrecord_change", args=[record.pk])))


@pytest.fixture
def host(db):
    return provider(name="cmp-03", vcpu=4)


class TestAConsumerThatNeverGotIt:
    @pytest.fixture
    def record(self, host):
        return ago(refused_claim(host, 9), timedelta(minutes=2))

    def test_gave_up(self, viewer, record):
        assert "gave up" in text_of(viewer.get(LIST))
        assert "has given up" in page(viewer, record)

    def test_is_counted_on_the_first_page_which_leads_there(self, viewer, host, record):
        ago(refused_claim(host, 9), timedelta(minutes=2))

        numbers = {it.label: it for it in viewer.get(reverse("admin:index")).context["numbers"]}
        number = numbers["consumers that gave up, last day"]

        assert number.value == 2
        assert viewer.get(number.url).context["cl"].result_count == 2

    def test_is_counted_once_however_often_it_tried(self, viewer, record):
        twin = ConflictRecord.objects.get(pk=record.pk)
        twin.pk = None
        twin.save()
        ago(twin, timedelta(minutes=2))

        response = viewer.get(LIST)

        [provider] = response.context["fought_over"]
        assert (provider.conflicts, provider.consumers, provider.gave_up) == (2, 1, 1)
        assert response.context["gave_up"] == 1
        assert "1 consumer gave up : never got what it was refused." in text_of(response)

    def test_that_holds_something_from_before_gave_up_all_the_same(self, viewer, host):
        consumer = claimed({host: {"VCPU": 1}})
        ClaimEvent.objects.update(created_at=timezone.now() - timedelta(minutes=3))
        ago(refused_claim(host, 9, uuid=consumer.uuid, expected=1), timedelta(minutes=2))

        assert viewer.get(LIST, {"outcome": "gave_up"}).context["cl"].result_count == 1

    def test_may_still_be_trying_at_first(self, viewer, host):
        record = refused_claim(host, 9)

        assert "may still be trying" in page(viewer, record)
        assert viewer.get(LIST, {"outcome": "open"}).context["cl"].result_count == 1
        assert viewer.get(LIST, {"outcome": "gave_up"}).context["cl"].result_count == 0


class TestAConsumerThatGotItLater:
    def test_is_told_with_how_long_it_took(self, viewer, host):
        record = ago(refused_claim(host, 9), timedelta(minutes=2))
        claimed({host: {"VCPU": 1}}, uuid=record.consumer_uuid)

        assert "got it 2 min later" in text_of(viewer.get(LIST))
        assert "given a claim 2 min later" in page(viewer, record)
        assert viewer.get(LIST, {"outcome": "got_it"}).context["cl"].result_count == 1
        assert "Nobody gave up" in text_of(viewer.get(LIST))


class TestAWriteThatAskedForNoClaim:
    def test_has_no_outcome(self, viewer, host):
        with pytest.raises(Exception, match="generation"):
            inventories.replace_all(provider=host.uuid, generation=7, records={}, origin=client_origin())
        record = ago(ConflictRecord.objects.get(), timedelta(minutes=2))

        assert "gave up" not in page(viewer, record)
        for outcome in ("gave_up", "got_it", "open"):
            assert viewer.get(LIST, {"outcome": outcome}).context["cl"].result_count == 0


class TestNonsense:
    def test_finds_nothing(self, viewer, host):
        refused_claim(host, 9)

        assert viewer.get(LIST, {"outcome": "whatever"}).context["cl"].result_count == 0
