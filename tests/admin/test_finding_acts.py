"""Leftovers put right from the pages of providers and of Ironic's allocations, and several nodes at once."""

import pytest
from django.contrib.admin.models import LogEntry
from django.urls import reverse
from django.utils import timezone

from claimsite.foundation.uuids import new_uuid
from claimsite.operations import findings
from ironic_app.models import Allocation as NodeAllocation
from ironic_app.models import Node
from placement_app.models import Allocation, Inventory, ResourceProvider
from placement_app.services import inventories
from tests.admin.acting import ActPage, text_of
from tests.commands import running
from tests.commands.faults import held, plant
from tests.ironic.builders import make_allocation, make_node

PROVIDERS = reverse("admin:placement_app_resourceprovider_changelist")
ALLOCATIONS = reverse("admin:ironic_app_allocation_changelist")
NODES = reverse("admin:ironic_app_node_changelist")


def retire(client, uuid: str) -> ActPage:
    provider = ResourceProvider.objects.get(uuid=uuid)
    return ActPage(client, f"{PROVIDERS}act/retire/?target={provider.pk}")


def delete(client, uuid: str) -> ActPage:
    return ActPage(client, f"{ALLOCATIONS}act/delete/?target={NodeAllocation.objects.get(uuid=uuid).pk}")


class TestAnActThatDoesNotFit:
    def test_says_what_it_is_for(self, operator_client):
        node, _, _ = held()

        page = ActPage(operator_client, f"{NODES}act/adopt/?target={node.pk}")

        assert "“Claim it for its instance” is for an instance without a claim (no_allocation)." in page.text
        assert "That is not so here, or no longer." in page.text

    def test_asks_for_a_reason_only_where_something_is_taken(self, operator_client):
        green = ActPage(operator_client, f"{NODES}act/adopt/?target={Node.objects.get(uuid=plant('no_allocation')).pk}")
        amber = ActPage(
            operator_client, f"{NODES}act/offer/?target={Node.objects.get(uuid=plant('reserved_but_free')).pk}"
        )

        assert "Why (optional):" in green.text
        assert "(optional)" not in amber.text
        assert ": the button waits for it." in amber.text

    def test_says_from_when_it_may_fit(self, operator_client):
        node, _ = running.machine(instance_uuid=new_uuid(), provision_state="active")
        Node.objects.filter(pk=node.pk).update(updated_at=timezone.now())

        page = ActPage(operator_client, f"{NODES}act/adopt/?target={node.pk}")

        assert "It looks like “an instance without a claim”, but may still be in the making. Look again at" in page.text


class TestAProviderWhoseNodeIsGone:
    def test_is_deleted_with_the_operators_name_in_the_log(self, operator_client):
        running.machine()
        gone = plant("no_node")
        shown = text_of(operator_client.get(f"{PROVIDERS}{gone}/change/"))

        response = retire(operator_client, gone).press(reason="ticket 4711", typed=gone[-4:])

        assert "Delete it: its node is gone…" in shown
        assert response.status_code == 302
        assert not ResourceProvider.objects.filter(uuid=gone).exists()
        entry = LogEntry.objects.get()
        assert entry.user.username == "operate-on-duty"
        assert "provider deleted. Why: ticket 4711" in entry.change_message

    def test_that_tells_what_was_in_the_machine_is_found_too(self, db):
        """Loaded machines have their memory and disks as well, all reserved: nobody claims them apart."""
        running.machine()
        gone = ResourceProvider.objects.get(uuid=plant("no_node"))
        inventories.create(
            provider=gone.uuid,
            resource_class="MEMORY_MB",
            record=inventories.Record(total=65536, reserved=65536),
            origin=running.ORIGIN,
        )
        running.age(ResourceProvider, uuid=gone.uuid)

        assert [each.subject for each in findings.without_nodes()] == [gone.uuid]

    def test_that_somebody_claims_has_no_button(self, operator_client):
        running.machine()
        gone = ResourceProvider.objects.get(uuid=plant("no_node"))
        consumer = running.hold(gone, custom_baremetal=1)
        running.age(ResourceProvider, uuid=gone.uuid)

        page = retire(operator_client, gone.uuid)

        assert f"Release its claims first: {consumer}" in page.text
        assert "<form method" not in page.response.content.decode().partition("cs-act-page")[2]

    def test_is_left_alone_when_its_node_came_back_meanwhile(self, operator_client):
        running.machine()
        gone = plant("no_node")
        page = retire(operator_client, gone)
        make_node(uuid=gone, resource_class="baremetal")

        response = page.press(reason="ticket 4711", typed=gone[-4:])

        assert response.status_code == 409
        assert "is back" in text_of(response)
        assert ResourceProvider.objects.filter(uuid=gone).exists()

    def test_is_left_alone_when_somebody_claimed_it_meanwhile(self, operator_client):
        running.machine()
        gone = ResourceProvider.objects.get(uuid=plant("no_node"))
        page = retire(operator_client, gone.uuid)
        running.hold(gone, custom_baremetal=1)
        running.age(ResourceProvider, uuid=gone.uuid)

        response = page.press(reason="ticket 4711", typed=gone.uuid[-4:])

        assert response.status_code == 409
        assert Allocation.objects.exists()

    def test_is_not_for_viewers(self, viewer):
        running.machine()
        gone = plant("no_node")

        assert "Delete it" not in text_of(viewer.get(f"{PROVIDERS}{gone}/change/"))
        assert retire(viewer, gone).response.status_code == 403

    def test_is_not_offered_where_the_node_is_there(self, operator_client):
        node, provider, _ = held()

        assert "Delete it" not in text_of(operator_client.get(f"{PROVIDERS}{provider.uuid}/change/"))
        assert node.pk


