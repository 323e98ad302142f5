"""Releasing what consumers hold, by button."""

from datetime import timedelta

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.messages import get_messages
from django.urls import reverse

from claimsite.foundation.admin.acts import MOST_AT_ONCE
from placement_app.admin.consumer_acts import ReleaseClaims
from placement_app.models import Allocation, ClaimEvent, ConflictRecord, Consumer, Inventory
from tests.admin.acting import ActPage, claimed, claims_again, text_of
from tests.builders import provider


def url(*consumers) -> str:
    targets = "&".join(f"target={consumer.uuid}" for consumer in consumers)
    return f"{reverse('admin:placement_app_consumer_act', args=['release'])}?{targets}"


def told(response) -> str:
    return " ".join(str(message) for message in get_messages(response.wsgi_request))


@pytest.fixture
def host(db):
    return provider(name="cmp-07", vcpu=8)


class TestThePage:
    def test_shows_what_will_be_released_and_from_whom(self, operator_client, host):
        consumer = claimed({host: {"VCPU": 2}})

        page = ActPage(operator_client, url(consumer))

        assert "VCPU 2 on cmp-07" in page.text
        assert consumer.project_id in page.text
        assert "claimed at" in page.text
        assert "by nova (placement)" in page.text

    def test_carries_the_generation_that_it_shows(self, operator_client, host):
        consumer = claimed({host: {"VCPU": 2}})

        page = ActPage(operator_client, url(consumer))

        assert page.carried[f"seen-{consumer.uuid}"] == ["1"]

    def test_changes_nothing_by_being_looked_at(self, operator_client, host):
        consumer = claimed({host: {"VCPU": 2}})

        ActPage(operator_client, url(consumer))

        assert Consumer.objects.get(uuid=consumer.uuid).generation == 1
        assert Allocation.objects.count() == 1

    def test_warns_of_a_claim_that_may_still_be_in_the_making(self, operator_client, host):
        consumer = claimed({host: {"VCPU": 2}}, age=timedelta(minutes=3))

        page = ActPage(operator_client, url(consumer))

        assert "may still be in the making" in page.text

    def test_has_no_button_for_a_claim_of_this_minute(self, operator_client, host):
        consumer = claimed({host: {"VCPU": 2}}, age=timedelta(seconds=5))

        page = ActPage(operator_client, url(consumer))

        assert "Look again at" in page.text
        assert '<button type="submit" class="cs-button cs-amber"' not in page.response.content.decode()

    def test_says_the_same_where_the_button_would_be(self, operator_client, host):
        consumer = claimed({host: {"VCPU": 2}}, age=timedelta(seconds=5))

        response = operator_client.get(reverse("admin:placement_app_consumer_change", args=[consumer.uuid]))

        assert "Release claims: not now." in text_of(response)

    def test_names_the_command_that_does_the_same(self, operator_client, host):
        consumer = claimed({host: {"VCPU": 2}})

        page = ActPage(operator_client, url(consumer))

        assert f"openstack resource provider allocation delete {consumer.uuid}" in page.text


