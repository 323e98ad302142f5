"""Changing what a provider has, by form: inventories, traits, aggregates, and taking it out of service."""

import pytest
from django.contrib.admin.models import LogEntry
from django.urls import reverse

from claimsite.foundation.uuids import new_uuid
from placement_app.models import Inventory, ProviderEvent, ProviderTrait, ResourceProvider
from placement_app.services import aggregates, inventories, provider_traits
from placement_app.services.inventories import Record
from tests.admin.acting import ActPage, claimed, client_origin, text_of
from tests.builders import claim, provider

AVX2, VMX = "HW_CPU_X86_AVX2", "HW_CPU_X86_VMX"


def act(model: str, name: str, row) -> str:
    return f"{reverse(f'admin:placement_app_{model}_act', args=[name])}?target={row.pk}"


def stock(host, name="VCPU") -> Inventory:
    return Inventory.objects.get(provider=host, resource_class=name)


def fields(**changed) -> dict:
    return {
        "total": 8,
        "reserved": 0,
        "allocation_ratio": 1.0,
        "min_unit": 1,
        "max_unit": 2147483647,
        "step_size": 1,
        **changed,
    }


@pytest.fixture
def host(db):
    return provider(name="cmp-07", vcpu=8, traits=(AVX2,), aggregates=(new_uuid(),))


class TestAnInventory:
    def test_is_written_as_the_form_says(self, administrator, host):
        response = ActPage(administrator, act("inventory", "edit", stock(host))).press(
            **fields(total=16, reserved=2, allocation_ratio=2.5, step_size=2), reason="more memory came"
        )

        after = stock(host)
        assert response.status_code == 302
        assert (after.total, after.reserved, after.allocation_ratio, after.step_size) == (16, 2, 2.5, 2)

    def test_keeps_what_is_claimed_of_it(self, administrator, host):
        claimed({host: {"VCPU": 3}})

        ActPage(administrator, act("inventory", "edit", stock(host))).press(**fields(total=2))

        assert (stock(host).total, stock(host).used) == (2, 3)

    def test_moves_the_provider_so_that_its_clients_learn_of_it(self, administrator, host, api):
        ActPage(administrator, act("inventory", "edit", stock(host))).press(**fields(total=16))
        late = api.put(
            f"/resource_providers/{host.uuid}/inventories",
            {"resource_provider_generation": 0, "inventories": {"VCPU": {"total": 4}}},
        )

        assert ResourceProvider.objects.get().generation == 1
        assert late.status_code == 409

    def test_is_in_the_history_and_in_the_log(self, administrator, host):
        ActPage(administrator, act("inventory", "edit", stock(host))).press(**fields(total=16), reason="more came")

        event = ProviderEvent.objects.get()
        assert (event.door, event.actor, event.reason) == ("admin", "administer-on-duty", "more came")
        assert "total 8 → 16" in LogEntry.objects.get().change_message

    @pytest.mark.parametrize(
        "wrong",
        [{"total": 0}, {"total": "x"}, {"total": 2147483648}, {"allocation_ratio": 0}, {"allocation_ratio": "nan"}],
    )
    def test_that_makes_no_sense_is_refused_by_the_form(self, administrator, host, wrong):
        response = ActPage(administrator, act("inventory", "edit", stock(host))).press(**fields(**wrong))

        assert response.status_code == 200
        assert "errorlist" in response.content.decode()
        assert stock(host).total == 8

    def test_that_leaves_nothing_is_refused_by_the_service(self, administrator, host):
        response = ActPage(administrator, act("inventory", "edit", stock(host))).press(**fields(reserved=9))

        assert response.status_code == 409
        assert "greater than total" in text_of(response)
        assert stock(host).reserved == 0


