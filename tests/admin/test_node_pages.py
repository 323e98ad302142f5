"""The pages of nodes: who has which machine, what is wrong with it, and what can be done about that."""

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from claimsite.foundation.uuids import new_uuid
from claimsite.operations import findings
from ironic_app.models import Conductor, Node, NodeHistory, OwnershipEvent
from placement_app.models import Allocation, Consumer, Inventory
from placement_app.services import allocations
from tests.admin.acting import claimed, text_of
from tests.admin.conftest import client_of, operator
from tests.commands import running
from tests.commands.faults import held, plant
from tests.ironic.builders import make_allocation

pytestmark = pytest.mark.django_db

LIST = "admin:ironic_app_node_changelist"


@pytest.fixture
def client() -> Client:
    return client_of(operator("operate"))


def shown(client, **filters):
    """The names of the nodes on the list's page."""
    response = client.get(reverse(LIST), filters)
    assert response.status_code == 200
    return {row.name for row in response.context["cl"].result_list}


def page(client, node):
    response = client.get(reverse("admin:ironic_app_node_change", args=[node.pk]))
    assert response.status_code == 200
    return response


def ask(client, act, node):
    return client.get(reverse("admin:ironic_app_node_act", args=[act]), {"target": node.pk})


def do(client, act, node, *, seen, **fields):
    body = {"target": node.pk, f"seen-{node.pk}": seen, "reason": "ticket 4711"} | fields
    return client.post(reverse("admin:ironic_app_node_act", args=[act]), body, follow=True)


def seen_by(client, act, node):
    return ask(client, act, node).context["targets"][0]["evidence"].seen


def node_made_a_moment_ago():
    """Its claim was written a moment ago, and no instance has it yet."""
    node, provider = running.machine()
    consumer = running.hold(provider, custom_baremetal=1)
    Allocation.objects.filter(consumer_id=consumer).update(updated_at=timezone.now() - timedelta(minutes=20))
    return node


@pytest.fixture
def five(db):
    """Free, held by an instance, held through an allocation, locked, in maintenance."""
    running.machine(name="n1")
    running.machine(name="n2", instance_uuid=new_uuid(), provision_state="active", reserved=1)
    allocation = make_allocation(state="active", name="a1")
    running.machine(
        name="n3", instance_uuid=allocation.uuid, allocation=allocation, provision_state="active", reserved=1
    )
    running.machine(name="n4", reservation="rack1-c1", reserved_at=timezone.now())
    running.machine(name="n5", maintenance=True, reserved=1)


class TestList:
    def test_says_which_nodes_are_free_and_which_are_not(self, client, five):
        assert shown(client) == {"n1", "n2", "n3", "n4", "n5"}
        assert shown(client, holding="free") == {"n1"}
        assert shown(client, holding="held") == {"n2", "n3"}
        assert shown(client, holding="locked") == {"n4"}
        assert shown(client, holding="maintenance") == {"n5"}

    def test_shows_holder_allocation_lock_and_maintenance_in_one_page(self, client, five):
        text = client.get(reverse(LIST)).content.decode()

        assert Node.objects.get(name="n2").instance_uuid in text
        assert "by allocation a1" in text
        assert "rack1-c1" in text
        assert "maintenance" in text

    @pytest.mark.parametrize(
        "code", [code for code in findings.CODES if code not in {"no_node", "allocation_without_node", "in_flight"}]
    )
    def test_the_filter_finds_each_kind_of_mismatch(self, client, code):
        held(name="in-order")
        subject = plant(code)

        for wanted in (code, "any"):
            response = client.get(reverse(LIST), {"mismatch": wanted})
            assert [row.uuid for row in response.context["cl"].result_list] == [subject]
        assert code in response.content.decode()

    def test_tells_apart_what_begins_alike(self, client):
        instance, other = "dead0000-0001-4000-8000-000000000001", "dead0000-0002-4000-8000-000000000002"
        node, provider = running.machine(instance_uuid=instance, provision_state="active")
        claimed({provider: {"CUSTOM_BAREMETAL": 1}}, uuid=other)

        listed, opened = text_of(client.get(reverse(LIST))), text_of(page(client, node))

        assert "dead0000-0001 dead0000-0002" in listed
        assert f"instance {instance}" in opened
        assert f"Placement says {other}" in opened

    def test_says_of_what_is_too_young_since_when_and_when_it_counts(self, client):
        node_made_a_moment_ago()

        text = text_of(client.get(reverse(LIST), {"mismatch": "in_flight"}))

        assert "in_flight since 20 min ago : counts as orphan_allocation in 39 min" in text

    def test_says_that_nothing_is_called_what_was_asked_for(self, client):
        text = text_of(client.get(reverse(LIST), {"mismatch": "bogus"}))

        assert "“bogus” is none of the choices of “mismatch”" in text

    def test_needs_no_more_statements_for_more_nodes(self, client, django_assert_max_num_queries):
        for _ in range(30):
            held()

        with django_assert_max_num_queries(20):
            client.get(reverse(LIST))