class TestReleasing:
    def test_frees_all_that_the_consumer_held(self, operator_client, host):
        consumer = claimed({host: {"VCPU": 2}})

        response = ActPage(operator_client, url(consumer)).press(reason="ticket 4711", typed=consumer.uuid[-4:])

        assert response.status_code == 302
        assert not Consumer.objects.exists()
        assert not Allocation.objects.exists()
        assert Inventory.objects.get(provider=host).used == 0

    def test_is_written_into_the_history_with_name_door_and_reason(self, operator_client, host):
        consumer = claimed({host: {"VCPU": 2}})

        ActPage(operator_client, url(consumer)).press(reason="ticket 4711", typed=consumer.uuid)

        event = ClaimEvent.objects.get(event="released")
        assert (event.door, event.actor, event.reason) == ("admin", "operate-on-duty", "ticket 4711")
        assert event.request_id.startswith("req-")

    def test_is_written_into_the_operators_log(self, operator_client, host):
        consumer = claimed({host: {"VCPU": 2}})

        ActPage(operator_client, url(consumer)).press(reason="ticket 4711", typed=consumer.uuid)

        entry = LogEntry.objects.get()
        assert entry.user.username == "operate-on-duty"
        assert entry.object_id == consumer.uuid
        assert "VCPU 2 on cmp-07" in entry.change_message
        assert "ticket 4711" in entry.change_message

    @pytest.mark.parametrize(
        ("typed", "reason"), [("", "because"), ("wrong", "because"), ("right", ""), ("right", "   ")]
    )
    def test_needs_a_reason_and_the_right_word(self, operator_client, host, typed, reason):
        consumer = claimed({host: {"VCPU": 2}})

        response = ActPage(operator_client, url(consumer)).press(
            reason=reason, typed=consumer.uuid[-4:] if typed == "right" else typed
        )

        assert response.status_code == 200
        assert Allocation.objects.count() == 1

    def test_leads_to_what_is_remembered_of_the_consumer(self, operator_client, host):
        consumer = claimed({host: {"VCPU": 2}})

        response = ActPage(operator_client, url(consumer)).press(reason="ticket", typed=consumer.uuid[-4:])

        assert response.url == reverse("admin:placement_app_consumer_change", args=[consumer.uuid])
        assert "holds nothing" in text_of(operator_client.get(response.url))


class TestALostRace:
    def test_does_nothing_when_the_consumer_was_written_meanwhile(self, operator_client, host):
        consumer = claimed({host: {"VCPU": 2}})
        page = ActPage(operator_client, url(consumer))
        claims_again(consumer, {host: {"VCPU": 3}}, actor="svc-nova")

        response = page.press(reason="ticket", typed=consumer.uuid[-4:])

        assert response.status_code == 409
        assert Allocation.objects.get().used == 3
        assert not LogEntry.objects.exists()

    def test_says_who_changed_it_and_shows_what_is_so_now(self, operator_client, host):
        consumer = claimed({host: {"VCPU": 2}})
        page = ActPage(operator_client, url(consumer))
        claims_again(consumer, {host: {"VCPU": 3}}, actor="svc-nova")

        text = text_of(page.press(reason="ticket", typed=consumer.uuid[-4:]))

        assert "Changed since you looked" in text
        assert "went from generation 1 to 2" in text
        assert "by svc-nova (placement)" in text
        assert "Nothing was done." in text
        assert "VCPU 3 on cmp-07" in text

    def test_is_kept_as_a_conflict_of_the_operator(self, operator_client, host):
        consumer = claimed({host: {"VCPU": 2}})
        page = ActPage(operator_client, url(consumer))
        claims_again(consumer, {host: {"VCPU": 3}})

        page.press(reason="ticket", typed=consumer.uuid[-4:])

        record = ConflictRecord.objects.get()
        assert (record.door, record.actor, record.operation) == ("admin", "operate-on-duty", "allocations.release")

    def test_never_takes_from_a_new_holder_of_the_same_name(self, operator_client, host):
        """labgrid #894: released, claimed anew, and released again by whoever had looked before."""
        consumer = claimed({host: {"VCPU": 2}})
        claims_again(consumer, {host: {"VCPU": 2}})
        page = ActPage(operator_client, url(consumer))
        ActPage(operator_client, url(consumer)).press(reason="first", typed=consumer.uuid[-4:])
        claimed({host: {"VCPU": 2}}, uuid=consumer.uuid)

        response = page.press(reason="second", typed=consumer.uuid[-4:])

        assert response.status_code == 409
        assert Allocation.objects.count() == 1

    def test_that_is_over_already_is_told(self, operator_client, host):
        consumer = claimed({host: {"VCPU": 2}})
        page = ActPage(operator_client, url(consumer))
        ActPage(operator_client, url(consumer)).press(reason="first", typed=consumer.uuid[-4:])

        response = page.press(reason="second", typed=consumer.uuid[-4:])

        assert response.status_code == 409
        assert "holds nothing any more" in text_of(response)
        assert LogEntry.objects.count() == 1

    @pytest.mark.parametrize("seen", ["", "x", "0", "99999999999999999999"])
    def test_is_what_a_page_without_its_generation_gets(self, operator_client, host, seen):
        consumer = claimed({host: {"VCPU": 2}})
        page = ActPage(operator_client, url(consumer))

        response = page.press(reason="ticket", typed=consumer.uuid[-4:], **{f"seen-{consumer.uuid}": seen})

        assert response.status_code == 409
        assert Allocation.objects.count() == 1