class TestTwoEditors:
    def test_the_second_is_told_of_the_first_and_saves_nothing(self, administrator, operator_client, host):
        """Django ticket 32867: the second save overwrote the first without a word."""
        first = ActPage(administrator, act("inventory", "edit", stock(host)))
        second = ActPage(administrator, act("inventory", "edit", stock(host)))

        first.press(**fields(total=16))
        response = second.press(**fields(reserved=1))

        text = text_of(response)
        assert response.status_code == 409
        assert (stock(host).total, stock(host).reserved) == (16, 0)
        assert "by administer-on-duty (admin)" in text
        assert "VCPU total 8 → 16" in text

    def test_one_of_them_a_client_is_no_different(self, administrator, host):
        page = ActPage(administrator, act("inventory", "edit", stock(host)))
        inventories.replace(
            provider=host.uuid,
            generation=0,
            resource_class="VCPU",
            record=Record(total=4),
            origin=client_origin("svc-nova"),
        )

        response = page.press(**fields(total=16))

        assert response.status_code == 409
        assert stock(host).total == 4
        assert "by svc-nova (placement): VCPU total 8 → 4" in text_of(response)

    def test_a_claim_meanwhile_is_told_as_well(self, administrator, host):
        page = ActPage(administrator, act("inventory", "edit", stock(host)))
        claimed({host: {"VCPU": 8}})

        response = page.press(**fields(total=4))

        assert response.status_code == 409
        assert stock(host).total == 8
        assert "claimed at" in text_of(response)

    def test_a_class_taken_away_meanwhile_is_gone(self, administrator, host):
        page = ActPage(administrator, act("inventory", "edit", stock(host)))
        inventories.clear(provider=host.uuid, origin=client_origin())

        response = page.press(**fields(total=4))

        assert response.status_code == 302
        assert not Inventory.objects.exists()


class TestRemovingAnInventory:
    def test_takes_this_class_only(self, administrator):
        host = provider(name="cmp-07", vcpu=8, disk_gb=100)

        ActPage(administrator, act("inventory", "remove", stock(host))).press(reason="gone", typed="cmp-07")

        assert [it.resource_class_id for it in Inventory.objects.all()] == ["DISK_GB"]

    def test_has_no_button_while_something_is_claimed_of_it(self, administrator, host):
        claimed({host: {"VCPU": 3}})

        page = ActPage(administrator, act("inventory", "remove", stock(host)))
        pressed = page.press(target=stock(host).pk, reason="gone", typed="cmp-07", **{f"seen-{stock(host).pk}": 1})

        assert "3 of it is claimed" in page.text
        assert pressed.status_code == 409
        assert stock(host).used == 3

    def test_does_nothing_when_it_was_claimed_meanwhile(self, administrator, host):
        page = ActPage(administrator, act("inventory", "remove", stock(host)))
        claimed({host: {"VCPU": 3}})

        response = page.press(reason="gone", typed="cmp-07")

        assert response.status_code == 409
        assert stock(host).total == 8


class TestAddingAnInventory:
    def test_leaves_the_others_as_they_are(self, administrator, host):
        ActPage(administrator, act("resourceprovider", "add-inventory", host)).press(
            **fields(total=100), resource_class="disk_gb"
        )

        assert {it.resource_class_id: it.total for it in Inventory.objects.all()} == {"VCPU": 8, "DISK_GB": 100}

    @pytest.mark.parametrize(("name", "status"), [("CUSTOM_UNHEARD_OF", 200), ("VCPU", 409)])
    def test_needs_a_known_class_that_is_not_there_yet(self, administrator, host, name, status):
        response = ActPage(administrator, act("resourceprovider", "add-inventory", host)).press(
            **fields(total=100), resource_class=name
        )

        assert response.status_code == status
        assert Inventory.objects.get().total == 8

    def test_does_nothing_when_the_provider_changed_meanwhile(self, administrator, host):
        page = ActPage(administrator, act("resourceprovider", "add-inventory", host))
        provider_traits.clear(provider=host.uuid, origin=client_origin())

        response = page.press(**fields(total=100), resource_class="DISK_GB")

        assert response.status_code == 409
        assert Inventory.objects.count() == 1


