import pytest
from django.core.management import CommandError

from placement_app.admin.consumer_acts import last_holdings
from placement_app.models import Allocation, ClaimEvent, Consumer
from placement_app.services import cleanup
from tests import builders
from tests.commands import running
from tests.commands.running import found, report, run


@pytest.mark.django_db(transaction=True)
class TestOrphanConsumers:
    def test_finds_nothing_where_nothing_is(self):
        running.hold(builders.provider(vcpu=8), vcpu=2)

        assert run("orphan_consumers")[0] == 0

    def test_reports_those_that_hold_nothing_and_changes_nothing(self):
        running.hold(builders.provider(vcpu=8), vcpu=2)
        empty = [running.empty_consumer().uuid for _ in range(2)]

        assert found("orphan_consumers") == sorted(("consumer_without_allocations", uuid) for uuid in empty)
        assert run("orphan_consumers")[0] == 3
        assert Consumer.objects.count() == 3

    def test_deletes_them_and_nobody_else(self):
        living = running.hold(builders.provider(vcpu=8), vcpu=2)
        running.empty_consumer()

        status, output = run("orphan_consumers", "--delete")

        assert status == 4
        assert "1 fixed" in output
        assert list(Consumer.objects.values_list("uuid", flat=True)) == [living]
        assert run("orphan_consumers", "--delete")[0] == 0

    def test_leaves_a_line_in_the_history_of_each(self, monkeypatch):
        monkeypatch.setenv("SUDO_USER", "alma")
        consumer = running.empty_consumer(consumer_type="INSTANCE")

        run("orphan_consumers", "--delete", "--reason", "left by an old release")

        event = ClaimEvent.objects.get()
        assert (event.event, event.consumer_uuid, event.before, event.after) == ("released", consumer.uuid, {}, {})
        assert (event.door, event.actor) == ("command", "alma (orphan_consumers)")
        assert event.reason == "left by an old release"
        assert last_holdings(consumer.uuid) == {}, "there is nothing to claim again"

    def test_does_not_take_an_allocation_without_consumer_for_one(self):
        consumer = running.hold(builders.provider(vcpu=8), vcpu=2)
        with running.unguarded():
            Consumer.objects.filter(uuid=consumer)._raw_delete("default")
        running.empty_consumer()

        status, _ = run("orphan_consumers", "--delete")

        assert status == 4
        assert Allocation.objects.count() == 1
        assert found("check_data") == [("allocation_without_consumer", consumer)]
        with running.unguarded():
            Allocation.objects.all()._raw_delete("default")

    def test_leaves_what_is_too_young(self):
        old = running.empty_consumer()
        young = Consumer.objects.create(uuid=builders.A_UUID, generation=1, project_id="p", user_id="u")

        status, output = run("orphan_consumers", "--delete", verbosity=2)

        assert status == 4
        assert f"too young: consumer_without_allocations grey   {young.uuid}" in output
        assert not Consumer.objects.filter(uuid=old.uuid).exists()
        assert Consumer.objects.filter(uuid=young.uuid).exists()

    def test_keeps_to_the_project_and_type_it_is_told(self):
        running.empty_consumer(project_id="other")
        mine = running.empty_consumer(project_id="mine", consumer_type="INSTANCE")
        running.empty_consumer(project_id="mine")

        narrowed = found("orphan_consumers", "--project", "mine", "--consumer-type", "INSTANCE")

        assert narrowed == [("consumer_without_allocations", mine.uuid)]

    def test_leaves_one_that_claimed_between_report_and_delete(self, monkeypatch):
        consumer, other = running.empty_consumer(), running.empty_consumer()
        host = builders.provider(vcpu=8)
        delete = cleanup.delete_consumer

        def claim_first(*, consumer_uuid, **arguments):
            if consumer_uuid == consumer.uuid:
                Consumer.objects.filter(uuid=consumer_uuid).update(generation=2)
                Allocation.objects.create(consumer_id=consumer_uuid, provider=host, resource_class_id="VCPU", used=1)
            delete(consumer_uuid=consumer_uuid, **arguments)

        monkeypatch.setattr(cleanup, "delete_consumer", claim_first)

        status, output = run("orphan_consumers", "--delete")

        assert status == 5
        assert "changed meanwhile: consumer_without_allocations" in output
        assert Consumer.objects.filter(uuid=consumer.uuid).exists()
        assert not Consumer.objects.filter(uuid=other.uuid).exists()

    def test_refuses_to_act_on_suspiciously_many(self):
        for _ in range(3):
            running.empty_consumer()

        status, output = run("orphan_consumers", "--delete", "--limit", "2")

        assert status == 6
        assert "nothing was changed" in output
        assert Consumer.objects.count() == 3

    def test_prints_one_document_for_programs(self):
        running.empty_consumer()

        document = report("orphan_consumers", "--delete")

        assert document["exit"] == 4
        assert document["summary"]["fixed"] == 1
        assert document["findings"][0]["result"] == "fixed"

    @pytest.mark.parametrize("arguments", [["--older-than", "soon"], ["--limit", "many"], ["--provider", "x"]])
    def test_says_what_is_wrong_with_an_option(self, arguments):
        with pytest.raises(CommandError):
            run("orphan_consumers", *arguments)
