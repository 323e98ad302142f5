"""A fault of every kind, planted among claims that live: found by exactly the commands that should, and put right
without touching anybody who lives."""

from datetime import timedelta

import pytest
from django.utils import timezone

from claimsite.foundation.address import of_page
from claimsite.foundation.uuids import new_uuid
from ironic_app.models import Node
from placement_app.models import Allocation, Consumer, Inventory, ResourceClass, ResourceProvider, Trait
from tests import builders
from tests.commands import faults, running
from tests.commands.faults import held
from tests.commands.running import found, report, run

pytestmark = pytest.mark.django_db(transaction=True)


# --- faults within Placement, and what outlived its owner ------------------------------------------------------------
def _host(**stock):
    host = builders.provider(**{"vcpu": 8} | stock)
    running.age(ResourceProvider, pk=host.pk)
    return host


def _empty_consumer():
    return running.empty_consumer().uuid


def _used_differs():
    host = _host()
    running.hold(host, vcpu=2)
    Inventory.objects.filter(provider=host).update(used=3)
    return host.uuid


def _over_capacity():
    host = _host()
    running.hold(host, vcpu=6)
    Inventory.objects.filter(provider=host).update(total=4)
    return host.uuid


def _allocation_without_inventory():
    host = _host()
    consumer = running.hold(host, vcpu=1)
    Inventory.objects.filter(provider=host)._raw_delete("default")
    return consumer


def _allocation_without_consumer():
    consumer = running.hold(_host(), vcpu=1)
    with running.unguarded():
        Consumer.objects.filter(uuid=consumer)._raw_delete("default")
    return consumer


def _wrong_root():
    members = builders.tree({"top": {"leaf": {}}})
    ResourceProvider.objects.filter(name="leaf").update(root=members["leaf"].uuid)
    return members["leaf"].uuid


def _no_parent():
    host = _host()
    with running.unguarded():
        ResourceProvider.objects.filter(pk=host.pk).update(parent=new_uuid())
    return host.uuid


def _parent_loop():
    members = builders.tree({"top": {}})
    ResourceProvider.objects.filter(name="top").update(parent=members["top"].uuid)
    return members["top"].uuid


def _unknown_class():
    _host(custom_gold=1, vcpu=1)
    with running.unguarded():
        ResourceClass.objects.filter(name="CUSTOM_GOLD")._raw_delete("default")
    return "CUSTOM_GOLD"


def _unknown_trait():
    builders.provider(vcpu=1, traits=("CUSTOM_FINE",))
    with running.unguarded():
        Trait.objects.filter(name="CUSTOM_FINE")._raw_delete("default")
    return "CUSTOM_FINE"


def _wrong_time():
    host = _host()
    ResourceProvider.objects.filter(pk=host.pk).update(created_at=timezone.now() + timedelta(days=1))
    return host.uuid


def _dead_consumer():
    return running.hold(_host(), vcpu=2)


def _dead_instance():
    node, _, _ = held()
    Node.objects.filter(pk=node.pk).update(provision_state="available")
    return node.uuid


def _no_host():
    return _host().uuid


RECONCILE, CHECK, CONSUMERS = {"reconcile"}, {"check_data"}, {"orphan_consumers"}
FINDERS = {
    "no_allocation": (lambda: faults.plant("no_allocation"), RECONCILE),
    "orphan_allocation": (lambda: faults.plant("orphan_allocation"), RECONCILE),
    "different_consumer": (lambda: faults.plant("different_consumer"), RECONCILE),
    "double_claim": (lambda: faults.plant("double_claim"), RECONCILE | CHECK),
    "two_stories": (lambda: faults.plant("two_stories"), RECONCILE),
    "not_reserved": (lambda: faults.plant("not_reserved"), RECONCILE),
    "reserved_but_free": (lambda: faults.plant("reserved_but_free"), RECONCILE),
    "no_provider": (lambda: faults.plant("no_provider"), RECONCILE),
    "no_node": (lambda: faults.plant("no_node"), RECONCILE | {"orphan_providers"}),
    "stale_reservation": (lambda: faults.plant("stale_reservation"), RECONCILE | {"stale_reservations"}),
    "allocation_without_node": (lambda: faults.plant("allocation_without_node"), RECONCILE),
    "consumer_without_allocations": (_empty_consumer, CONSUMERS | CHECK),
    "used_differs": (_used_differs, CHECK),
    "over_capacity": (_over_capacity, CHECK),
    "allocation_without_inventory": (_allocation_without_inventory, CHECK),
    "allocation_without_consumer": (_allocation_without_consumer, CHECK),
    "wrong_root": (_wrong_root, CHECK),
    "no_parent": (_no_parent, CHECK),
    "parent_loop": (_parent_loop, CHECK),
    "unknown_class": (_unknown_class, CHECK),
    "unknown_trait": (_unknown_trait, CHECK),
    "wrong_time": (_wrong_time, CHECK),
    "dead_consumer": (_dead_consumer, {"orphan_allocations"}),
    "dead_instance": (_dead_instance, {"stale_nodes", "orphan_allocations"}),
    "no_host": (_no_host, {"orphan_providers --living"}),
}
MENDED = {
    "no_allocation", "orphan_allocation", "not_reserved", "reserved_but_free", "no_provider", "no_node",
    "stale_reservation", "allocation_without_node", "consumer_without_allocations", "used_differs", "wrong_root",
    "dead_consumer", "dead_instance", "no_host",
}  # fmt: skip
"""Those that a command puts right. All others are for people: somebody may be using what is there."""