class TestOfferingNothingMore:
    def test_takes_one_click_of_an_operator(self, operator_client, host):
        claimed({host: {"VCPU": 3}})

        response = ActPage(operator_client, act("resourceprovider", "reserve", host)).press()

        assert response.status_code == 302
        assert (stock(host).reserved, stock(host).used) == (8, 3)

    def test_keeps_new_claims_out_and_old_ones_in(self, operator_client, host, api):
        consumer = claimed({host: {"VCPU": 3}})
        ActPage(operator_client, act("resourceprovider", "reserve", host)).press()

        refused = api.put(f"/allocations/{new_uuid()}", claim({host: {"VCPU": 1}}))

        assert refused.status_code == 409
        assert consumer.allocations.get().used == 3

    def test_does_nothing_when_the_provider_changed_meanwhile(self, operator_client, host):
        page = ActPage(operator_client, act("resourceprovider", "reserve", host))
        provider_traits.clear(provider=host.uuid, origin=client_origin())

        response = page.press()

        assert response.status_code == 409
        assert stock(host).reserved == 0


class TestTraits:
    def test_are_what_the_form_says(self, administrator, host):
        page = ActPage(administrator, act("resourceprovider", "traits", host))

        page.press(traits=f"{VMX}\n")

        assert [row.trait_id for row in ProviderTrait.objects.all()] == [VMX]
        assert f"+{VMX}" in LogEntry.objects.get().change_message

    def test_that_are_not_known_are_refused(self, administrator, host):
        response = ActPage(administrator, act("resourceprovider", "traits", host)).press(traits="CUSTOM_UNHEARD_OF")

        assert "No such trait" in text_of(response)
        assert [row.trait_id for row in ProviderTrait.objects.all()] == [AVX2]

    def test_stay_when_the_provider_changed_meanwhile(self, administrator, host):
        page = ActPage(administrator, act("resourceprovider", "traits", host))
        provider_traits.replace(provider=host.uuid, traits=[AVX2, VMX], generation=0, origin=client_origin("svc-nova"))

        response = page.press(traits="")

        assert response.status_code == 409
        assert f"by svc-nova (placement): +{VMX}" in text_of(response)
        assert ProviderTrait.objects.count() == 2


class TestAggregates:
    def test_are_what_the_form_says_in_any_spelling(self, administrator, host):
        uuid = new_uuid()

        ActPage(administrator, act("resourceprovider", "aggregates", host)).press(
            aggregates=uuid.upper().replace("-", "")
        )

        assert [row.aggregate_uuid for row in host.aggregates.all()] == [uuid]
        assert ResourceProvider.objects.get().generation == 1

    def test_that_are_no_uuids_are_refused(self, administrator, host):
        response = ActPage(administrator, act("resourceprovider", "aggregates", host)).press(aggregates="rack-1")

        assert "No uuid: rack-1" in text_of(response)
        assert host.aggregates.count() == 1

    def test_stay_when_the_provider_changed_meanwhile(self, administrator, host):
        page = ActPage(administrator, act("resourceprovider", "aggregates", host))
        aggregates.replace(provider=host.uuid, aggregates=[], generation=0, origin=client_origin("svc-nova"))

        response = page.press(aggregates=new_uuid())

        assert response.status_code == 409
        assert host.aggregates.count() == 0


class TestWho:
    @pytest.mark.parametrize("name", ["traits", "aggregates", "add-inventory"])
    def test_changes_of_what_there_is_are_for_administrators(self, operator_client, viewer, host, name):
        assert operator_client.get(act("resourceprovider", name, host)).status_code == 403
        assert viewer.get(act("resourceprovider", name, host)).status_code == 403

    @pytest.mark.parametrize("name", ["edit", "remove"])
    def test_so_are_those_of_inventories(self, operator_client, host, name):
        assert operator_client.post(act("inventory", name, stock(host))).status_code == 403
