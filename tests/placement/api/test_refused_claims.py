"""What a refused claim leaves for operators: a record."""

from unittest import mock

from django.db import DatabaseError

from claimsite.foundation.uuids import new_uuid
from placement_app.models import ConflictRecord
from tests.builders import claim, provider

CONSUMER = "11111111-aaaa-4aaa-8aaa-111111111111"
URL = f"/allocations/{CONSUMER}"


class TestConflictRecords:
    def test_tell_what_was_refused_to_whom_and_why(self, api):
        host = provider(vcpu=4)

        response = api.put(URL, claim({host: {"VCPU": 5}}))

        record = ConflictRecord.objects.get()
        assert (record.operation, record.reason) == ("allocations.replace", "CapacityExceeded")
        assert (record.provider_uuid, record.attempts, record.actor) == (host.uuid, 1, "admin")
        assert record.request_id == response.headers["x-openstack-request-id"]
        assert record.facts["amount"] == 5
        assert record.facts["capacity"] == 4

    def test_name_the_consumer_whose_generation_was_wrong(self, api):
        api.put(URL, claim({provider(vcpu=4): {"VCPU": 5}}, generation=3))

        assert ConflictRecord.objects.get().consumer_uuid == CONSUMER

    def test_are_not_made_for_what_could_never_be(self, api):
        api.put(URL, claim({new_uuid(): {"VCPU": 1}}))

        assert not ConflictRecord.objects.exists()

    def test_that_cannot_be_written_do_not_change_the_answer(self, api, caplog):
        host = provider(vcpu=4)

        with mock.patch("claimsite.foundation.statements.insert", side_effect=DatabaseError("disk full")):
            response = api.put(URL, claim({host: {"VCPU": 5}}))

        assert response.status_code == 409
        assert "could not be recorded" in caplog.text
