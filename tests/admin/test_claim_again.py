"""The way back from a release."""

from django.urls import reverse

from placement_app.models import Allocation, ClaimEvent, Consumer
from placement_app.services import allocations
from tests.admin.acting import PROJECT, USER, ActPage, claimed, client_origin, text_of
from tests.builders import provider


def url(consumer) -> str:
    return f"{reverse('admin:placement_app_consumer_act', args=['claim-again'])}?target={consumer.uuid}"


class TestClaimingAgain:
    def test_gives_back_all_that_was_released_last(self, operator_client):
        first, second = provider(vcpu=4), provider(disk_gb=100)
        consumer = claimed({first: {"VCPU": 2}, second: {"DISK_GB": 10}})
        allocations.release(consumer_uuid=consumer.uuid, origin=client_origin())

        response = ActPage(operator_client, url(consumer)).press()

        held = set(Allocation.objects.values_list("provider__uuid", "resource_class__name", "used"))
        assert response.status_code == 302
        assert held == {(first.uuid, "VCPU", 2), (second.uuid, "DISK_GB", 10)}
        assert ClaimEvent.objects.first().actor == "operate-on-duty"

    def test_gives_it_back_to_a_consumer_of_the_same_kind(self, operator_client):
        consumer = claimed({provider(vcpu=4): {"VCPU": 2}}, consumer_type="MIGRATION")
        allocations.release(consumer_uuid=consumer.uuid, origin=client_origin())
        page = ActPage(operator_client, url(consumer))

        page.press()

        again = Consumer.objects.get()
        assert f"allocation set {consumer.uuid} --allocation rp=" in page.text
        assert "Type MIGRATION" in page.text
        assert (again.consumer_type, again.project_id, again.user_id) == ("MIGRATION", PROJECT, USER)

    def test_gives_back_nothing_if_some_of_it_is_taken(self, operator_client):
        host = provider(vcpu=4)
        consumer = claimed({host: {"VCPU": 3}})
        allocations.release(consumer_uuid=consumer.uuid, origin=client_origin())
        page = ActPage(operator_client, url(consumer))
        other = claimed({host: {"VCPU": 2}})

        response = page.press()

        assert response.status_code == 409
        assert "exceed the capacity" in text_of(response)
        assert Allocation.objects.get().consumer_id == other.uuid

    def test_does_nothing_when_the_consumer_is_back_already(self, operator_client):
        host = provider(vcpu=4)
        consumer = claimed({host: {"VCPU": 1}})
        allocations.release(consumer_uuid=consumer.uuid, origin=client_origin())
        page = ActPage(operator_client, url(consumer))
        claimed({host: {"VCPU": 2}}, uuid=consumer.uuid)

        response = page.press()

        assert response.status_code == 409
        assert Allocation.objects.get().used == 2

    def test_is_offered_where_something_was_released_only(self, operator_client):
        consumer = claimed({provider(vcpu=4): {"VCPU": 1}})
        page = reverse("admin:placement_app_consumer_change", args=[consumer.uuid])

        before = text_of(operator_client.get(page))
        allocations.release(consumer_uuid=consumer.uuid, origin=client_origin())
        after = text_of(operator_client.get(page))

        assert "Claim again" not in before
        assert "Claim again" in after