class TestHome:
    def test_counts_what_is_wrong_and_leads_to_it(self, client):
        plant("no_node")
        plant("orphan_allocation")
        plant("allocation_without_node")

        told = {each.label.partition(":")[0]: each for each in client.get(reverse("admin:index")).context["findings"]}

        assert {"no_node", "orphan_allocation", "allocation_without_node"} <= told.keys()
        for each in told.values():
            assert client.get(each.url).status_code == 200

    def test_names_what_is_too_young_to_tell_and_leads_to_it(self, client):
        node = node_made_a_moment_ago()

        response = client.get(reverse("admin:index"))
        [waiting] = response.context["waiting"]

        assert "Nothing was found that needs a person. 1 is too young to tell" in text_of(response)
        assert node.uuid in client.get(waiting.url).content.decode()

    def test_leads_to_the_provider_whose_node_is_gone(self, client):
        running.machine()
        subject = plant("no_node")

        response = client.get(reverse("admin:placement_app_resourceprovider_changelist"), {"node": "gone"})

        assert [row.uuid for row in response.context["cl"].result_list] == [subject]


class TestPage:
    def test_is_found_by_uuid_and_shows_both_stories(self, client):
        node = Node.objects.get(uuid=plant("different_consumer"))
        response = client.get(reverse("admin:ironic_app_node_change", args=[node.uuid.upper()]))

        text = response.content.decode()
        assert node.instance_uuid in text
        assert Consumer.objects.get().uuid in text
        assert "different_consumer" in text

    def test_shows_all_that_happened_refusals_too(self, client, baremetal):
        node, _ = running.machine(name="n1")
        first, second = new_uuid(), new_uuid()

        def patch(*operations):
            return baremetal.patch(f"/v1/nodes/{node.uuid}", list(operations)).status_code

        assert patch({"op": "add", "path": "/instance_uuid", "value": first}) == 200
        assert patch({"op": "add", "path": "/instance_uuid", "value": second}) == 409
        assert patch({"op": "remove", "path": "/instance_uuid"}) == 200
        assert patch({"op": "add", "path": "/instance_uuid", "value": second}) == 200

        lines = page(client, node).context["timeline"].lines
        assert [line.kind for line in lines] == ["claimed", "released", "refused", "claimed"]
        assert lines[0].what == f"node: nobody → {second}"

    def test_costs_the_same_however_long_the_history(self, client, django_assert_max_num_queries):
        node, _ = running.machine()
        NodeHistory.objects.bulk_create(
            NodeHistory(uuid=new_uuid(), node=node, severity="INFO", event_type="power", user=f"user-{number % 300}")
            for number in range(1000)
        )
        OwnershipEvent.objects.bulk_create(
            OwnershipEvent(event="claimed", node_uuid=node.uuid, door="baremetal", actor=f"user-{number % 300}")
            for number in range(1000)
        )

        with django_assert_max_num_queries(30):
            response = page(client, node)

        assert len(response.context["timeline"].lines) == 40
        assert response.context["timeline"].older

    def test_shows_no_passwords(self, client):
        node, _ = running.machine(
            driver_info={"ipmi_username": "root", "ipmi_password": "calvin", "deep": {"snmp_community": "public-1"}},
            driver_internal_info={"agent_secret_token": "t0k3n"},
            instance_info={"configdrive": "H4sIA", "image_source": "debian"},
        )

        text = page(client, node).content.decode()

        assert all(shown in text for shown in ("root", "debian", "******"))
        assert not any(secret in text for secret in ("calvin", "public-1", "t0k3n", "H4sIA"))

    def test_says_when_what_is_half_made_becomes_a_mismatch(self, client):
        node = node_made_a_moment_ago()

        text = text_of(page(client, node))

        assert "in_flight" in text
        assert "wait: it counts as orphan_allocation in 39 min" in text

    def test_a_viewer_sees_no_buttons(self):
        node = Node.objects.get(uuid=plant("orphan_allocation"))

        assert page(client_of(operator("view")), node).context["acts"] == []

    def test_a_node_in_order_offers_nothing_but_its_release(self, client):
        node, _, _ = held()

        [offered] = page(client, node).context["acts"]
        assert offered["act"].name == "release"
        assert offered["blockers"] == ["It is active: undeploy it first, which gives it back."]


FIXES = {
    "no_allocation": "adopt",
    "not_reserved": "reserve",
    "reserved_but_free": "offer",
    "orphan_allocation": "release-orphan",
    "stale_reservation": "break-lock",
    "no_provider": "create-provider",
}