class TestSeveralAtOnce:
    def test_are_chosen_in_the_list(self, operator_client, host):
        consumers = [claimed({host: {"VCPU": 1}}) for _ in range(2)]

        response = operator_client.post(
            reverse("admin:placement_app_consumer_changelist"),
            {"action": "release", "_selected_action": [consumer.uuid for consumer in consumers]},
        )

        assert response.status_code == 302
        assert response.url.startswith(reverse("admin:placement_app_consumer_act", args=["release"]))
        assert all(consumer.uuid in response.url for consumer in consumers)

    def test_are_released_each_by_itself(self, operator_client, host):
        first, second, third = (claimed({host: {"VCPU": 1}}) for _ in range(3))
        page = ActPage(operator_client, url(first, second, third))
        claims_again(second, {host: {"VCPU": 2}})

        response = page.press(reason="ticket", typed="release 3")

        assert set(Consumer.objects.values_list("uuid", flat=True)) == {second.uuid}
        assert told(response).count("Released consumer") == 2
        assert told(response).count("Changed since you looked") == 1
        assert LogEntry.objects.count() == 2

    def test_need_their_number_typed(self, operator_client, host):
        consumers = [claimed({host: {"VCPU": 1}}) for _ in range(2)]

        ActPage(operator_client, url(*consumers)).press(reason="ticket", typed=consumers[0].uuid[-4:])

        assert Consumer.objects.count() == 2

    def test_are_not_whole_lists(self, operator_client, host):
        big = provider(vcpu=100)
        consumers = [claimed({big: {"VCPU": 1}}) for _ in range(MOST_AT_ONCE + 1)]

        response = operator_client.get(url(*consumers))

        assert response.status_code == 302
        assert "at most at once" in told(response)


class TestWho:
    def test_a_viewer_sees_no_button_and_may_not(self, viewer, host):
        consumer = claimed({host: {"VCPU": 2}})

        page = viewer.get(reverse("admin:placement_app_consumer_change", args=[consumer.uuid]))
        tried = viewer.post(
            url(consumer), {"target": consumer.uuid, f"seen-{consumer.uuid}": "1", "typed": consumer.uuid}
        )

        assert "Release claims" not in text_of(page)
        assert tried.status_code == 403
        assert Allocation.objects.count() == 1

    def test_a_stranger_is_asked_to_log_in(self, anonymous, host):
        consumer = claimed({host: {"VCPU": 2}})

        response = anonymous.post(url(consumer), {"target": consumer.uuid, f"seen-{consumer.uuid}": "1"})

        assert response.status_code == 302
        assert reverse("admin:login") in response.url
        assert Allocation.objects.count() == 1

    def test_somebody_who_knows_more_can_forbid_it(self, operator_client, host, monkeypatch):
        consumer = claimed({host: {"VCPU": 2}})
        monkeypatch.setattr(ReleaseClaims, "guards", [lambda consumer: ["Node n1 runs it: undeploy first."]])
        page = ActPage(operator_client, url(consumer))

        response = operator_client.post(
            url(consumer),
            {"target": consumer.uuid, f"seen-{consumer.uuid}": "1", "reason": "x", "typed": consumer.uuid[-4:]},
        )

        assert "Node n1 runs it" in page.text
        assert response.status_code == 409
        assert Allocation.objects.count() == 1