@pytest.fixture
def life(transactional_db):
    """Claims that live: a machine that an instance has, and a host that is shared."""
    node, machine, instance = held(name="living")
    host = _host()
    return {"instance": instance, "consumer": running.hold(host, vcpu=2), "node": node, "providers": (machine, host)}


@pytest.fixture
def commands(life, tmp_path):
    """Every clean-up as it is called, with lists in which everybody lives but the dead."""

    def lists(dead):
        consumers = {*Allocation.objects.values_list("consumer_id", flat=True)}
        instances = {*Node.objects.exclude(instance_uuid=None).values_list("instance_uuid", flat=True)}
        hosts = {*ResourceProvider.objects.filter(parent=None).values_list("uuid", flat=True)}
        consumers_path, hosts_path = tmp_path / "consumers", tmp_path / "hosts"
        consumers_path.write_text("\n".join(sorted((consumers | instances) - dead)))
        hosts_path.write_text("\n".join(sorted(hosts - dead)))
        return {
            "reconcile": ["reconcile"],
            "check_data": ["check_data"],
            "orphan_consumers": ["orphan_consumers"],
            "orphan_providers": ["orphan_providers"],
            "orphan_providers --living": ["orphan_providers", "--living", str(hosts_path)],
            "orphan_allocations": ["orphan_allocations", "--living", str(consumers_path)],
            "stale_nodes": ["stale_nodes", "--living", str(consumers_path)],
            "stale_reservations": ["stale_reservations"],
        }

    return lists


def dead(code, subject):
    if code == "dead_instance":
        return {Node.objects.get(uuid=subject).instance_uuid}
    return {subject} if code in {"dead_consumer", "no_host"} else set()


def living_rows(life):
    return [
        list(Node.objects.filter(pk=life["node"].pk).values()),
        list(Consumer.objects.filter(uuid__in=[life["instance"], life["consumer"]]).order_by("pk").values()),
        list(Allocation.objects.filter(provider__in=life["providers"]).order_by("pk").values()),
        list(Inventory.objects.filter(provider__in=life["providers"]).order_by("pk").values()),
        list(ResourceProvider.objects.filter(pk__in=[each.pk for each in life["providers"]]).order_by("pk").values()),
    ]


def heal():
    """So that the database can be emptied with its own rules in force."""
    with running.unguarded():
        for model in (Allocation, Inventory):
            model.objects.all()._raw_delete("default")
        ResourceProvider.objects.update(parent=None)


class TestAFault:
    @pytest.mark.parametrize("code", FINDERS)
    def test_is_found_by_those_that_should(self, code, commands):
        plant, finders = FINDERS[code]
        subject = plant()

        finding = {name for name, call in commands(dead(code, subject)).items() if found(*call)}

        assert finding == finders
        heal()

    @pytest.mark.parametrize("code", FINDERS)
    def test_is_called_by_its_name_and_of_what_it_is_about(self, code, commands):
        plant, finders = FINDERS[code]
        subject = plant()
        calls = commands(dead(code, subject))

        named = {name: found(*calls[name]) for name in finders}

        assert any((code, subject) in findings for findings in named.values())
        heal()

    @pytest.mark.parametrize("code", FINDERS)
    def test_is_put_right_or_left_to_people_and_nobody_who_lives_is_touched(self, code, commands, life):
        plant, _ = FINDERS[code]
        subject = plant()
        before = living_rows(life)
        calls = commands(dead(code, subject))
        acting = {"reconcile": ["--fix", "amber"], "check_data": ["--fix"]}

        statuses = {name: run(*call, *acting.get(name, ["--delete"]))[0] for name, call in calls.items()}

        assert set(statuses.values()) <= {0, 3, 4, 5}
        assert living_rows(life) == before
        left = {
            name
            for name, call in commands(dead(code, subject) if code != "dead_instance" else set()).items()
            if found(*call)
        }
        assert (not left) is (code in MENDED)
        heal()

    @pytest.mark.parametrize("code", sorted(MENDED - {"used_differs", "wrong_root"}))
    def test_that_is_young_is_told_as_such_and_left(self, code, commands):
        plant, finders = FINDERS[code]
        subject = plant()
        calls = commands(dead(code, subject))

        documents = [report(*calls[name], "--older-than", "9999d") for name in finders]

        # What has no beginning is as old as can be; everything else waits.
        for document in documents:
            assert document["summary"]["found"] == 0
            assert document["summary"]["young"] >= 1
            assert document["exit"] == 0


PAGES = {
    **{
        code: f"ironic_app_node_changelist?mismatch={code}"
        for code in (
            "no_allocation", "orphan_allocation", "different_consumer", "double_claim", "two_stories", "not_reserved",
            "reserved_but_free", "no_provider", "stale_reservation",
        )
    },
    "no_node": "placement_app_resourceprovider_changelist?node=gone",
    "allocation_without_node": "ironic_app_allocation_changelist?state=lost",
    "consumer_without_allocations": "placement_app_consumer_changelist?holds=nothing",
    "over_capacity": "placement_app_resourceprovider_changelist?full=over",
}  # fmt: skip


class TestAPage:
    @pytest.mark.parametrize("code", PAGES)
    def test_lists_what_the_command_finds_and_nothing_else(self, code, life, admin_client):
        subject = FINDERS[code][0]()

        page = admin_client.get(of_page(PAGES[code]))

        listed = {getattr(row, "uuid", None) for row in page.context["cl"].result_list}
        assert listed == {subject}
        heal()


class TestTheLivingAreNotFoundByAnybody:
    def test_nor_changed(self, commands, life):
        before = living_rows(life)

        for name, call in commands(set()).items():
            assert found(*call) == [], name
        assert living_rows(life) == before
