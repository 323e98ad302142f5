"""The home page: what is broken, what is free, who fights."""

from typing import Any

import pytest
from django.urls import reverse

from claimsite.operations import home
from ironic_app.models import Node
from placement_app.models import Inventory
from tests.admin.acting import claimed, text_of
from tests.admin.test_conflicts import refused_claim
from tests.builders import provider

HOME = reverse("admin:index")


class TestHome:
    def test_teaches_where_nothing_is_there_yet(self, viewer):
        text = text_of(viewer.get(HOME))

        assert "no provider has an inventory" in text
        assert "Nothing was found that needs a person." in text

    def test_shows_capacity_by_class(self, viewer):
        claimed({provider(vcpu={"total": 4, "allocation_ratio": 2.0}): {"VCPU": 2}})
        provider(vcpu={"total": 4, "reserved": 2})

        response = viewer.get(HOME)

        assert "VCPU 2 / 10 20 %" in text_of(response)

    def test_shows_what_is_claimed_before_what_is_not_and_counts_the_rest(self, viewer):
        machines: dict[str, Any] = {f"CUSTOM_MACHINE_{number:02}": 1 for number in range(home.MOST_CLASSES + 3)}
        provider(**machines)
        claimed({provider(vcpu=4): {"VCPU": 1}, provider(CUSTOM_ZEBRA=4): {"CUSTOM_ZEBRA": 1}})

        response = viewer.get(HOME)

        shown = [it["name"] for it in response.context["classes"]["shown"]]
        assert shown[:3] == ["VCPU", "CUSTOM_ZEBRA", "CUSTOM_MACHINE_00"]
        assert "5 more classes" in text_of(response)

    def test_marks_what_is_over_its_capacity_and_leads_there(self, viewer):
        host = provider(name="cmp-07", vcpu=4)
        claimed({host: {"VCPU": 4}})
        Inventory.objects.update(total=2)

        response = viewer.get(HOME)
        (finding,) = response.context["findings"]

        assert finding.count == 1
        assert "cmp-07 VCPU 4 / 2 200 % OVER" in text_of(response)
        assert "cmp-07" in text_of(viewer.get(finding.url))

    def test_does_not_call_a_whole_machine_that_somebody_has_over_its_capacity(self, viewer):
        claimed({provider(vcpu=1): {"VCPU": 1}})
        Inventory.objects.update(reserved=1)

        response = viewer.get(HOME)

        assert response.context["findings"] == []

    def test_shows_conflicts_and_the_busiest(self, viewer):
        host = provider(name="cmp-07", vcpu=4)
        claimed({host: {"VCPU": 4}})
        refused_claim(host, 1)

        response = viewer.get(HOME)

        assert "CapacityExceeded 1" in text_of(response)
        assert "cmp-07 1 write of claims" in text_of(response)
        assert [line.kind for line in response.context["latest"]] == ["refused", "claimed"]

    def test_counts_nodes_by_state(self, viewer):
        for state, instance in (("active", "a"), ("available", None), ("available", None)):
            Node.objects.create(
                uuid=f"{Node.objects.count()}", driver="fake-hardware", provision_state=state, instance_uuid=instance
            )

        nodes = viewer.get(HOME).context["nodes"]

        assert [(state, number) for state, number, _ in nodes.states] == [("available", 2), ("active", 1)]
        assert (nodes.total, nodes.details["free"], nodes.details["held"]) == (3, 2, 1)

    def test_shows_what_others_found(self, viewer, monkeypatch):
        found = [home.Finding("nodes without claims", 3, "/admin/somewhere"), home.Finding("nothing of this", 0, "")]
        monkeypatch.setattr(home, "FINDERS", [lambda: found])

        text = text_of(viewer.get(HOME))

        assert "3 nodes without claims" in text
        assert "nothing of this" not in text

    def test_counts_no_further_than_anybody_reads(self, viewer, monkeypatch):
        monkeypatch.setattr(home, "MOST_COUNTED", 2)
        for _ in range(3):
            provider()

        assert "more than 2 providers" in text_of(viewer.get(HOME))

    @pytest.mark.parametrize("rank", ["viewer", "operator_client", "administrator"])
    def test_is_for_every_operator(self, request, rank):
        assert request.getfixturevalue(rank).get(HOME).status_code == 200

    def test_is_not_for_strangers(self, anonymous):
        response = anonymous.get(HOME)

        assert response.status_code == 302
        assert reverse("admin:login") in response.url
