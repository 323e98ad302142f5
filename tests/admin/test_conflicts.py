"""The pages of conflicts: who was refused what because of whom."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from claimsite.foundation.errors import DatabaseRaceLost, DomainError
from claimsite.foundation.uuids import new_uuid
from placement_app.admin import conflicts
from placement_app.admin.fights import FoughtOver
from placement_app.claims import Claim, Owner
from placement_app.models import ConflictRecord, ResourceProvider
from placement_app.services import allocations, conflict_log, inventories, providers
from placement_app.services.inventories import Record
from tests.admin.acting import PROJECT, claimed, claims_again, client_origin, text_of
from tests.builders import claim, provider

LIST = reverse("admin:placement_app_conflictrecord_changelist")


@pytest.fixture
def host(db):
    return provider(name="cmp-03", vcpu={"total": 4, "max_unit": 4})


def refused(call, **arguments) -> ConflictRecord:
    with pytest.raises(DomainError):
        call(origin=client_origin("svc-nova", "req-7"), **arguments)
    return ConflictRecord.objects.order_by("-pk")[0]


def refused_claim(host, amount: int, *, uuid: str = "", expected: int | None = None) -> ConflictRecord:
    wanted = Claim(uuid or new_uuid(), {host.uuid: {"VCPU": amount}}, Owner(PROJECT, "user"), expected, "INSTANCE")
    return refused(allocations.replace, claims=[wanted])


def story(client, record) -> str:
    return text_of(client.get(reverse("admin:placement_app_conflictrecord_change", args=[record.pk])))


def shown(response) -> list[int]:
    return [row.pk for row in response.context["cl"].result_list]


class TestTheList:
    def test_teaches_where_it_is_empty(self, viewer, db):
        assert "A write that is refused" in text_of(viewer.get(LIST))

    def test_is_newest_first_and_says_what_was_wanted(self, viewer, host):
        first, second = refused_claim(host, 5 - 1 + 4), refused_claim(host, 7)

        response = viewer.get(LIST)

        assert shown(response) == [second.pk, first.pk]
        assert "VCPU 7" in text_of(response)

    @pytest.mark.parametrize("by", ["kind", "provider", "consumer", "actor", "request"])
    def test_is_narrowed(self, viewer, host, by):
        wanted = refused_claim(host, 8)
        ConflictRecord.objects.create(
            operation="providers.delete", reason="ProviderInUse", text="In use.", door="command"
        )
        value = {
            "kind": "UnitsViolated",
            "provider": host.uuid.upper(),
            "consumer": wanted.consumer_uuid,
            "actor": "svc-nova",
            "request": "req-7",
        }[by]

        assert shown(viewer.get(LIST, {by: value})) == [wanted.pk]

    def test_is_narrowed_by_time(self, viewer, host):
        old, new = refused_claim(host, 8), refused_claim(host, 8)
        ConflictRecord.objects.filter(pk=old.pk).update(created_at=timezone.now() - timedelta(hours=3))

        assert shown(viewer.get(LIST, {"when": "1h"})) == [new.pk]

    def test_offers_every_kind_that_there_is(self):
        assert {"CapacityExceeded", "ConsumerGenerationConflict", "ProviderInUse", "DatabaseRaceLost"} <= set(
            conflicts.KINDS
        )
        assert "Conflict" not in conflicts.KINDS

    def test_counts_by_time_kind_and_provider(self, viewer, host):
        for _ in range(3):
            refused_claim(host, 8)
        ConflictRecord.objects.filter(pk=ConflictRecord.objects.first().pk).update(
            created_at=timezone.now() - timedelta(hours=5)
        )

        context = viewer.get(LIST).context
        overview = context["overview"]

        assert overview.total == 3
        assert (overview.chart.values[-1], overview.chart.values[-6]) == (2, 1)
        assert overview.kinds == [("UnitsViolated", 3)]
        assert context["fought_over"] == [FoughtOver(host.uuid, "cmp-03", conflicts=3, consumers=3, gave_up=1)]


class TestTheStory:
    def test_of_a_full_provider(self, viewer, host):
        claimed({host: {"VCPU": 3}})
        record = refused_claim(host, 2)

        text = story(viewer, record)

        assert f"svc-nova, for project {PROJECT}, wanted VCPU 2 of cmp-03 for consumer {record.consumer_uuid}" in text
        assert "by the placement door" in text
        assert "Of cmp-03's VCPU only 1 of 4 were free (3 of 4 used), and 2 were wanted." in text
        assert "Now 1 VCPU of 4 are free on cmp-03 (2 wanted)." in text
        assert "would fail" in text

    def test_says_that_it_would_succeed_once_there_is_room(self, viewer, host):
        holder = claimed({host: {"VCPU": 3}})
        record = refused_claim(host, 2)
        allocations.release(consumer_uuid=holder.uuid, origin=client_origin())

        text = story(viewer, record)

        assert "Now 4 VCPU of 4 are free on cmp-03 (2 wanted)." in text
        assert "The same claim would succeed if it names no generation (null)" in text

    def test_names_the_share_of_who_was_refused_and_has_some_now(self, viewer, host):
        carol = new_uuid()
        claimed({host: {"VCPU": 1}})
        record = refused_claim(host, 4, uuid=carol)
        claimed({host: {"VCPU": 3}}, uuid=carol)

        text = story(viewer, record)

        assert "Now 0 VCPU of 4 are free on cmp-03, besides the 3 that the consumer has itself (4 wanted)." in text
        assert (
            "Of cmp-03's VCPU others have 1 of 4: with the consumer's own 3 it could have 3 at most, and 4 are wanted."
        ) in text
        assert "only 3 of 4 are free" not in text

    def test_of_an_amount_against_the_rules(self, viewer, host):
        text = story(viewer, refused_claim(host, 8))

        assert "8 VCPU break the rules of the inventory of cmp-03: at least 1, at most 4, in steps of 1." in text

    def test_of_an_old_generation_of_a_consumer(self, viewer, host):
        consumer = claimed({host: {"VCPU": 1}})
        claims_again(consumer, {host: {"VCPU": 2}})
        record = refused_claim(host, 1, uuid=consumer.uuid, expected=1)

        text = story(viewer, record)

        assert "The writer named generation 1 of the consumer, which was at 2" in text
        assert "would succeed if it names generation 2" in text

    def test_of_a_consumer_believed_to_be_new(self, viewer, host):
        consumer = claimed({host: {"VCPU": 1}})

        text = story(viewer, refused_claim(host, 1, uuid=consumer.uuid))

        assert "believed the consumer to be new, but it was there already, at generation 1" in text

    def test_of_a_consumer_that_was_not_there(self, viewer, host):
        text = story(viewer, refused_claim(host, 1, expected=3))

        assert "named generation 3 of a consumer that was not there" in text
        assert "names no generation (null)" in text

    def test_of_an_old_generation_of_a_provider(self, viewer, host):
        claimed({host: {"VCPU": 1}})
        record = refused(
            inventories.replace, provider=host.uuid, generation=0, resource_class="VCPU", record=Record(total=8)
        )

        text = story(viewer, record)

        assert "svc-nova changed an inventory of cmp-03" in text
        assert "The writer named generation 0 of cmp-03, which was at 1" in text
        assert "claimed at" in text

    def test_of_a_provider_in_use_and_free_again(self, viewer, host):
        consumer = claimed({host: {"VCPU": 1}})
        record = refused(providers.delete, uuid=host.uuid)
        before = story(viewer, record)
        allocations.release(consumer_uuid=consumer.uuid, origin=client_origin())
        after = story(viewer, record)

        assert f"claimed now, by consumer {consumer.uuid}" in before
        assert "Nothing of it is claimed now. would succeed" in after

    def test_stays_readable_when_its_things_are_gone(self, viewer, host):
        record = refused_claim(host, 8)
        ResourceProvider.objects.all().delete()

        text = story(viewer, record)

        assert f"{host.uuid} (gone)" in text
        assert "is not there any more" in text

    def test_of_a_race_that_was_lost_to_the_end(self, viewer, db):
        error = DatabaseRaceLost()
        error.attempts = 11
        conflict_log.record("allocations.replace", error, client_origin("svc-nova"))

        text = story(viewer, ConflictRecord.objects.get())

        assert "11 times in a row" in text

    def test_of_a_record_that_remembers_little(self, viewer, db):
        record = ConflictRecord.objects.create(operation="x", reason="CapacityExceeded", text="No.", door="placement")

        assert "Somebody without a name" in story(viewer, record)

    def test_shows_the_others_at_the_time(self, viewer, host):
        winner = claimed({host: {"VCPU": 3}})
        record = refused_claim(host, 2)
        later = claimed({host: {"VCPU": 1}})

        contenders = viewer.get(reverse("admin:placement_app_conflictrecord_change", args=[record.pk])).context[
            "contenders"
        ]

        assert [(line.kind, line.consumer_uuid) for line in contenders] == [
            ("claimed", winner.uuid),
            ("refused", record.consumer_uuid),
            ("claimed", later.uuid),
        ]

    def test_tells_the_others_apart_where_their_uuids_begin_alike(self, viewer, host):
        claimed({host: {"VCPU": 1}}, uuid="dead0000-0001-4000-8000-000000000001")
        record = refused_claim(host, 4, uuid="dead0000-0002-4000-8000-000000000002")

        text = story(viewer, record)

        assert "claimed dead0000-0001 VCPU 1" in text

    def test_is_told_of_a_claim_by_the_real_door(self, viewer, host, api):
        api.put(f"/allocations/{new_uuid()}", claim({host: {"VCPU": 8}}, project=PROJECT))

        assert f"for project {PROJECT}, wanted VCPU 8 of cmp-03" in story(viewer, ConflictRecord.objects.get())
