from datetime import timedelta

import pytest
from django.utils import timezone

from placement_app.admin import timeline
from placement_app.models import Allocation, Consumer, Inventory, ProviderEvent, ResourceClass, ResourceProvider
from tests import builders
from tests.commands import running
from tests.commands.running import found, run

pytestmark = pytest.mark.django_db(transaction=True)


class TestCheckData:
    def test_finds_nothing_wrong_with_what_services_write(self):
        host = builders.provider(vcpu=8)
        builders.tree({"root": {"left": {}, "right": {"leaf": {}}}})
        running.hold(host, vcpu=2)

        assert run("check_data")[0] == 0

    def test_a_counter_that_drifted_is_found_and_counted_again(self):
        host = builders.provider(vcpu=8)
        running.hold(host, vcpu=2)
        Inventory.objects.update(used=5)

        assert found("check_data") == [("used_differs", host.uuid)]
        assert run("check_data", "--fix")[0] == 4
        assert Inventory.objects.get().used == 2
        assert run("check_data", "--fix")[0] == 0

    def test_the_history_tells_what_was_counted_again_by_whom_and_why(self, monkeypatch):
        monkeypatch.setenv("SUDO_USER", "alma")
        host = builders.provider(vcpu=8)
        running.hold(host, vcpu=2)
        Inventory.objects.update(used=5)

        run("check_data", "--fix", "--reason", "ticket 4711")

        event = ProviderEvent.objects.filter(provider_uuid=host.uuid).latest("pk")
        assert (event.before, event.after) == ({"VCPU": {"used": 5}}, {"VCPU": {"used": 2}})
        assert (event.door, event.actor, event.reason) == ("command", "alma (check_data)", "ticket 4711")
        assert timeline.differences(event) == "VCPU used 5 → 2"

    def test_one_provider_can_be_looked_at_alone(self):
        hosts = [builders.provider(vcpu=8, name=name) for name in ("one", "two")]
        consumers = [running.hold(host, vcpu=2) for host in hosts]
        Inventory.objects.update(used=5)
        members = builders.tree({"top": {"leaf": {}}})
        ResourceProvider.objects.filter(name="leaf").update(root=members["leaf"].uuid)

        assert found("check_data", "--provider", "one") == [("used_differs", hosts[0].uuid)]
        assert found("check_data", "--provider", hosts[1].uuid.upper()) == [("used_differs", hosts[1].uuid)]
        assert found("check_data", "--provider", "leaf") == [("wrong_root", members["leaf"].uuid)]
        assert found("check_data", "--provider", "nobody") == []
        assert run("check_data", "--provider", "one", "--fix")[0] == 4
        assert sorted(Inventory.objects.values_list("used", flat=True)) == [2, 5]

        Inventory.objects.filter(provider=hosts[0])._raw_delete("default")
        assert found("check_data", "--provider", "one") == [("allocation_without_inventory", consumers[0])]

    def test_more_claimed_than_there_is_is_told_and_left(self):
        host = builders.provider(vcpu=8)
        running.hold(host, vcpu=6)
        Inventory.objects.update(total=4)

        assert found("check_data") == [("over_capacity", host.uuid)]
        assert run("check_data", "--fix")[0] == 3
        assert Allocation.objects.get().used == 6

    def test_a_whole_machine_that_somebody_has_is_shut_and_not_over_capacity(self):
        host = builders.provider(CUSTOM_BAREMETAL=1)
        running.hold(host, CUSTOM_BAREMETAL=1)
        Inventory.objects.update(reserved=1)

        assert found("check_data") == []

    def test_an_imported_provider_without_a_root_becomes_its_own(self, api):
        host = builders.provider(vcpu=8)
        with running.unguarded():
            ResourceProvider.objects.update(root="")

        assert found("check_data") == [("wrong_root", host.uuid)]
        assert api.get("/allocation_candidates?resources=VCPU:1").status_code == 200
        assert run("check_data", "--fix")[0] == 4
        assert ResourceProvider.objects.get().root_id == host.uuid
        assert len(api.get("/allocation_candidates?resources=VCPU:1").json()["allocation_requests"]) == 1
        assert timeline.differences(ProviderEvent.objects.latest("pk")) == f"root none → {host.uuid}"

    def test_a_child_gets_the_root_of_its_parents(self):
        members = builders.tree({"top": {"middle": {"leaf": {}}}, "other": {}})
        ResourceProvider.objects.filter(name="leaf").update(root=members["other"].uuid)

        assert found("check_data") == [("wrong_root", members["leaf"].uuid)]
        assert run("check_data", "--fix")[0] == 4
        assert ResourceProvider.objects.get(name="leaf").root_id == members["top"].uuid

    def test_a_loop_is_told_and_left(self):
        members = builders.tree({"top": {"leaf": {}}})
        ResourceProvider.objects.filter(name="top").update(parent=members["leaf"].uuid)

        assert {code for code, _ in found("check_data")} == {"parent_loop"}
        assert run("check_data", "--fix")[0] == 3
        ResourceProvider.objects.update(parent=None)

    def test_consumers_without_allocations_and_the_contrary_are_two_findings(self):
        consumer = running.hold(builders.provider(vcpu=8), vcpu=2)
        empty = [running.empty_consumer().uuid for _ in range(2)]
        with running.unguarded():
            Consumer.objects.filter(uuid=consumer)._raw_delete("default")

        assert found("check_data") == sorted(
            [
                ("allocation_without_consumer", consumer),
                *(("consumer_without_allocations", uuid) for uuid in empty),
            ]
        )
        with running.unguarded():
            Allocation.objects.all()._raw_delete("default")

    def test_a_class_that_nobody_knows_is_told(self):
        builders.provider(custom_gold=1)
        with running.unguarded():
            ResourceClass.objects.filter(name="CUSTOM_GOLD")._raw_delete("default")

        assert found("check_data") == [("unknown_class", "CUSTOM_GOLD")]
        with running.unguarded():
            Inventory.objects.all()._raw_delete("default")

    def test_a_claim_of_what_the_provider_does_not_have_is_told(self):
        consumer = running.hold(builders.provider(vcpu=8), vcpu=2)
        Inventory.objects.all()._raw_delete("default")

        assert found("check_data") == [("allocation_without_inventory", consumer)]

    def test_times_that_were_not_yet_are_told(self):
        host = builders.provider()
        ResourceProvider.objects.update(created_at=timezone.now() + timedelta(days=1))

        assert found("check_data") == [("wrong_time", host.uuid)]
