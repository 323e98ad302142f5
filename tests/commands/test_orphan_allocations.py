import io
import json

import pytest
from django.core.management import CommandError

from claimsite.foundation.uuids import new_uuid
from ironic_app.models import Node
from placement_app.claims import Claim, Owner
from placement_app.models import Allocation, Consumer, Inventory
from placement_app.services import allocations
from tests import builders
from tests.commands import running
from tests.commands.running import found, report, run

pytestmark = pytest.mark.django_db


@pytest.fixture
def listed(tmp_path):
    """Writes a list of the living and gives the options that name it."""

    def write(*uuids):
        path = tmp_path / "living"
        path.write_text("\n".join(uuids))
        return "--living", str(path)

    return write


@pytest.fixture
def host(db):
    return builders.provider(vcpu=16, name="cmp-07")


class TestOrphanAllocations:
    def test_one_consumer_can_be_released_alone(self, host, listed):
        first, second = (running.hold(host, vcpu=2) for _ in range(2))

        status, output = run("orphan_allocations", *listed(new_uuid()), "--consumer", first.upper(), "--delete")

        assert status == 4
        assert f"fixed: dead_consumer {first} (released)" in output
        assert list(Consumer.objects.values_list("uuid", flat=True)) == [second]

    def test_names_the_dead_with_what_they_hold_and_changes_nothing(self, host, listed):
        first, second, third = (running.hold(host, vcpu=2) for _ in range(3))

        status, output = run("orphan_allocations", *listed(first, second))

        assert status == 3
        assert third in output
        assert "VCPU 2 on cmp-07" in output
        assert first not in output
        assert Consumer.objects.count() == 3

    def test_releases_the_dead_and_then_finds_nothing(self, host, listed):
        first, second, third = (running.hold(host, vcpu=2) for _ in range(3))

        assert run("orphan_allocations", *listed(first, second), "--delete")[0] == 4

        assert set(Consumer.objects.values_list("uuid", flat=True)) == {first, second}
        assert Inventory.objects.get().used == 4
        assert run("orphan_allocations", *listed(first, second), "--delete")[0] == 0
        assert not Consumer.objects.filter(uuid=third).exists()

    def test_takes_no_claim_in_the_making_for_an_orphan(self, host, listed):
        running.hold(host, vcpu=2)
        young = new_uuid()
        claim = Claim(young, {host.uuid: {"VCPU": 1}}, Owner("project", "user"))
        allocations.replace(claims=[claim], origin=running.ORIGIN)

        status, output = run("orphan_allocations", *listed(new_uuid()), "--delete", verbosity=2)

        assert status == 4
        assert f"too young: in_flight                grey   {young}" in output
        assert list(Consumer.objects.values_list("uuid", flat=True)) == [young]

    def test_leaves_a_consumer_that_claimed_again_between_report_and_delete(self, host, listed, monkeypatch):
        again, other = running.hold(host, vcpu=2), running.hold(host, vcpu=1)
        give_up = allocations.give_up

        def claim_first(*, consumer_uuid, expected, origin):
            if consumer_uuid == again:
                Consumer.objects.filter(uuid=again).update(generation=2)
            give_up(consumer_uuid=consumer_uuid, expected=expected, origin=origin)

        monkeypatch.setattr(allocations, "give_up", claim_first)

        status, output = run("orphan_allocations", *listed(new_uuid()), "--delete")

        assert status == 5
        assert f"changed meanwhile: dead_consumer {again}" in output
        assert list(Consumer.objects.values_list("uuid", flat=True)) == [again]
        assert not Allocation.objects.filter(consumer=other).exists()

    @pytest.mark.parametrize("text", ["", "\n\n", "# nobody\n", "[]"])
    def test_refuses_an_empty_list(self, host, tmp_path, text):
        running.hold(host, vcpu=2)
        path = tmp_path / "living"
        path.write_text(text)

        with pytest.raises(CommandError) as refusal:
            run("orphan_allocations", "--living", str(path), "--delete")

        assert refusal.value.returncode == 2
        assert Consumer.objects.count() == 1

    def test_refuses_a_list_in_which_somebody_may_be_misspelt(self, host, listed):
        with pytest.raises(CommandError, match="entry 2 is no uuid"):
            run("orphan_allocations", *listed(new_uuid(), "1ffce45f"), "--delete")

    def test_refuses_to_run_without_any_word_on_who_is_alive(self, host):
        with pytest.raises(CommandError):
            run("orphan_allocations", "--delete")

    @pytest.mark.parametrize("form", [str.upper, lambda uuid: uuid.replace("-", ""), lambda uuid: f'"{uuid}"'])
    def test_knows_the_living_by_any_spelling(self, host, listed, form):
        consumer = running.hold(host, vcpu=2)

        assert run("orphan_allocations", *listed(form(consumer)))[0] == 0

    def test_reads_what_the_client_prints_from_stdin(self, host, monkeypatch):
        alive, dead = running.hold(host, vcpu=2), running.hold(host, vcpu=2)
        monkeypatch.setattr("sys.stdin", io.StringIO(json.dumps([{"ID": alive, "Name": "web"}])))

        assert found("orphan_allocations", "--living", "-") == [("dead_consumer", dead)]

    def test_keeps_to_the_provider_and_project_it_is_told(self, host, listed):
        elsewhere = builders.provider(vcpu=8)
        running.hold(elsewhere, vcpu=1, project="mine")
        mine = running.hold(host, vcpu=1, project="mine")
        running.hold(host, vcpu=1, project="other")

        narrowed = found("orphan_allocations", *listed(new_uuid()), "--provider", "cmp-07", "--project", "mine")

        assert narrowed == [("dead_consumer", mine)]

    def test_never_releases_the_instance_of_a_node(self, listed):
        node, provider = running.machine()
        consumer = running.hold(provider, custom_baremetal=1)
        Node.objects.filter(pk=node.pk).update(instance_uuid=consumer, provision_state="active")

        document = report("orphan_allocations", *listed(new_uuid()), "--delete")

        assert document["exit"] == 3
        assert document["findings"][0]["colour"] == "red"
        assert Consumer.objects.filter(uuid=consumer).exists()

    def test_judges_only_claims_of_machines_by_the_nodes(self, host):
        running.hold(host, vcpu=2)
        node, provider = running.machine()
        living = running.hold(provider, custom_baremetal=1)
        Node.objects.filter(pk=node.pk).update(instance_uuid=living, provision_state="active")
        _, freed = running.machine()
        dead = running.hold(freed, custom_baremetal=1)

        assert found("orphan_allocations", "--living-from-nodes") == [("dead_consumer", dead)]
        assert run("orphan_allocations", "--living-from-nodes", "--delete")[0] == 4
        assert set(Consumer.objects.values_list("uuid", flat=True)) > {living}