class TestAnAllocationWithoutItsNode:
    def test_is_deleted_with_the_operators_name_in_the_log(self, operator_client):
        lost = plant("allocation_without_node")

        response = delete(operator_client, lost).press(reason="ticket 4711", typed=lost[-4:])

        assert response.status_code == 302
        assert not NodeAllocation.objects.exists()
        assert LogEntry.objects.get().user.username == "operate-on-duty"

    def test_is_kept_when_it_got_a_node_meanwhile(self, operator_client):
        lost = plant("allocation_without_node")
        page = delete(operator_client, lost)
        make_node(name="rack1-n3", allocation=NodeAllocation.objects.get())

        response = page.press(reason="ticket 4711", typed=lost[-4:])

        assert response.status_code == 409
        assert "has node rack1-n3" in text_of(response)
        assert NodeAllocation.objects.exists()

    def test_is_all_that_can_be_deleted_here(self, operator_client):
        allocation = make_allocation(state="allocating")
        listed = operator_client.get(f"{ALLOCATIONS}{allocation.pk}/change/")

        page = delete(operator_client, allocation.uuid)

        assert "Delete it" not in text_of(listed)
        assert "is for an allocation without a node (allocation_without_node). That is not so here" in page.text


class TestSeveralAtOnce:
    def test_nodes_of_one_kind_are_put_right_together(self, operator_client):
        nodes = [Node.objects.get(uuid=plant("orphan_allocation")) for _ in range(3)]
        query = "&".join(f"target={node.pk}" for node in nodes)
        page = ActPage(operator_client, f"{NODES}act/release-orphan/?{query}")

        response = page.press(reason="leftovers of the outage", typed="release-orphan 3")

        assert response.status_code == 302
        assert not Allocation.objects.exists()
        assert LogEntry.objects.count() == 3

    def test_those_that_need_something_first_stay_out_of_it(self, operator_client):
        ready, working = (Node.objects.get(uuid=plant("orphan_allocation")) for _ in range(2))
        Node.objects.filter(pk=working.pk).update(provision_state="active")
        page = ActPage(operator_client, f"{NODES}act/release-orphan/?target={ready.pk}&target={working.pk}")

        page.press(reason="leftovers", typed=ready.uuid[-4:])

        assert "The node is active: undeploy it first." in page.text
        assert page.carried["target"] == [str(ready.pk)]
        assert [row.provider.uuid for row in Allocation.objects.all()] == [working.uuid]

    def test_green_ones_take_one_click(self, operator_client):
        nodes = [Node.objects.get(uuid=plant("not_reserved")) for _ in range(2)]
        query = "&".join(f"target={node.pk}" for node in nodes)

        ActPage(operator_client, f"{NODES}act/reserve/?{query}").press()

        assert list(Inventory.objects.values_list("reserved", flat=True)) == [1, 1]

    def test_whoever_was_overtaken_is_told_and_the_others_are_done(self, operator_client):
        first, second = (Node.objects.get(uuid=plant("orphan_allocation")) for _ in range(2))
        page = ActPage(operator_client, f"{NODES}act/release-orphan/?target={first.pk}&target={second.pk}")
        Node.objects.filter(pk=first.pk).update(instance_uuid=new_uuid(), generation=7)

        response = page.press(reason="leftovers", typed="release-orphan 2")
        told = text_of(operator_client.get(response.url))

        assert "Nothing was done." in told
        assert [row.provider.uuid for row in Allocation.objects.all()] == [first.uuid]

    @pytest.mark.parametrize("code", ["orphan_allocation", "no_node", "allocation_without_node"])
    def test_are_chosen_in_the_list(self, operator_client, code):
        running.machine()
        plant(code)
        url, act, row = {
            "orphan_allocation": (NODES, "release-orphan", Node.objects.last()),
            "no_node": (PROVIDERS, "retire", ResourceProvider.objects.last()),
            "allocation_without_node": (ALLOCATIONS, "delete", NodeAllocation.objects.last()),
        }[code]

        response = operator_client.post(url, {"action": act, "_selected_action": [row.pk]})

        assert response.status_code == 302
        assert response.url == f"{url}act/{act}/?target={row.pk}"

    @pytest.mark.parametrize("page", ["placement_app_consumer", "placement_app_resourceprovider", "ironic_app_node"])
    def test_nothing_chosen_is_no_error(self, operator_client, page):
        act = {"placement_app_consumer": "release", "placement_app_resourceprovider": "retire"}.get(page, "adopt")
        url = reverse(f"admin:{page}_act", args=[act])

        response = operator_client.get(url, {"target": ""}, follow=True)

        assert response.status_code == 200
        assert "nothing chosen" in text_of(response)
