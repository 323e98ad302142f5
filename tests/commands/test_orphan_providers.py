import pytest

from ironic_app.models import Node
from placement_app.models import Consumer, ResourceProvider
from tests import builders
from tests.commands import running
from tests.commands.running import found, run

pytestmark = pytest.mark.django_db


class TestOrphanProviders:
    def test_hosts_and_their_children_are_no_machines(self):
        host = builders.provider(vcpu=8, memory_mb=1024)
        builders.provider(parent=host, custom_gpu={"total": 1, "max_unit": 1})
        running.machine()

        assert run("orphan_providers")[0] == 0

    def test_a_provider_whose_node_was_deleted_is_found_and_deleted(self):
        node, provider = running.machine()
        Node.objects.filter(pk=node.pk).delete()

        assert found("orphan_providers") == [("no_node", provider.uuid)]
        assert run("orphan_providers", "--delete")[0] == 4
        assert not ResourceProvider.objects.exists()
        assert run("orphan_providers", "--delete")[0] == 0

    def test_one_that_is_claimed_is_listed_with_who_holds_it_and_left(self):
        node, provider = running.machine()
        consumer = running.hold(provider, custom_baremetal=1)
        running.age(ResourceProvider, uuid=provider.uuid)
        Node.objects.filter(pk=node.pk).delete()

        status, output = run("orphan_providers", "--delete")

        assert status == 3
        assert f"release its claims first: {consumer}" in output
        assert ResourceProvider.objects.exists()
        assert Consumer.objects.exists()

    def test_one_that_changed_meanwhile_is_left(self, monkeypatch):
        from claimsite.operations import repairs

        node, _ = running.machine()
        Node.objects.filter(pk=node.pk).delete()
        retire = repairs.retire

        def stock_first(**arguments):
            ResourceProvider.objects.update(generation=7)
            retire(**arguments)

        monkeypatch.setattr(repairs, "retire", stock_first)

        status, output = run("orphan_providers", "--delete")

        assert status == 5
        assert "changed meanwhile: no_node" in output
        assert ResourceProvider.objects.exists()

    def test_with_a_list_of_hosts_every_tree_without_one_is_found(self, tmp_path):
        alive = builders.provider(name="cmp-01", vcpu=8)
        dead = builders.provider(name="cmp-02", vcpu=8)
        above = builders.provider(name="cmp-03")
        builders.provider(parent=above, vcpu=4)
        running.age(ResourceProvider, parent=None)
        (tmp_path / "hosts").write_text("cmp-01\n")

        assert found("orphan_providers", "--living", str(tmp_path / "hosts")) == sorted(
            [("no_host", dead.uuid), ("no_host", above.uuid)]
        )
        run("orphan_providers", "--living", str(tmp_path / "hosts"), "--delete")
        assert set(ResourceProvider.objects.filter(parent=None).values_list("uuid", flat=True)) == {
            alive.uuid,
            above.uuid,
        }
