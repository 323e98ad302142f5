"""Moving a consumer to another project or user, by button."""

from django.contrib.admin.models import LogEntry
from django.urls import reverse

from placement_app.models import Allocation, ClaimEvent, Consumer
from tests.admin.acting import PROJECT, USER, ActPage, claimed, claims_again, text_of
from tests.builders import claim, provider

OTHER = "99999999-0000-4000-8000-000000000009"


def url(consumer) -> str:
    return f"{reverse('admin:placement_app_consumer_act', args=['move-owner'])}?target={consumer.uuid}"


def pressed(page, consumer, **typed):
    return page.press(
        **{"project_id": OTHER, "user_id": USER, "reason": "merger", "typed": consumer.uuid[-4:], **typed}
    )


class TestMovingAConsumer:
    def test_gives_it_another_owner_and_leaves_what_it_holds(self, operator_client):
        consumer = claimed({provider(vcpu=4): {"VCPU": 2}})

        response = pressed(ActPage(operator_client, url(consumer)), consumer)

        moved = Consumer.objects.get()
        assert response.status_code == 302
        assert (moved.project_id, moved.user_id, moved.consumer_type) == (OTHER, USER, "INSTANCE")
        assert Allocation.objects.get().used == 2

    def test_moves_its_generation_so_that_its_client_learns_of_it(self, operator_client, api):
        """An edit by hand beside a client that had read before: the client must not overwrite it unawares."""
        host = provider(vcpu=4)
        consumer = claimed({host: {"VCPU": 2}})

        pressed(ActPage(operator_client, url(consumer)), consumer)
        late = api.put(f"/allocations/{consumer.uuid}", claim({host: {"VCPU": 3}}, generation=1))

        assert Consumer.objects.get().generation == 2
        assert late.status_code == 409

    def test_leaves_a_line_in_the_history_and_in_the_log(self, operator_client):
        consumer = claimed({provider(vcpu=4): {"VCPU": 2}})

        pressed(ActPage(operator_client, url(consumer)), consumer)

        event = ClaimEvent.objects.get(event="moved")
        assert event.before == {"project_id": PROJECT, "user_id": USER}
        assert event.after == {"project_id": OTHER, "user_id": USER}
        assert (event.door, event.actor, event.reason) == ("admin", "operate-on-duty", "merger")
        assert OTHER in LogEntry.objects.get().change_message

    def test_takes_any_spelling_of_a_uuid(self, operator_client):
        consumer = claimed({provider(vcpu=4): {"VCPU": 2}})

        pressed(ActPage(operator_client, url(consumer)), consumer, project_id=OTHER.replace("-", "").upper())

        assert Consumer.objects.get().project_id == OTHER

    def test_does_nothing_when_it_was_written_meanwhile(self, operator_client):
        host = provider(vcpu=4)
        consumer = claimed({host: {"VCPU": 2}})
        page = ActPage(operator_client, url(consumer))
        claims_again(consumer, {host: {"VCPU": 3}}, actor="svc-nova")

        response = pressed(page, consumer)

        assert response.status_code == 409
        assert "by svc-nova (placement)" in text_of(response)
        assert Consumer.objects.get().project_id == PROJECT

    def test_is_one_at_a_time(self, operator_client):
        host = provider(vcpu=4)
        first, second = claimed({host: {"VCPU": 1}}), claimed({host: {"VCPU": 1}})

        response = operator_client.get(f"{url(first)}&target={second.uuid}")

        assert response.status_code == 302
        assert Consumer.objects.filter(project_id=PROJECT).count() == 2

    def test_is_not_for_viewers(self, viewer):
        consumer = claimed({provider(vcpu=4): {"VCPU": 2}})

        assert viewer.get(url(consumer)).status_code == 403
