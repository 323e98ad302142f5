"""The search box on every page."""

import pytest
from django.urls import reverse

from placement_app.models import ClaimEvent
from placement_app.services import allocations
from tests.admin.acting import claimed, client_origin, text_of
from tests.admin.test_conflicts import refused_claim
from tests.builders import provider
from tests.commands.faults import held

FIND = reverse("admin:find")


def page(model: str, key) -> str:
    return reverse(f"admin:placement_app_{model}_change", args=[key])


class TestFinding:
    @pytest.mark.parametrize("spelt", [str, str.upper, lambda it: it.replace("-", ""), lambda it: it[:8]])
    def test_one_thing_leads_straight_to_it(self, viewer, spelt):
        host = provider(name="cmp-07", uuid="4f6e78e1-0000-4000-8000-000000000000", vcpu=4)

        response = viewer.get(FIND, {"q": spelt(host.uuid)})

        assert response.status_code == 302
        assert response.url == page("resourceprovider", host.uuid)

    def test_a_consumer_leads_to_its_page_even_when_it_is_gone(self, viewer):
        consumer = claimed({provider(vcpu=4): {"VCPU": 1}})

        living = viewer.get(FIND, {"q": consumer.uuid})
        allocations.release(consumer_uuid=consumer.uuid, origin=client_origin())
        gone = viewer.get(FIND, {"q": consumer.uuid})
        by_its_beginning = viewer.get(FIND, {"q": consumer.uuid[:8]})

        assert living.url == gone.url == by_its_beginning.url == page("consumer", consumer.uuid)

    def test_a_request_is_found_by_the_beginning_of_its_id(self, viewer):
        consumer = claimed({provider(vcpu=4): {"VCPU": 1}})
        ClaimEvent.objects.update(request_id="req-9f2c7d1e-5b0f-4a55-8a39-77d1c3a0f5be")

        assert viewer.get(FIND, {"q": "req-9f2c7d1e"}).url == page("consumer", consumer.uuid)

    def test_several_things_are_listed(self, viewer):
        provider(name="cmp-07")
        provider(name="cmp-08")

        text = text_of(viewer.get(FIND, {"q": "cmp-0"}))

        assert "cmp-07" in text
        assert "cmp-08" in text

    def test_a_machine_leads_to_its_node_which_tells_what_both_services_say(self, viewer):
        node, host, _ = held(name="rack1-n3")

        by_name, by_uuid = viewer.get(FIND, {"q": "rack1-n3"}), viewer.get(FIND, {"q": host.uuid})

        assert by_name.url == by_uuid.url == reverse("admin:ironic_app_node_change", args=[node.pk])

    def test_a_request_leads_to_what_it_did(self, viewer):
        consumer = claimed({provider(vcpu=4): {"VCPU": 1}})

        response = viewer.get(FIND, {"q": "req-1"})

        assert response.url == page("consumer", consumer.uuid)

    def test_a_request_that_was_refused_leads_to_the_conflict(self, viewer):
        record = refused_claim(provider(vcpu=4), 8)

        response = viewer.get(FIND, {"q": "req-7"})

        assert response.url == page("conflictrecord", record.pk)

    @pytest.mark.parametrize(
        "term", ["", "  ", "00000000-1111-4222-8333-444444444444", "nobody", "%", "'", "req-", "\x00"]
    )
    def test_nothing_says_what_could_be_found(self, viewer, term):
        assert "by uuid in any spelling" in text_of(viewer.get(FIND, {"q": term}))
