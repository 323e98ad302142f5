"""Whose a consumer is: what the operators' page cannot reach."""

import threading

import pytest
from django.db import connections

from claimsite.foundation.uuids import new_uuid
from placement_app import errors
from placement_app.claims import ANY, Owner
from placement_app.models import ClaimEvent, Consumer
from placement_app.services import allocations, consumers
from tests.admin.acting import claimed, client_origin
from tests.builders import provider

OTHER = Owner("other-project", "other-user")


class TestMove:
    def test_needs_a_consumer(self, db):
        with pytest.raises(errors.AllocationsNotFound):
            consumers.move(consumer_uuid=new_uuid(), owner=OTHER, expected=ANY, origin=client_origin())

    def test_needs_the_generation_that_was_seen(self, db):
        consumer = claimed({provider(vcpu=4): {"VCPU": 1}})

        with pytest.raises(errors.ConsumerGenerationConflict):
            consumers.move(consumer_uuid=consumer.uuid, owner=OTHER, expected=2, origin=client_origin())

        assert Consumer.objects.get().project_id == consumer.project_id
        assert not ClaimEvent.objects.filter(event="moved").exists()

    def test_leaves_the_providers_generations(self, db):
        host = provider(vcpu=4)
        consumer = claimed({host: {"VCPU": 1}})

        consumers.move(consumer_uuid=consumer.uuid, owner=OTHER, expected=1, origin=client_origin())

        host.refresh_from_db()
        assert host.generation == 1


@pytest.mark.django_db(transaction=True)
class TestMoveAgainstRelease:
    def test_one_of_the_two_wins_and_the_other_is_told(self):
        consumer = claimed({provider(vcpu=4): {"VCPU": 1}})
        start, outcomes = threading.Barrier(2), []

        def run(act):
            start.wait()
            try:
                act()
                outcomes.append("done")
            except (errors.ConsumerGenerationConflict, errors.AllocationsNotFound):
                outcomes.append("refused")
            finally:
                connections.close_all()

        uuid, origin = consumer.uuid, client_origin()
        acts = [
            lambda: consumers.move(consumer_uuid=uuid, owner=OTHER, expected=1, origin=origin),
            lambda: allocations.release(consumer_uuid=uuid, expected=1, origin=origin),
        ]
        threads = [threading.Thread(target=run, args=(act,)) for act in acts]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        assert sorted(outcomes) == ["done", "refused"]
        assert Consumer.objects.filter(uuid=uuid, project_id="other-project", generation=2).exists() or (
            not Consumer.objects.exists()
        )