class TestFixes:
    @pytest.mark.parametrize(("code", "act"), FIXES.items())
    def test_each_is_offered_shows_before_and_after_and_puts_it_right(self, client, code, act):
        node = Node.objects.get(uuid=plant(code))

        assert act in [each["act"].name for each in page(client, node).context["acts"]]
        asked = ask(client, act, node)
        facts = dict(asked.context["targets"][0]["evidence"].facts)
        assert facts["Now"]
        assert facts["Afterwards"]
        response = do(client, act, node, seen=seen_by(client, act, node), typed=node.uuid[-4:])

        assert response.status_code == 200
        assert findings.of_nodes([Node.objects.get(pk=node.pk)]) == {}

    @pytest.mark.parametrize(("code", "act"), FIXES.items())
    def test_none_acts_when_the_node_changed_since_the_page(self, client, code, act):
        node = Node.objects.get(uuid=plant(code))
        seen = seen_by(client, act, node)
        Node.objects.filter(pk=node.pk).update(generation=node.generation + 1)
        before = (list(Inventory.objects.values()), list(Allocation.objects.values()))

        response = do(client, act, node, seen=seen, typed=node.uuid[-4:])

        assert response.status_code == 409
        assert "Changed since you looked" in response.content.decode()
        assert (list(Inventory.objects.values()), list(Allocation.objects.values())) == before
        assert Node.objects.get(pk=node.pk).reservation == node.reservation

    @pytest.mark.parametrize("act", ["release-orphan", "offer", "break-lock"])
    def test_what_frees_wants_the_name_typed(self, client, act):
        code = {act: code for code, act in FIXES.items()}[act]
        node = Node.objects.get(uuid=plant(code))

        do(client, act, node, seen=seen_by(client, act, node), typed="yes")

        assert code in [each.code for each in findings.of_nodes([Node.objects.get(pk=node.pk)])[node.uuid]]

    def test_a_claim_that_moved_is_left_to_its_new_holder(self, client):
        node = Node.objects.get(uuid=plant("orphan_allocation"))
        seen = seen_by(client, "release-orphan", node)
        orphan = Consumer.objects.get().uuid
        allocations.release(consumer_uuid=orphan, origin=running.ORIGIN)
        from placement_app.models import ResourceProvider

        living = running.hold(ResourceProvider.objects.get(), custom_baremetal=1)

        response = do(client, "release-orphan", node, seen=seen, typed=node.uuid[-4:])

        assert response.status_code == 409
        assert Consumer.objects.get().uuid == living

    def test_a_lock_whose_holder_came_back_is_kept(self, client):
        node = Node.objects.get(uuid=plant("stale_reservation"))
        seen = seen_by(client, "break-lock", node)
        Conductor.objects.create(hostname="GONE", last_seen_at=timezone.now() + timedelta(minutes=1))

        do(client, "break-lock", node, seen=seen, typed=node.uuid[-4:])

        assert Node.objects.get(pk=node.pk).reservation == "gone"


class TestRelease:
    def test_gives_back_both_halves_and_says_who_did_it(self, client):
        node, _, instance = held(name="n1")
        Node.objects.filter(pk=node.pk).update(provision_state="available")

        do(client, "release", node, seen=instance, typed="n1")

        assert Node.objects.get(pk=node.pk).instance_uuid is None
        assert not Consumer.objects.exists()
        event = OwnershipEvent.objects.get()
        assert (event.event, event.door, event.actor) == ("released", "admin", "operate-on-duty")

    def test_leaves_whoever_took_it_meanwhile(self, client):
        node, _ = running.machine(name="n1", instance_uuid=new_uuid())
        seen = seen_by(client, "release", node)
        taken = new_uuid()
        Node.objects.filter(pk=node.pk).update(instance_uuid=taken)

        response = do(client, "release", node, seen=seen, typed="n1")

        assert response.status_code == 409
        assert taken in response.content.decode()
        assert Node.objects.get(pk=node.pk).instance_uuid == taken

    def test_a_viewer_may_not(self):
        node, _ = running.machine(name="n1", instance_uuid=new_uuid())

        assert do(client_of(operator("view")), "release", node, seen=node.instance_uuid).status_code == 403
        assert Node.objects.get(pk=node.pk).instance_uuid


class TestConsumerPage:
    def test_does_not_release_half_of_what_an_instance_has(self, client):
        node, _, instance = held(name="n1")

        response = client.get(reverse("admin:placement_app_consumer_act", args=["release"]), {"target": instance})

        assert "Node n1 (active) has it as its instance" in " ".join(response.context["targets"][0]["blockers"])
        assert node.pk
