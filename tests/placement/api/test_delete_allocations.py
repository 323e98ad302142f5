"""DELETE /allocations/{consumer_uuid}."""

from __future__ import annotations

from claimsite.foundation.uuids import new_uuid
from placement_app.models import Allocation, ClaimEvent, Consumer, Inventory
from tests.builders import claim, provider

CONSUMER = "11111111-aaaa-4aaa-8aaa-111111111111"
URL = f"/allocations/{CONSUMER}"


class TestDeleteAllocations:
    def test_frees_everything_at_once_and_the_consumer_goes(self, api):
        host, store = provider(vcpu=4), provider(disk_gb=100)
        api.put(URL, claim({host: {"VCPU": 4}, store: {"DISK_GB": 10}}))

        response = api.delete(URL)

        assert (response.status_code, response.content) == (204, b"")
        assert (Allocation.objects.count(), Consumer.objects.count()) == (0, 0)
        assert list(Inventory.objects.values_list("used", flat=True)) == [0, 0]
        assert api.put(f"/allocations/{new_uuid()}", claim({host: {"VCPU": 4}})).status_code == 204

    def test_leaves_the_providers_generation_as_it_is(self, api):
        host = provider(vcpu=4)
        api.put(URL, claim({host: {"VCPU": 4}}))

        api.delete(URL)

        host.refresh_from_db()
        assert host.generation == 1

    def test_of_what_holds_nothing_is_a_404(self, api):
        response = api.delete(URL)

        assert response.status_code == 404
        assert f"No allocations for consumer '{CONSUMER}'" in response.content.decode()

    def test_works_under_every_spelling_of_the_uuid(self, api):
        api.put(URL, claim({provider(vcpu=4): {"VCPU": 4}}))

        assert api.delete(f"/allocations/{CONSUMER.upper()}").status_code == 204
        assert Consumer.objects.count() == 0

    def test_stays_in_the_history(self, api):
        host = provider(vcpu=4)
        api.put(URL, claim({host: {"VCPU": 4}}))

        response = api.delete(URL)

        last = ClaimEvent.objects.order_by("pk").last()
        assert (last.event, last.provider_uuid, last.before, last.after) == ("released", host.uuid, {"VCPU": 4}, {})
        assert last.request_id == response.headers["x-openstack-request-id"]
